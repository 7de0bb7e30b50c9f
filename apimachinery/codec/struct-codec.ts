/** The codec of objects with fields: in the order of their declaration, each written or left out by its presence. */
import { jsonText } from '../../lib/json/json.js';
import { isMap } from '../../lib/json/is-map.js';
import { Written } from '../../lib/json/written.js';
import { type Codec, fail, never, type Walk, zeroWalk } from './codec.js';
import { entriesBefore } from './collection-codecs.js';
import type { Schema } from './interface.js';
import { double } from './scalar-codecs.js';

type Plain = Record<string, unknown>;
type CodecOf = (schema: Schema) => Codec;

interface Field {
  readonly name: string;
  readonly codec: Codec;
  readonly presence: 'pointer' | 'omitempty' | 'always' | 'nullable';
}

function absent(field: Field): unknown {
  if (field.presence === 'always') return field.codec.zero();
  return field.presence === 'nullable' ? null : undefined;
}

/** What is written where something was said; undefined for nothing. */
function writtenOf(field: Field, given: unknown, walk: Walk): unknown {
  const { presence, codec } = field;
  const pointer = presence === 'pointer' || presence === 'nullable';
  if (given === null && pointer) return absent(field);
  if (walk.known !== undefined && typeof given === 'object' && walk.known.includes(given)) return given;
  const written = codec.read(given, walk);
  if (presence === 'omitempty') return codec.empty(written, walk) ? undefined : written;
  return pointer && written === null ? absent(field) : written;
}

interface Fields {
  readonly all: readonly Field[];
  readonly places: ReadonlyMap<string, number>;
  /** Places of those that are written although nothing was said. */
  readonly always: readonly number[];
  /** Names of those that are floats. */
  readonly doubles: readonly string[];
}

const fieldOf = (name: string, schema: Schema, codec: Codec): Field => ({
  name,
  codec,
  presence: schema.presence === 'always' && schema.nullable ? 'nullable' : (schema.presence ?? 'pointer'),
});

function fieldsOf(schema: Schema, codecOf: CodecOf): Fields {
  const all = Object.entries(schema.properties ?? {}).map(([name, inner]) => fieldOf(name, inner, codecOf(inner)));
  const always = all.flatMap(({ presence }, place) =>
    presence === 'always' || presence === 'nullable' ? [place] : [],
  );
  const doubles = all.flatMap(({ name, codec }) => (codec === double ? [name] : []));
  return { all, places: new Map(all.map(({ name }, place) => [name, place])), always, doubles };
}

/** The fields of an object that were read already, and what is written of them. */
interface Begun {
  readonly names: ReadonlySet<string>;
  readonly written: Plain;
}

/** What stands before a key of the object, which was read in order up to there. */
function begunBefore(value: Plain, end: string, out: Plain | undefined): Begun {
  const names = new Set<string>();
  for (const key in value) {
    if (key === end) break;
    names.add(key);
  }
  return { names, written: out ?? value };
}

/**
 * Field by field: what comes in another order than that of its declaration. Nothing is read twice, which in types that contain themselves would
 * take twice as long with each level.
 */
function readInAnyOrder(value: Plain, { all }: Fields, walk: Walk, begun: Begun): Plain {
  const out: Plain = {};
  let met = 0;
  const read = (field: Field, given: unknown): unknown =>
    begun.names.has(field.name) ? begun.written[field.name] : writtenOf(field, given, walk);
  for (const field of all) {
    const given = value[field.name];
    if (given !== undefined) met++;
    const written = given === undefined ? absent(field) : read(field, given);
    if (written !== undefined) out[field.name] = written;
  }
  if (!walk.unknown) for (const _ in value) if (met-- === 0) walk.unknown = true;
  return out;
}

/** hot: what has its fields in order, as we wrote it, is read by its own keys; types have many more fields than objects. */
function readInOrder(value: Plain, fields: Fields, walk: Walk): Plain {
  const { all, places, always } = fields;
  let out: Plain | undefined = walk.given ? undefined : {};
  let next = 0;
  let due = 0;
  for (const key in value) {
    const given = value[key];
    const place = given === undefined ? undefined : places.get(key);
    if (place === undefined) {
      walk.unknown = true;
      out ??= entriesBefore(value, key);
      continue;
    }
    if (place < next) return readInAnyOrder(value, fields, walk, begunBefore(value, key, out));
    next = place + 1;
    if ((always[due] ?? place) < place) due = fill((out ??= entriesBefore(value, key)), fields, due, place);
    if (always[due] === place) due++;
    const written = writtenOf(all[place] as Field, given, walk);
    if (out === undefined && written !== given) out = entriesBefore(value, key);
    if (out !== undefined && written !== undefined) out[key] = written;
  }
  if (due < always.length) fill((out ??= entriesBefore(value)), fields, due, all.length);
  return out ?? value;
}

/** Writes the fields before a place that are always written; says which of these is the next. */
function fill(out: Plain, { all, always }: Fields, from: number, before: number): number {
  let due = from;
  for (; due < always.length; due++) {
    const place = always[due] as number;
    if (place >= before) break;
    const field = all[place] as Field;
    const written = absent(field);
    if (written !== undefined) out[field.name] = written;
  }
  return due;
}

/** Go writes a float that is -0 as it is. */
function signed(object: Plain, doubles: readonly string[]): Plain {
  const isNegativeZero = (name: string): boolean => doubles.includes(name) && Object.is(object[name], -0);
  if (!doubles.some(isNegativeZero)) return object;
  const members = Object.entries(object).map(
    ([name, value]) => `${JSON.stringify(name)}:${isNegativeZero(name) ? '-0' : jsonText(value)}`,
  );
  return new Written(object, `{${members.join()}}`) as unknown as Plain;
}

/** Its fields are looked at when it is first read: a type may contain itself. */
export function struct(schema: Schema, codecOf: CodecOf): Codec {
  let made: Fields | undefined;
  const read = (value: unknown, walk: Walk): unknown => {
    if (value !== null && !isMap(value)) return fail();
    made ??= fieldsOf(schema, codecOf);
    const out = readInOrder(value ?? {}, made, walk);
    return made.doubles.length === 0 ? out : signed(out, made.doubles);
  };
  return { read, zero: () => read(null, zeroWalk), empty: never };
}
