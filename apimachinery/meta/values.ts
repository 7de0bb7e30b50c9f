/**
 * Limits the number of JSON values in one object. Most work on an object takes time in proportion to them, and must not hold the event
 * loop for long.
 */
import { afterString } from '../../lib/json/after-string.js';
import { maxNumberLength } from '../../lib/json/json.js';
import { tooLarge } from '../errors/status.js';

/**
 * Objects, lists and scalars in one object. differs: upstream has no such limit. The largest CustomResourceDefinitions in use (a
 * megabyte of YAML) have some 20,000.
 */
export const maxObjectValues = 50_000;

const tooManyValues = (): Error => tooLarge(`an object may consist of at most ${maxObjectValues} JSON values`);

/** Returns 413 for an object that the defaults of its schema make too large. */
export const tooManyDefaults = (): Error =>
  tooLarge(`defaults of the schema may add at most ${maxObjectValues} JSON values and 4 MiB of text to an object`);

const quote = 0x22;
const comma = 0x2c;
const isOpening = (code: number): boolean => code === 0x7b || code === 0x5b;
const isClosing = (code: number): boolean => code === 0x7d || code === 0x5d;

/** Marks the characters that separate values; the others belong to numbers, words and space. */
const structural = new Uint8Array(128);
for (const character of '{}[],"') structural[character.charCodeAt(0)] = 1;

/** Returns the index of the next structural character, from `at` on. hot: a number may be megabytes long. */
function structureFrom(text: string, at: number): number {
  while (at < text.length && structural[text.charCodeAt(at)] !== 1) at++;
  return at;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Throws 413 if the text between two structural characters is that of a number that is too long: it is read several times as a whole. */
function refuseLongNumber(text: string, from: number, to: number): void {
  let digits = 0;
  for (let at = from; at < to; at++) if (isDigit(text.charCodeAt(at))) digits++;
  if (digits > maxNumberLength) throw tooLarge(`a number may have at most ${maxNumberLength} digits`);
}

const space = 0x20;
function skipSpace(text: string, at: number): number {
  while (at < text.length && text.charCodeAt(at) <= space) at++;
  return at;
}

/**
 * Counts the values of a JSON text, up to one more than `max`. The number means nothing for a text that is not JSON. Throws 413 for a number that is
 * too long.
 */
function valuesIn(text: string, max: number): number {
  let count = 1;
  /** Only space has followed the last opening bracket. */
  let opened = false;
  // The last value counted may be subtracted again, if it is the inside of an empty object or list.
  for (let at = 0; at < text.length && count <= max + 1;) {
    const from = opened ? skipSpace(text, at) : at;
    at = structureFrom(text, from);
    if (at > from) opened = false;
    if (at - from > maxNumberLength) refuseLongNumber(text, from, at);
    const code = text.charCodeAt(at);
    if (code === quote) {
      opened = false;
      at = afterString(text, at);
      continue;
    }
    // An empty object or list contains no value.
    if (isOpening(code) || code === comma) count++;
    else if (isClosing(code) && opened) count--;
    opened = isOpening(code);
    at++;
  }
  return count;
}

/** Throws 413 for a JSON text of too many values, or with a number that is too long. hot: most texts are too short for so many values, and not read. */
export function refuseManyValues(text: string): void {
  if (text.length > 2 * maxObjectValues && valuesIn(text, maxObjectValues) > maxObjectValues) throw tooManyValues();
}

/** Returns what is left of a budget after the values in `value`; negative if they exceed it. */
function countDown(value: unknown, left: number): number {
  if (--left < 0 || typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = countDown(value[i], left);
    return left;
  }
  for (const name in value) {
    left = countDown((value as Record<string, unknown>)[name], left);
    if (left < 0) break;
  }
  return left;
}

/** Reports whether a value consists of more than `max` values, of which it counts no more. */
export const hasMoreValues = (value: unknown, max: number): boolean => countDown(value, max) < 0;

/** Returns the number of values in an object. Throws 413 for too many. */
export function refuseLargeObject(object: unknown): number {
  const left = countDown(object, maxObjectValues);
  if (left < 0) throw tooManyValues();
  return maxObjectValues - left;
}

/** Counts the values of an object while it is decoded from another format than JSON. */
export class ValueBudget {
  #left = maxObjectValues;

  /** Counts one value. Throws 413 when there were too many. */
  take(): void {
    if (--this.#left < 0) throw tooManyValues();
  }

  /** Counts the values of a JSON text. Throws 413 when there were too many. */
  takeJson(text: string): void {
    this.#left -= valuesIn(text, this.#left);
    if (this.#left < 0) throw tooManyValues();
  }
}
