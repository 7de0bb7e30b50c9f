/**
 * A field manager owns fields in the API version of its write, so its field set is compared with the object in that version. The conversion
 * of a custom resource may call a webhook. The computations are therefore generators that yield conversions, and run with or without await.
 */
import type { KubeObject } from '../interface.js';
import type { Schema } from '../codec/interface.js';

/** An object in a version, and the schema of that version. */
export interface Versioned {
  readonly object: KubeObject;
  readonly schema: Schema;
}

interface Conversion {
  readonly object: KubeObject;
  /** The target version: `apps/v1`. */
  readonly apiVersion: string;
}

/** Converts an object, without changing it. Returns undefined if the version is not served, so that its managers are dropped. */
export type Convert = (object: KubeObject, apiVersion: string) => Versioned | undefined;
export type ConvertAsync = (object: KubeObject, apiVersion: string) => Promise<Versioned | undefined>;

/** Resolves in a later turn of the event loop. */
export type Pause = () => Promise<void>;

/** A computation that yields conversions, whose results it needs, and pauses, which `runAsync` awaits and `run` skips. */
export type PatchSteps<T> = Generator<Conversion | Pause, T, Versioned | undefined>;

/** Runs other steps as part of a computation, with a pause after each. */
export function* pausingAfterEach<T>(steps: Iterator<unknown, T>, pause: Pause): PatchSteps<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield pause;
  }
}

const none: Convert = () => undefined;

/** The results of conversions in one run: the same one is needed more than once. */
type Conversions = Map<KubeObject, Map<string, Versioned | undefined>>;

function conversionsOf(conversions: Conversions, { object }: Conversion): Map<string, Versioned | undefined> {
  let found = conversions.get(object);
  if (!found) conversions.set(object, (found = new Map<string, Versioned | undefined>()));
  return found;
}

/** Runs steps to their end in this turn of the event loop. */
export function run<T>(steps: PatchSteps<T>, convert: Convert = none): T {
  let step = steps.next();
  if (step.done === true) return step.value; // hot: most runs convert nothing
  const conversions: Conversions = new Map();
  while (step.done !== true) {
    if (typeof step.value === 'function') {
      step = steps.next();
      continue;
    }
    const { object, apiVersion } = step.value;
    const known = conversionsOf(conversions, step.value);
    if (!known.has(apiVersion)) known.set(apiVersion, convert(object, apiVersion));
    step = steps.next(known.get(apiVersion));
  }
  return step.value;
}

/** Runs steps to their end, awaiting pauses and conversions. */
export async function runAsync<T>(steps: PatchSteps<T>, convert: ConvertAsync): Promise<T> {
  const conversions: Conversions = new Map();
  let step = steps.next();
  while (step.done !== true) {
    if (typeof step.value === 'function') {
      await step.value();
      step = steps.next();
      continue;
    }
    const { object, apiVersion } = step.value;
    const known = conversionsOf(conversions, step.value);
    if (!known.has(apiVersion)) known.set(apiVersion, await convert(object, apiVersion));
    step = steps.next(known.get(apiVersion));
  }
  return step.value;
}
