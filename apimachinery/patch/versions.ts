/**
 * Managers own fields in the version in which they wrote. Whoever compares them needs the object in that version, which for custom
 * resources may take a webhook: the functions here are generators that ask for conversions, run by a driver with or without await.
 */
import type { KubeObject } from '../interface.js';
import type { Schema } from '../codec/interface.js';

/** An object in a version, and the schema of that version. */
export interface Versioned {
  readonly object: KubeObject;
  readonly schema: Schema;
}

export interface Conversion {
  readonly object: KubeObject;
  /** The version wanted: `apps/v1`. */
  readonly apiVersion: string;
}

/** Undefined: the version is not served, so that what was written in it counts no more. Must not change the object. */
export type Convert = (object: KubeObject, apiVersion: string) => Versioned | undefined;
export type ConvertAsync = (object: KubeObject, apiVersion: string) => Promise<Versioned | undefined>;

/** Resolves in a later turn of the event loop. */
export type Pause = () => Promise<void>;

/** A computation that may ask for conversions on its way, or to be interrupted, which it is where somebody may wait. */
export type Steps<T> = Generator<Conversion | Pause, T, Versioned | undefined>;

/** Runs steps as a part of another computation, which may be interrupted after each of them. */
export function* pausingAfterEach<T>(steps: Iterator<unknown, T>, pause: Pause): Steps<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield pause;
  }
}

const none: Convert = () => undefined;

/** Conversions of one run: the same object is asked for in the same version more than once. */
type Answers = Map<KubeObject, Map<string, Versioned | undefined>>;

function answersFor(answers: Answers, { object }: Conversion): Map<string, Versioned | undefined> {
  let found = answers.get(object);
  if (!found) answers.set(object, (found = new Map<string, Versioned | undefined>()));
  return found;
}

export function run<T>(steps: Steps<T>, convert: Convert = none): T {
  let step = steps.next();
  if (step.done === true) return step.value; // hot: mostly nothing is asked for
  const answers: Answers = new Map();
  while (step.done !== true) {
    if (typeof step.value === 'function') {
      step = steps.next();
      continue;
    }
    const { object, apiVersion } = step.value;
    const known = answersFor(answers, step.value);
    if (!known.has(apiVersion)) known.set(apiVersion, convert(object, apiVersion));
    step = steps.next(known.get(apiVersion));
  }
  return step.value;
}

export async function runAsync<T>(steps: Steps<T>, convert: ConvertAsync): Promise<T> {
  const answers: Answers = new Map();
  let step = steps.next();
  while (step.done !== true) {
    if (typeof step.value === 'function') {
      await step.value();
      step = steps.next();
      continue;
    }
    const { object, apiVersion } = step.value;
    const known = answersFor(answers, step.value);
    if (!known.has(apiVersion)) known.set(apiVersion, await convert(object, apiVersion));
    step = steps.next(known.get(apiVersion));
  }
  return step.value;
}
