import type { Fault, FaultReason } from '../../../apimachinery/interface.js';
import {
  bareFault,
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
import { ownValue } from '../../../lib/collections/own-value.js';
import { maxFaultCharacters } from '../../../apimachinery/errors/limits.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { typeAt, typeOfObject } from '../../../registry/strategy/same-value.js';

type Present<T> = NonNullable<T>;
type Element<T> = T extends readonly (infer E)[] ? E : never;
type MapValue<T> = T extends Readonly<Record<string, infer V>> ? V : never;

const none: readonly never[] = Object.freeze([]);

/** What a list of faults has left of the room for their texts. */
const rooms = new WeakMap<Fault[], number>();

/** There are more faults than anybody reads: rules need not go on. */
class Enough extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super('enough faults');
    this.faults = faults;
  }
}

/**
 * What rules find, while there is room for it.
 * differs: upstream tells all of them, be the answer a hundred times as long as the request.
 */
function upToEnough(judge: () => readonly Fault[]): readonly Fault[] {
  try {
    return judge();
  } catch (error) {
    if (error instanceof Enough) return error.faults;
    throw error;
  }
}

/**
 * A place in an object that is being judged: its value (null counts as absent), its path, and the list that takes its faults. Rules
 * take a Field, go down with `at`, `items` and `entries`, and say what is wrong; what they say stands in the order in which they run.
 */
export class Field<T> {
  readonly value: Present<T> | undefined;
  readonly faults: Fault[];
  /** The whole path; below another field the last step of it: a name, the place in a list, `[key]`. */
  readonly #step: string | number;
  readonly #above: Field<unknown> | undefined;

  /** `above`: the field that this is the next step of. */
  constructor(value: T | null | undefined, step: string | number, faults: Fault[], above?: Field<unknown>) {
    this.value = value ?? undefined;
    this.faults = faults;
    this.#step = step;
    this.#above = above;
  }

  /** hot: nearly nobody asks, since nearly no field has a fault. */
  get path(): string {
    const step = this.#step;
    if (!this.#above) return String(step);
    const { path } = this.#above;
    if (typeof step === 'number') return index(path, step);
    return step.startsWith('[') ? path + step : child(path, step);
  }

  /** The type of what stands there, of a place in a native object; undefined below another path. */
  get type(): Schema | undefined {
    const step = this.#step;
    if (!this.#above) return typeOfObject(this.value);
    const { type } = this.#above;
    if (typeof step === 'number') return type?.items;
    return step.startsWith('[') ? typeAt(type, '') : step.split('.').reduce(typeAt, type);
  }

  /** Is there a value? Empty strings, zeros and empty lists are values. */
  get isSet(): boolean {
    return this.value !== undefined;
  }

  /** Nothing, '', 0, false, an empty list or map. */
  get isEmpty(): boolean {
    const value: unknown = this.value;
    if (typeof value !== 'object' || value === null) return !value;
    return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  }

  /** hot: once for every field of every object that is written. */
  at<K extends keyof Present<T> & string>(name: K): Field<Present<Present<T>[K]>> {
    return new Field(this.value?.[name] as Present<Present<T>[K]> | undefined, name, this.faults, this);
  }

  /** The same value under another name, where upstream's paths are not those of the JSON. */
  as(path: string): Field<T> {
    return new Field<T>(this.value, path, this.faults);
  }

  /** Another value at the same place. */
  holding<V>(value: V): Field<V> {
    return new Field<V>(value, this.#step, this.faults, this.#above);
  }

  /** As `as`, below the parent `from`. */
  named(from: Field<unknown>, name: string): Field<T> {
    return new Field<T>(this.value, name, this.faults, from);
  }

  /** The elements of a list. */
  items(): readonly Field<Element<Present<T>>>[] {
    const list = this.value as Element<Present<T>>[] | undefined;
    if (list === undefined) return none; // hot: most lists are not there
    return list.map((value, i) => new Field(value, i, this.faults, this));
  }

  /** The entries of a map, sorted by key (upstream's order is random). */
  entries(): readonly (readonly [string, Field<MapValue<Present<T>>>])[] {
    const map = this.value as Record<string, MapValue<Present<T>>> | undefined;
    if (map === undefined) return none;
    return Object.keys(map)
      .sort()
      .map(name => [name, new Field(map[name], key('', name), this.faults, this)] as const);
  }

  /** One entry of a map. */
  entry(name: string): Field<MapValue<Present<T>>> {
    const map = this.value as Record<string, MapValue<Present<T>>> | undefined;
    return new Field(ownValue(map, name), key('', name), this.faults, this);
  }

  add(...faults: readonly Fault[]): void {
    if (faults.length === 0) return;
    let room = rooms.get(this.faults) ?? maxFaultCharacters;
    for (const fault of faults) {
      this.faults.push(fault);
      room -= fault.path.length + fault.message.length;
    }
    rooms.set(this.faults, room);
    if (room < 0) throw new Enough(this.faults);
  }

  required(detail = ''): void {
    this.add(required(this.path, detail));
  }

  /** `shown`: what stands in the text; the value itself unless given, null when there is none. */
  invalid(detail: string, shown: unknown = this.value ?? null): void {
    this.add(invalidValue(this.path, shown, detail));
  }

  forbidden(detail: string): void {
    this.add(forbiddenField(this.path, detail));
  }

  /** In the order given: upstream's sets are sorted, its slices are not. */
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

  tooMany(actual: number, most: number): void {
    this.add(tooMany(this.path, actual, most));
  }

  internal(detail: string): void {
    this.add(internalFault(this.path, detail));
  }

  /** For faults whose text shows no value. */
  bare(reason: FaultReason, detail: string): void {
    this.add(bareFault(reason, this.path, detail));
  }

  /** One fault per text that a check of strings finds; an absent value is ''. */
  check(this: Field<string>, texts: (value: string) => readonly string[]): void {
    for (const text of texts(this.value ?? '')) this.invalid(text, this.value ?? '');
  }

  /** Runs a rule; true when it found nothing. */
  passes(rule: () => void): boolean {
    const before = this.faults.length;
    rule();
    return this.faults.length === before;
  }
}

interface Annotated {
  readonly metadata: { readonly annotations?: Record<string, string> };
}

export function annotationsOf(object: Field<Annotated>): Field<Record<string, string>> {
  return object.at('metadata').at('annotations');
}

/** The faults of an object by a rule over the whole of it. */
export function faultsOf<T>(object: unknown, rule: (root: Field<T>) => void): Fault[] {
  const faults: Fault[] = [];
  return [
    ...upToEnough(() => {
      rule(new Field<T>(object as T, '', faults));
      return faults;
    }),
  ];
}
