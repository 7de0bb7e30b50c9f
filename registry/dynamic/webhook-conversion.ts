/** Converts custom resources by a webhook. A request's objects go out in one review, and with those of no other request. */
// as apiextensions-apiserver/pkg/apiserver/conversion webhook_converter.go
import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import { plainError } from '../../apimachinery/errors/status.js';
import { trim } from '../pipeline/stored/refit.js';
import type { WebhookCaller, WebhookTarget } from '../webhook-caller.js';
import { convertedObject } from './converted-object.js';
import { type CustomResourceDefinition, schemaOf } from './crd.js';
import type { Conversion } from './define.js';
import { ConversionFault, conversionReview, readConversion } from './conversion-review.js';

/** Objects of one review: lists are large. */
const batchSize = 500;
const timeoutMs = 30_000;

/** As faults name an object: `example.com/v1, Kind=Foo`. */
function typeText({ apiVersion, kind }: KubeObject): string {
  const { group = '', version = '' } = readApiVersion(apiVersion) ?? {};
  return `${group}/${version}, Kind=${kind}`;
}

/** Undefined: the definition has no webhook. What is wrong with an answer is a 500 that says so. */
export function webhookConversion(crd: CustomResourceDefinition, call: WebhookCaller): Conversion | undefined {
  const { conversion, group, versions } = crd.spec;
  const { clientConfig, conversionReviewVersions } = conversion?.webhook ?? {};
  if (conversion?.strategy !== 'Webhook' || !clientConfig) return undefined;
  const target: WebhookTarget = clientConfig;
  const schemas = new Map(versions.map(version => [`${group}/${version.name}`, schemaOf(version)]));

  /** At least one object, none of which has the version already. */
  async function ask(desired: string, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
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
        return schema ? trim(made, schema) : made;
      } catch (error) {
        throw plainError(`conversion webhook for ${typeText(object)} returned ${errorText(error)}`);
      }
    });
  }

  function check(desired: string, { apiVersion }: KubeObject): void {
    const strange = [desired, apiVersion].find(version => !schemas.has(version));
    if (strange === undefined) return;
    const way = strange === desired ? 'to' : 'from';
    throw plainError(`request to convert CR ${way} an invalid group/version: ${strange}`);
  }

  async function convertAll(objects: readonly KubeObject[], toVersion: string): Promise<readonly KubeObject[]> {
    const desired = `${group}/${toVersion}`;
    const others = objects.filter(({ apiVersion }) => apiVersion !== desired);
    for (const object of others) check(desired, object);
    const batches: Promise<readonly KubeObject[]>[] = [];
    for (let i = 0; i < others.length; i += batchSize) batches.push(ask(desired, others.slice(i, i + batchSize)));
    const made = (await Promise.all(batches)).flat();
    let next = 0;
    return objects.map(object => (object.apiVersion === desired ? object : (made[next++] as KubeObject)));
  }

  return {
    rules: 'spoken',
    convertAll,
    convert(object, toVersion) {
      const desired = `${group}/${toVersion}`;
      if (object.apiVersion === desired) return object;
      check(desired, object);
      return ask(desired, [object]).then(([made]) => made as KubeObject);
    },
  };
}
