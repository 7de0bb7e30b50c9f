/** The codec of structs: fields in the order of their declaration, each written or left out by its presence. */
import { jsonText } from '../../lib/json/json.js';
import { isMap } from '../../lib/json/is-map.js';
import { VerbatimObject } from '../../lib/json/verbatim-object.js';
import type { InSteps } from '../../lib/time-slice.js';
import { type LongWalk, type TypeCodec, fail, hasSteps, never, type Walk, zeroWalk } from './codec.js';
import { entriesBefore } from './collection-codecs.js';
import type { Schema } from './interface.js';
import { doubleCodec } from './scalar-codecs.js';

type Plain = Record<string, unknown>;
type CodecOf = (schema: Schema) => TypeCodec;

interface Field {
  readonly name: string;
  readonly codec: TypeCodec;
  readonly presence: 'pointer' | 'omitempty' | 'always' | 'nullable';
}

/** Returns the canonical value of a field that is not set; undefined if it is left out. */
function absent(field: Field): unknown {
  if (field.presence === 'always') return field.codec.zero();
  return field.presence === 'nullable' ? null : undefined;
}

/** Returns the canonical value of a field that is set; undefined if it is left out. */
function writtenOf(field: Field, value: unknown, walk: Walk): unknown {
  const { presence, codec } = field;
  const pointer = presence === 'pointer' || presence === 'nullable';
  if (value === null && pointer) return absent(field);
  if (walk.canonicalParts !== undefined && typeof value === 'object' && walk.canonicalParts.includes(value))
    return value;
  const written = codec.read(value, walk);
  if (presence === 'omitempty') return codec.empty(written, walk) ? undefined : written;
  return pointer && written === null ? absent(field) : written;
}

interface Fields {
  readonly all: readonly Field[];
  /** The indexes of fields in `all`, by name. */
  readonly indexes: ReadonlyMap<string, number>;
  /** The indexes of fields that are written even if they are not set. */
  readonly always: readonly number[];
  /** The names of fields that are floats. */
  readonly doubles: readonly string[];
}

const fieldOf = (name: string, schema: Schema, codec: TypeCodec): Field => ({
  name,
  codec,
  presence: schema.presence === 'always' && schema.nullable ? 'nullable' : (schema.presence ?? 'pointer'),
});

function fieldsOf(schema: Schema, codecOf: CodecOf): Fields {
  const all = Object.entries(schema.properties ?? {}).map(([name, inner]) => fieldOf(name, inner, codecOf(inner)));
  const always = all.flatMap(({ presence }, index) =>
    presence === 'always' || presence === 'nullable' ? [index] : [],
  );
  const doubles = all.flatMap(({ name, codec }) => (codec === doubleCodec ? [name] : []));
  return { all, indexes: new Map(all.map(({ name }, index) => [name, index])), always, doubles };
}

/** The fields of an object that were converted already, with their canonical values. */
interface Converted {
  readonly names: ReadonlySet<string>;
  readonly written: Plain;
}

/** Returns the fields before a key of an object that was converted in order up to that key. */
function convertedBefore(value: Plain, end: string, out: Plain | undefined): Converted {
  const names = new Set<string>();
  for (const key in value) {
    if (key === end) break;
    names.add(key);
  }
  return { names, written: out ?? value };
}

/**
 * Converts an object whose keys are not in the order of declaration, field by field. Nothing is converted twice: in types that contain
 * themselves that would double the time with each level.
 */
function readInAnyOrder(value: Plain, { all }: Fields, walk: Walk, converted: Converted): Plain {
  const out: Plain = {};
  let declared = 0;
  const read = (field: Field, inner: unknown): unknown =>
    converted.names.has(field.name) ? converted.written[field.name] : writtenOf(field, inner, walk);
  for (const field of all) {
    const inner = value[field.name];
    if (inner !== undefined) declared++;
    const written = inner === undefined ? absent(field) : read(field, inner);
    if (written !== undefined) out[field.name] = written;
  }
  if (!walk.unknown) for (const _ in value) if (declared-- === 0) walk.unknown = true;
  return out;
}

