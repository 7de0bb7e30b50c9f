import type { Fault } from '../../../apimachinery/interface.js';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  internalFault,
  invalidValue,
  key,
  notFoundValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../../apimachinery/errors/faults.js';
import type { InSteps } from '../../../lib/time-slice.js';
import { ownValue } from '../../../lib/collections/own-value.js';
import { maxFaultCharacters } from '../../../apimachinery/errors/limits.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { typeAt, typeOfObject } from '../../../registry/strategy/same-value.js';

type Present<T> = NonNullable<T>;
type Element<T> = T extends readonly (infer E)[] ? E : never;
type MapValue<T> = T extends Readonly<Record<string, infer V>> ? V : never;

const none: readonly never[] = Object.freeze([]);

/** The remaining characters for the texts of a list of faults. */
const remainingCharacters = new WeakMap<Fault[], number>();

/** Thrown when the limit for the texts of faults is reached, so that rules stop early. */
class FaultLimitReached extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super('enough faults');
    this.faults = faults;
  }
}

/**
 * Returns the faults that were found when the rule ended with an error, if that is the limit. Throws any other error.
 * differs: upstream returns all faults, even if the answer is a hundred times as long as the request.
 */
function faultsAtLimit(error: unknown): Fault[] {
  if (error instanceof FaultLimitReached) return [...error.faults];
  throw error;
}

/**
 * A field of an object under validation: its value (null counts as unset), its path, and the list that collects its faults. A rule is a function that
 * takes a Field, descends with `at`, `items` and `entries`, and reports errors; the errors are in the order in which the rules run. The comment of a
 * rule states what must hold.
 */
export class Field<T> {
  readonly value: Present<T> | undefined;
  readonly faults: Fault[];
  /** The whole path; below another field only its last step: a name, an index in a list, or `[key]`. */
  readonly #step: string | number;
  readonly #above: Field<unknown> | undefined;

  /** `above`: the parent field, if `step` is relative to it. */
  constructor(value: T | null | undefined, step: string | number, faults: Fault[], above?: Field<unknown>) {
    this.value = value ?? undefined;
    this.faults = faults;
    this.#step = step;
    this.#above = above;
  }

