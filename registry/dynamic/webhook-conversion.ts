/** Converts custom resources by a webhook. The objects of one request are sent in one review, never with those of another request. */
// as apiextensions-apiserver/pkg/apiserver/conversion webhook_converter.go
import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import { plainError } from '../../apimachinery/errors/status.js';
import { pruneObject } from '../pipeline/stored/prune-object.js';
import type { WebhookCaller, WebhookTarget } from '../webhook-caller.js';
import { convertedObject } from './converted-object.js';
import { type CustomResourceDefinition, schemaOf } from './crd.js';
import type { Conversion } from './define.js';
import { ConversionFault, conversionReview, readConversion } from './conversion-review.js';

/** Maximum number of objects in one review, since lists are large. */
const batchSize = 500;
const timeoutMs = 30_000;

/** Returns the type of an object for errors: `example.com/v1, Kind=Foo`. */
function typeText({ apiVersion, kind }: KubeObject): string {
  const { group = '', version = '' } = readApiVersion(apiVersion) ?? {};
  return `${group}/${version}, Kind=${kind}`;
}

/** Returns the conversion of a definition; undefined if it has no webhook. Failed calls and invalid answers are a 500. */
export function webhookConversion(crd: CustomResourceDefinition, call: WebhookCaller): Conversion | undefined {
  const { conversion, group, versions } = crd.spec;
  const { clientConfig, conversionReviewVersions } = conversion?.webhook ?? {};
  if (conversion?.strategy !== 'Webhook' || !clientConfig) return undefined;
  const target: WebhookTarget = clientConfig;
  const schemas = new Map(versions.map(version => [`${group}/${version.name}`, schemaOf(version)]));

  /** Converts at least one object, none of which has the desired version already. */
  async function callWebhook(desired: string, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
    const [first] = objects as [KubeObject];
    const uid = randomUUID();
    let converted: readonly unknown[];
    try {
      const { review, version } = conversionReview(conversionReviewVersions, uid, desired, objects);
      converted = readConversion(await call({ target, review, timeoutMs }), uid, version, objects.length);
    } catch (error) {
      const short = error instanceof ConversionFault && error.isCount ? '' : ' failed:';
      throw plainError(`conversion webhook for ${typeText(first)}${short} ${errorText(error)}`);
    }
    const schema = schemas.get(desired);
    return objects.map((object, i) => {
      try {
        const made = convertedObject(object, converted[i], desired);
        return schema ? pruneObject(made, schema) : made;
      } catch (error) {
        throw plainError(`conversion webhook for ${typeText(object)} returned ${errorText(error)}`);
      }
    });
  }

  function check(desired: string, { apiVersion }: KubeObject): void {
    const unknown = [desired, apiVersion].find(version => !schemas.has(version));
    if (unknown === undefined) return;
    const direction = unknown === desired ? 'to' : 'from';
    throw plainError(`request to convert CR ${direction} an invalid group/version: ${unknown}`);
  }

  async function convertAll(objects: readonly KubeObject[], toVersion: string): Promise<readonly KubeObject[]> {
    const desired = `${group}/${toVersion}`;
    const others = objects.filter(({ apiVersion }) => apiVersion !== desired);
    for (const object of others) check(desired, object);
    const batches: Promise<readonly KubeObject[]>[] = [];
    for (let i = 0; i < others.length; i += batchSize)
      batches.push(callWebhook(desired, others.slice(i, i + batchSize)));
    const made = (await Promise.all(batches)).flat();
    let next = 0;
    return objects.map(object => (object.apiVersion === desired ? object : (made[next++] as KubeObject)));
  }

  return {
    rulesVersion: 'requested',
    convertAll,
    convert(object, toVersion) {
      const desired = `${group}/${toVersion}`;
      if (object.apiVersion === desired) return object;
      check(desired, object);
      return callWebhook(desired, [object]).then(([made]) => made as KubeObject);
    },
  };
}
