/** Codecs of single values between JSON and protobuf. */
import { isDeeperThan, maxDepth } from '../../../lib/json/depth.js';
import { formatDuration, readDuration } from '../../../lib/go/duration.js';
import { type Int64, int64Of, jsonText } from '../../../lib/json/json.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import { readJson } from '../../../apimachinery/codec/read-json.js';
import { readVerbatim } from '../../../apimachinery/codec/verbatim-json.js';
import { WireError } from '../../../lib/protobuf/reader.js';
import type { Writer } from '../../../lib/protobuf/writer.js';
import type { BlockReader } from './block-reader.js';

/** `write` writes the value without its tag, with a length before it if the wire type has one; `read` reads the same. */
export interface ValueCodec {
  readonly wire: 0 | 1 | 2;
  write(writer: Writer, value: unknown): void;
  read(reader: BlockReader): unknown;
  /** The value that Go writes for an unset field; undefined when it writes none. */
  readonly zero: unknown;
}

/** Returns the codec of a value with a length before it. */
export function block(
  zero: unknown,
  write: (writer: Writer, value: unknown) => void,
  read: (inside: BlockReader) => unknown,
): ValueCodec {
  return {
    wire: 2,
    zero,
    write(writer, value) {
      const { mark } = writer;
      write(writer, value);
      writer.varint(writer.mark - mark);
    },
    read: reader => read(reader.block()),
  };
}

const varint = (zero: unknown, toNumber: (value: unknown) => number, from: (value: number) => unknown): ValueCodec => ({
  wire: 0,
  zero,
  write: (writer, value) => writer.varint(toNumber(value)),
  read: reader => from(reader.varint()),
});

export const scalarValueCodecs: Readonly<Record<string, ValueCodec>> = {
  string: block(
    '',
    (writer, value) => writer.text(value as string),
    inside => inside.text(),
  ),
  bytes: block(
    undefined,
    (writer, value) => writer.bytes(Buffer.from(value as string, 'base64')),
    inside => inside.bytes().toString('base64'),
  ),
  bool: varint(false, Number, value => value !== 0),
  int32: varint(0, Number, value => value | 0),
  int64: {
    wire: 0,
    zero: 0,
    write: (writer, value) => writer.varint(value as Int64),
    read: reader => reader.int64(),
  },
  double: {
    wire: 1,
    zero: 0,
    write: (writer, value) => writer.double(value as number),
    read: reader => reader.double(),
  },
};

// --- scalars of JSON that are messages --------------------------------------------------------------------------

/** The number of fields in the message of a scalar that do not count as values. A message has more only if it repeats a field. */
const maxScalarFields = 4;

/** Returns the fields of a small message: values by field number. */
function fieldsOf(inside: BlockReader): Map<number, unknown> {
  const fields = new Map<number, unknown>();
  for (let count = 0; !inside.done; count++) {
    if (count >= maxScalarFields) inside.values?.take();
    const tag = inside.varint();
    const wire = tag & 7;
    if (wire === 0) fields.set(tag >>> 3, inside.int64());
    else if (wire === 2) fields.set(tag >>> 3, inside.block());
    else inside.skip(wire);
  }
  return fields;
}

const tag = (number: number, wire: number): number => number * 8 + wire;

function putText(writer: Writer, number: number, text: string): void {
  scalarValueCodecs['string']?.write(writer, text);
  writer.varint(tag(number, 2));
}

function putNumber(writer: Writer, number: number, value: Int64): void {
  writer.varint(value);
  writer.varint(tag(number, 0));
}

/** hot: caches the last time, since many objects have the same one, and one object has it several times. */
let lastText = '';
let lastSeconds = 0;

/** Returns the seconds since the epoch of a time without a fraction. */
function secondsOf(text: string): number {
  if (text !== lastText) {
    lastSeconds = Date.parse(text) / 1000;
    lastText = text;
  }
  return lastSeconds;
}