  /** hot: computed on demand, since very few fields have faults */
  get path(): string {
    const step = this.#step;
    if (!this.#above) return String(step);
    const { path } = this.#above;
    if (typeof step === 'number') return index(path, step);
    return step.startsWith('[') ? path + step : child(path, step);
  }

  /** The type of the value, for a field of a native object; undefined below a replaced path. */
  get type(): Schema | undefined {
    const step = this.#step;
    if (!this.#above) return typeOfObject(this.value);
    const { type } = this.#above;
    if (typeof step === 'number') return type?.items;
    return step.startsWith('[') ? typeAt(type, '') : step.split('.').reduce(typeAt, type);
  }

  /** Whether there is a value. Empty strings, zeros and empty lists are values. */
  get isSet(): boolean {
    return this.value !== undefined;
  }

  /** Whether the value is unset, '', 0, false, or an empty list or map. */
  get isEmpty(): boolean {
    const value: unknown = this.value;
    if (typeof value !== 'object' || value === null) return !value;
    return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  }

  /** hot: once for every field of every object that is written. */
  at<K extends keyof Present<T> & string>(name: K): Field<Present<Present<T>[K]>> {
    return new Field(this.value?.[name] as Present<Present<T>[K]> | undefined, name, this.faults, this);
  }

  /** Returns the same value under another path, where upstream's paths differ from the JSON. */
  as(path: string): Field<T> {
    return new Field<T>(this.value, path, this.faults);
  }

  /** Returns another value at the same path. */
  holding<V>(value: V): Field<V> {
    return new Field<V>(value, this.#step, this.faults, this.#above);
  }

  /** Like `as`, below the parent `from`. */
  named(from: Field<unknown>, name: string): Field<T> {
    return new Field<T>(this.value, name, this.faults, from);
  }

  /** Returns the elements of a list. */
  items(): readonly Field<Element<Present<T>>>[] {
    const list = this.value as Element<Present<T>>[] | undefined;
    if (list === undefined) return none; // hot: most lists are unset
    return list.map((value, i) => new Field(value, i, this.faults, this));
  }

  /** Returns the entries of a map, sorted by key (upstream's order is random). */
  entries(): readonly (readonly [string, Field<MapValue<Present<T>>>])[] {
    const map = this.value as Record<string, MapValue<Present<T>>> | undefined;
    if (map === undefined) return none;
    return Object.keys(map)
      .sort()
      .map(name => [name, new Field(map[name], key('', name), this.faults, this)] as const);
  }

  /** Returns one entry of a map. */
  entry(name: string): Field<MapValue<Present<T>>> {
    const map = this.value as Record<string, MapValue<Present<T>>> | undefined;
    return new Field(ownValue(map, name), key('', name), this.faults, this);
  }

  add(...faults: readonly Fault[]): void {
    if (faults.length === 0) return;
    let remaining = remainingCharacters.get(this.faults) ?? maxFaultCharacters;
    for (const fault of faults) {
      this.faults.push(fault);
      remaining -= fault.path.length + fault.message.length;
    }
    remainingCharacters.set(this.faults, remaining);
    if (remaining < 0) throw new FaultLimitReached(this.faults);
  }

  required(detail = ''): void {
    this.add(required(this.path, detail));
  }

  /** `shown`: the value in the text; default: the value itself, null if unset. */
  invalid(detail: string, shown: unknown = this.value ?? null): void {
    this.add(invalidValue(this.path, shown, detail));
  }

  forbidden(detail: string): void {
    this.add(forbiddenField(this.path, detail));
  }

  /** Lists the supported values in the given order: upstream's sets are sorted, its slices are not. */
  notSupported(supported: readonly string[], shown: unknown = this.value ?? ''): void {
    this.add(notSupported(this.path, shown, supported));
  }

  duplicate(shown: unknown = this.value ?? ''): void {
    this.add(duplicate(this.path, shown));
  }

  notFound(shown: unknown = this.value ?? ''): void {
    this.add(notFoundValue(this.path, shown));
  }

  tooLong(bytes: number): void {
    this.add(tooLong(this.path, bytes));
  }

  tooMany(actual: number, max: number): void {
    this.add(tooMany(this.path, actual, max));
  }

  internal(detail: string): void {
    this.add(internalFault(this.path, detail));
  }

  /** Reports one fault per text that a check of strings returns; an unset value is ''. */
  check(this: Field<string>, texts: (value: string) => readonly string[]): void {
    for (const text of texts(this.value ?? '')) this.invalid(text, this.value ?? '');
  }

  /** Runs a rule; returns true if it found nothing. */
  passes(rule: () => void): boolean {
    const before = this.faults.length;
    rule();
    return this.faults.length === before;
  }
}

interface Annotated {
  readonly metadata: { readonly annotations?: Record<string, string> };
}

/** Returns the field of an object's annotations. */
export function annotationsOf(object: Field<Annotated>): Field<Record<string, string>> {
  return object.at('metadata').at('annotations');
}

/** Returns the faults that a rule finds in a whole object. */
export function faultsOf<T>(object: unknown, rule: (root: Field<T>) => void): Fault[] {
  const faults: Fault[] = [];
  try {
    rule(new Field<T>(object as T, '', faults));
    return faults;
  } catch (error) {
    return faultsAtLimit(error);
  }
}

/** As `faultsOf`, for a rule in steps. */
export function* faultsInSteps<T>(object: unknown, rule: (root: Field<T>) => InSteps<void>): InSteps<Fault[]> {
  const faults: Fault[] = [];
  try {
    yield* rule(new Field<T>(object as T, '', faults));
    return faults;
  } catch (error) {
    return faultsAtLimit(error);
  }
}
