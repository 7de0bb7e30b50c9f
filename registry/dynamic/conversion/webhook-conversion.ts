/** Converts custom resources by a webhook. The objects of one request are sent in one review, never with those of another request. */
// as apiextensions-apiserver/pkg/apiserver/conversion webhook_converter.go
import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { errorText } from '../../../apimachinery/errors/error-text.js';
import { maxObjectValues, refuseLargeObject } from '../../../apimachinery/meta/values.js';
import { readApiVersion } from '../../../apimachinery/meta/gvk.js';
import { plainError } from '../../../apimachinery/errors/status.js';
import { pruneObjectSteps } from '../../pipeline/stored/prune-object.js';
import type { Maybe } from '../../../lib/maybe.js';
import { type InSteps, inTimeSlices } from '../../../lib/time-slice.js';
import type { WebhookCaller, WebhookTarget } from '../../webhook-caller.js';
import { convertedObject } from './converted-object.js';
import { type CustomResourceDefinition, schemaOf, type Spec } from '../crd.js';
import type { Conversion } from '../define.js';
import { ConversionFault, conversionReview, readConversion } from './conversion-review.js';

/** Maximum number of objects in one review, since lists are large. */
const batchSize = 500;
const timeoutMs = 30_000;

/** Returns the type of an object for errors: `example.com/v1, Kind=Foo`. */
function typeText({ apiVersion, kind }: KubeObject): string {
  const { group = '', version = '' } = readApiVersion(apiVersion) ?? {};
  return `${group}/${version}, Kind=${kind}`;
}

/** Throws for an object that a client could not write, which then fails the whole list. differs: upstream has no such limit. */
function refuseLargeAnswer(converted: unknown): void {
  try {
    refuseLargeObject(converted);
  } catch (error) {
    throw new Error(`invalid object: it consists of more than ${maxObjectValues} JSON values`, { cause: error });
  }
}

/** The conversion of one definition. */
class WebhookConversion {
  readonly #call: WebhookCaller;
  readonly #target: WebhookTarget;
  readonly #reviewVersions: readonly string[] | undefined;
  readonly #group: string;
  /** apiVersion -> schema. */
  readonly #schemas: ReadonlyMap<string, ReturnType<typeof schemaOf>>;

  constructor({ conversion, group, versions }: Spec, target: WebhookTarget, call: WebhookCaller) {
    this.#call = call;
    this.#target = target;
    this.#reviewVersions = conversion?.webhook?.conversionReviewVersions;
    this.#group = group;
    this.#schemas = new Map(versions.map(version => [`${group}/${version.name}`, schemaOf(version)]));
  }

  convert(object: KubeObject, toVersion: string): Maybe<KubeObject> {
    const desired = `${this.#group}/${toVersion}`;
    if (object.apiVersion === desired) return object;
    this.#check(desired, object);
    return this.#review(desired, [object]).then(([made]) => made as KubeObject);
  }

  async convertAll(objects: readonly KubeObject[], toVersion: string): Promise<readonly KubeObject[]> {
    const desired = `${this.#group}/${toVersion}`;
    const others = objects.filter(({ apiVersion }) => apiVersion !== desired);
    for (const object of others) this.#check(desired, object);
    const batches: Promise<readonly KubeObject[]>[] = [];
    for (let i = 0; i < others.length; i += batchSize)
      batches.push(this.#review(desired, others.slice(i, i + batchSize)));
    const made = (await Promise.all(batches)).flat();
    let next = 0;
    return objects.map(object => (object.apiVersion === desired ? object : (made[next++] as KubeObject)));
  }

  /** Converts at least one object, none of which has the desired version already. */
  async #review(desired: string, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
    const converted = await this.#answer(desired, objects);
    return inTimeSlices(this.#readSteps(desired, objects, converted));
  }

  /** Checks and prunes what the webhook made of the objects, each of which may be large, with a step for each. */
  *#readSteps(
    desired: string,
    objects: readonly KubeObject[],
    converted: readonly unknown[],
  ): InSteps<readonly KubeObject[]> {
    const schema = this.#schemas.get(desired);
    const all: KubeObject[] = [];
    for (const [i, object] of objects.entries()) {
      yield;
      try {
        refuseLargeAnswer(converted[i]);
        const made = convertedObject(object, converted[i], desired);
        all.push(schema ? yield* pruneObjectSteps(made, schema) : made);
      } catch (error) {
        throw plainError(`conversion webhook for ${typeText(object)} returned ${errorText(error)}`);
      }
    }
    return all;
  }

  /** Returns what the webhook made of the objects, unchecked, as many as were sent. */
  async #answer(desired: string, objects: readonly KubeObject[]): Promise<readonly unknown[]> {
    const [first] = objects as [KubeObject];
    const uid = randomUUID();
    try {
      const { review, version } = conversionReview(this.#reviewVersions, uid, desired, objects);
      return readConversion(
        await this.#call({ target: this.#target, review, timeoutMs }),
        uid,
        version,
        objects.length,
      );
    } catch (error) {
      const short = error instanceof ConversionFault && error.isCount ? '' : ' failed:';
      throw plainError(`conversion webhook for ${typeText(first)}${short} ${errorText(error)}`);
    }
  }

  #check(desired: string, { apiVersion }: KubeObject): void {
    const unknown = [desired, apiVersion].find(version => !this.#schemas.has(version));
    if (unknown === undefined) return;
    const direction = unknown === desired ? 'to' : 'from';
    throw plainError(`request to convert CR ${direction} an invalid group/version: ${unknown}`);
  }
}

/** Returns the conversion of a definition; undefined if it has no webhook. Failed calls and invalid answers are a 500. */
export function webhookConversion({ spec }: CustomResourceDefinition, call: WebhookCaller): Conversion | undefined {
  const target = spec.conversion?.webhook?.clientConfig;
  if (spec.conversion?.strategy !== 'Webhook' || !target) return undefined;
  const webhook = new WebhookConversion(spec, target, call);
  return {
    rulesVersion: 'requested',
    convert: (object, toVersion) => webhook.convert(object, toVersion),
    convertAll: (objects, toVersion) => webhook.convertAll(objects, toVersion),
  };
}