/** Returns the codec of times. A zero time is an empty message, and null in JSON. `digits`: those of the fraction of a second. */
const time = (digits: 0 | 6): ValueCodec =>
  block(
    null,
    (writer, value) => {
      if (value === null) return;
      const text = value as string;
      const isWhole = !text.includes('.');
      const fraction = isWhole ? '' : (/\.(\d+)/.exec(text)?.[1] ?? '');
      putNumber(writer, 2, digits === 0 ? 0 : Number(fraction.slice(0, 6).padEnd(9, '0')));
      putNumber(writer, 1, secondsOf(isWhole ? text : text.replace(/\.\d+/, '')));
    },
    inside => {
      if (inside.done) return null;
      const fields = fieldsOf(inside);
      const at = `${new Date(Number(fields.get(1) ?? 0) * 1000).toISOString().slice(0, 19)}`;
      const nanos = Number(fields.get(2) ?? 0);
      return digits === 0 ? `${at}Z` : `${at}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
    },
  );

const quantity = block(
  '0',
  (writer, value) => putText(writer, 1, String(value)),
  inside => (fieldsOf(inside).get(1) as BlockReader | undefined)?.text() ?? '0',
);

const intOrString = block(
  0,
  (writer, value) => {
    const isText = typeof value === 'string';
    putText(writer, 3, isText ? value : '');
    putNumber(writer, 2, isText ? 0 : (value as number));
    putNumber(writer, 1, isText ? 1 : 0);
  },
  inside => {
    const fields = fieldsOf(inside);
    if (fields.get(1) === 1) return (fields.get(3) as BlockReader | undefined)?.text() ?? '';
    return Number(fields.get(2) ?? 0) | 0;
  },
);

const duration = block(
  '0s',
  (writer, value) => {
    const nanoseconds = readDuration(value as string);
    putNumber(writer, 1, typeof nanoseconds === 'bigint' ? int64Of(nanoseconds) : 0);
  },
  inside => formatDuration(BigInt((fieldsOf(inside).get(1) ?? 0) as Int64)),
);

/**
 * Caches the text of each set of owned fields. hot: a manager that writes the same fields again keeps the same set object
 * (apimachinery/patch/ownership.ts), which never changes; its text is the longest part of most objects.
 */
const ownedTexts = new WeakMap<object, string>();

function ownedText(value: object): string {
  const known = ownedTexts.get(value);
  if (known !== undefined) return known;
  const text = jsonText(value);
  ownedTexts.set(value, text);
  return text;
}

/** Returns the codec of arbitrary JSON, which is a text in protobuf. */
const json = (textOf: (value: object) => string, read: (text: string) => unknown): ValueCodec =>
  block(
    null,
    (writer, value) => {
      if (value === null || value === undefined) return;
      const { mark } = writer;
      writer.text(typeof value === 'object' ? textOf(value) : jsonText(value));
      writer.varint(writer.mark - mark);
      writer.varint(tag(1, 2));
    },
    inside => {
      const bytes = fieldsOf(inside).get(1) as BlockReader | undefined;
      if (bytes === undefined) return null;
      const text = bytes.text();
      inside.values?.takeJson(text);
      return readEmbeddedJson(text, maxDepth - bytes.depth, read);
    },
  );

// differs: upstream accepts any bytes, and fails later when it writes them as JSON
function readEmbeddedJson(text: string, maxNesting: number, read: (text: string) => unknown): unknown {
  try {
    if (isDeeperThan(text, maxNesting)) {
      readJson(text); // Throws for a text that is not JSON.
      throw new WireError('exceeded max depth');
    }
    return read(text);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new WireError(`no JSON stands where JSON belongs: ${error.message}`);
  }
}

const exact = (text: string): unknown => readJson(text, 'exact');

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Codecs of special types, by type name. */
export const specials: Readonly<Record<string, ValueCodec>> = {
  [`${meta}.Time`]: time(0),
  [`${meta}.MicroTime`]: time(6),
  [`${meta}.Duration`]: duration,
  [`${meta}.FieldsV1`]: json(ownedText, exact),
  'io.k8s.apimachinery.pkg.api.resource.Quantity': quantity,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': intOrString,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': json(jsonText, readVerbatim),
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': json(jsonText, exact),
};
