/**
 * How many values one object may consist of. Most of what is done with an object takes time by the value: with a bound on them no
 * object holds the event loop for long, whatever its bytes say.
 */
import { afterString } from '../../lib/json/after-string.js';
import { tooLarge } from '../errors/status.js';

/**
 * Objects, lists and scalars in one object. differs: upstream has no such bound. The largest definitions of custom resources that are in
 * use (a megabyte of YAML) have some 20,000.
 */
export const maxValues = 50_000;

const refusal = (): Error => tooLarge(`an object may consist of at most ${maxValues} JSON values`);

/** 413 for an object that grows too large by the defaults of its schema. */
export const tooManyDefaults = (): Error =>
  tooLarge(`defaults of the schema may add at most ${maxValues} JSON values and 4 MiB of text to an object`);

const quote = 0x22;
const comma = 0x2c;
const isOpening = (code: number): boolean => code === 0x7b || code === 0x5b;
const isClosing = (code: number): boolean => code === 0x7d || code === 0x5d;

/** Marks the characters that tell values apart; all others belong to a number, a word, or to nothing. */
const structural = new Uint8Array(128);
for (const character of '{}[],"') structural[character.charCodeAt(0)] = 1;

/** Returns the next place, from `at` on, that has a structural character. hot: a number may be megabytes long. */
function structureFrom(text: string, at: number): number {
  while (at < text.length && structural[text.charCodeAt(at)] !== 1) at++;
  return at;
}

const space = 0x20;
/** Returns the next place, from `at` on, that is no space. */
function behindSpace(text: string, at: number): number {
  while (at < text.length && text.charCodeAt(at) <= space) at++;
  return at;
}

/** Counts the values of a JSON text up to one more than `most`. The number means nothing for a text that is no JSON. */
function valuesIn(text: string, most: number): number {
  let count = 1;
  /** Nothing but space has been seen since an object or list was opened. */
  let opened = false;
  // One more may yet prove to be none.
  for (let at = 0; at < text.length && count <= most + 1;) {
    const from = opened ? behindSpace(text, at) : at;
    at = structureFrom(text, from);
    if (at > from) opened = false;
    const code = text.charCodeAt(at);
    if (code === quote) {
      opened = false;
      at = afterString(text, at);
      continue;
    }
    // An empty object or list holds no value.
    if (isOpening(code) || code === comma) count++;
    else if (isClosing(code) && opened) count--;
    opened = isOpening(code);
    at++;
  }
  return count;
}

/** Throws 413 for a JSON text of too many values. hot: most texts are too short for them. */
export function refuseManyValues(text: string): void {
  if (text.length > 2 * maxValues && valuesIn(text, maxValues) > maxValues) throw refusal();
}

function counted(value: unknown, left: number): number {
  if (--left < 0 || typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = counted(value[i], left);
    return left;
  }
  for (const name in value) {
    left = counted((value as Record<string, unknown>)[name], left);
    if (left < 0) break;
  }
  return left;
}

/** Returns how many values an object consists of. Throws 413 for too many. */
export function refuseLargeObject(object: unknown): number {
  const left = counted(object, maxValues);
  if (left < 0) throw refusal();
  return maxValues - left;
}

/** Counts values while they are read from another form than JSON. */
export class ValueBudget {
  #left = maxValues;

  /** Throws 413 when there were too many. */
  take(): void {
    if (--this.#left < 0) throw refusal();
  }

  /** Counts the values of a JSON text. Throws 413 when there were too many. */
  takeJson(text: string): void {
    this.#left -= valuesIn(text, this.#left);
    if (this.#left < 0) throw refusal();
  }
}
