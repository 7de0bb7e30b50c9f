/** Conversion of custom resources by a webhook (CRD-051). What is asked for in one turn goes out in one review. */
// as apiextensions-apiserver/pkg/apiserver/conversion webhook_converter.go
import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../openapi/interface.js';
import { readApiVersion } from '../../openapi/meta/gvk.js';
import { plainError } from '../../openapi/meta/status.js';
import type { ResourceDefinition } from '../interface.js';
import { refit } from '../pipeline/refit.js';
import type { WebhookCaller, WebhookTarget } from '../webhooks/interface.js';
import { convertedObject } from './converted-object.js';
import { type CustomResourceDefinition, schemaOf } from './crd.js';
import { ConversionFault, conversionReview, readConversion } from './conversion-review.js';

/** Objects of one review: lists are large. */
const batchSize = 500;
const timeoutMs = 30_000;

interface Asked {
  readonly object: KubeObject;
  readonly resolve: (converted: KubeObject) => void;
  readonly reject: (error: Error) => void;
}

/** As faults name an object: `example.com/v1, Kind=Foo`. */
function typeText({ apiVersion, kind }: KubeObject): string {
  const { group = '', version = '' } = readApiVersion(apiVersion) ?? {};
  return `${group}/${version}, Kind=${kind}`;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Undefined: the definition has no webhook. What is wrong with an answer is a 500 that says so. */
export function webhookConversion(
  crd: CustomResourceDefinition,
  call: WebhookCaller,
): ResourceDefinition['convert'] | undefined {
  const { conversion, group, versions } = crd.spec;
  const { clientConfig, conversionReviewVersions } = conversion?.webhook ?? {};
  if (conversion?.strategy !== 'Webhook' || !clientConfig) return undefined;
  const target: WebhookTarget = clientConfig;
  const schemas = new Map(versions.map(version => [`${group}/${version.name}`, schemaOf(version)]));
  const waiting = new Map<string, Asked[]>();

  async function send(desired: string, batch: readonly Asked[]): Promise<void> {
    const objects = batch.map(({ object }) => object);
    const uid = randomUUID();
    let converted: readonly unknown[];
    try {
      const { review, version } = conversionReview(conversionReviewVersions, uid, desired, objects);
      converted = readConversion(await call({ target, review, timeoutMs }), uid, version, objects.length);
    } catch (error) {
      for (const { object, reject } of batch) {
        const short = error instanceof ConversionFault && error.isCount ? '' : ' failed:';
        reject(plainError(`conversion webhook for ${typeText(object)}${short} ${textOf(error)}`));
      }
      return;
    }
    batch.forEach(({ object, resolve, reject }, i) => {
      try {
        const schema = schemas.get(desired);
        const made = convertedObject(object, converted[i], desired);
        resolve(schema ? refit(made, schema) : made);
      } catch (error) {
        reject(plainError(`conversion webhook for ${typeText(object)} returned ${textOf(error)}`));
      }
    });
  }

  function flush(desired: string): void {
    const all = waiting.get(desired) ?? [];
    waiting.delete(desired);
    for (let i = 0; i < all.length; i += batchSize) void send(desired, all.slice(i, i + batchSize));
  }

  return (object, toVersion) => {
    const desired = `${group}/${toVersion}`;
    if (object.apiVersion === desired) return object;
    const strange = [desired, object.apiVersion].find(version => !schemas.has(version));
    if (strange !== undefined) {
      const way = strange === desired ? 'to' : 'from';
      throw plainError(`request to convert CR ${way} an invalid group/version: ${strange}`);
    }
    return new Promise((resolve, reject) => {
      const batch = waiting.get(desired) ?? [];
      if (batch.length === 0) queueMicrotask(() => flush(desired));
      waiting.set(desired, batch);
      batch.push({ object, resolve, reject });
    });
  };
}