/** Converts an object by its keys, as long as they are in order, as in stored objects. hot: types have many more fields than objects. */
function readInOrder(value: Plain, fields: Fields, walk: Walk): Plain {
  const { all, indexes, always } = fields;
  let out: Plain | undefined = walk.shareCanonical ? undefined : {};
  let next = 0;
  let due = 0;
  for (const key in value) {
    const inner = value[key];
    const index = inner === undefined ? undefined : indexes.get(key);
    if (index === undefined) {
      walk.unknown = true;
      out ??= entriesBefore(value, key);
      continue;
    }
    if (index < next) return readInAnyOrder(value, fields, walk, convertedBefore(value, key, out));
    next = index + 1;
    if ((always[due] ?? index) < index) due = fill((out ??= entriesBefore(value, key)), fields, due, index);
    if (always[due] === index) due++;
    const written = writtenOf(all[index] as Field, inner, walk);
    if (out === undefined && written !== inner) out = entriesBefore(value, key);
    if (out !== undefined && written !== undefined) out[key] = written;
  }
  if (due < always.length) fill((out ??= entriesBefore(value)), fields, due, all.length);
  return out ?? value;
}

/** Adds the fields before the index `before` that are always written. Returns the position in `always` of the next one. */
function fill(out: Plain, { all, always }: Fields, from: number, before: number): number {
  let due = from;
  for (; due < always.length; due++) {
    const index = always[due] as number;
    if (index >= before) break;
    const field = all[index] as Field;
    const written = absent(field);
    if (written !== undefined) out[field.name] = written;
  }
  return due;
}

/** Returns an object whose floats -0 are encoded as `-0`, as by Go. */
function withSigns(object: Plain, doubles: readonly string[]): Plain | VerbatimObject {
  const isNegativeZero = (name: string): boolean => doubles.includes(name) && Object.is(object[name], -0);
  if (!doubles.some(isNegativeZero)) return object;
  const members = Object.entries(object).map(
    ([name, value]) => `${JSON.stringify(name)}:${isNegativeZero(name) ? '-0' : jsonText(value)}`,
  );
  return new VerbatimObject(object, `{${members.join()}}`);
}

/** Converts the large fields of an object in steps, and then the others. `omitempty` leaves out no value that is large. */
function* structSteps(value: Plain, fields: Fields, walk: LongWalk): InSteps<Plain> {
  const names = new Set<string>();
  const written: Plain = {};
  for (const { name, codec } of fields.all) {
    const inner = value[name];
    if (walk.canonicalParts?.includes(inner) === true || !hasSteps(codec, inner, walk)) continue;
    yield;
    written[name] = yield* codec.readSteps(inner as object, walk);
    names.add(name);
  }
  return readInAnyOrder(value, fields, walk, { names, written });
}

/** Returns the codec of a struct. The codecs of its fields are made at the first read, since a type may contain itself. */
export function structCodec(schema: Schema, codecOf: CodecOf): TypeCodec {
  let made: Fields | undefined;
  const fields = (): Fields => (made ??= fieldsOf(schema, codecOf));
  const signed = (out: Plain, { doubles }: Fields): Plain | VerbatimObject =>
    doubles.length === 0 ? out : withSigns(out, doubles);
  const read = (value: unknown, walk: Walk): unknown => {
    if (value !== null && !isMap(value)) return fail();
    return signed(readInOrder(value ?? {}, fields(), walk), fields());
  };
  function* readSteps(value: object, walk: LongWalk): InSteps<unknown> {
    if (!isMap(value)) return fail();
    return signed(yield* structSteps(value, fields(), walk), fields());
  }
  return { read, readSteps, zero: () => read(null, zeroWalk), empty: never };
}
