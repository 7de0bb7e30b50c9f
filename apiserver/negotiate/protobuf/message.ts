/** Encodes and decodes messages of native types: a codec per type, built from the facts about its fields at the first use. */
import { setKey } from '../../../lib/json/clone.js';
import { nativeSchema, nativeTypeNames } from '../../../openapi/facts/native-schemas.js';
import { type ProtobufField, protobufFields } from '../../../openapi/facts/protobuf.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { block, scalarValueCodecs, specials, type ValueCodec } from './value.js';
import type { ValueBudget } from '../../../apimachinery/meta/values.js';
import { WireError } from '../../../lib/protobuf/reader.js';
import { Writer } from '../../../lib/protobuf/writer.js';
import { BlockReader } from './block-reader.js';
import { isMap } from '../../../lib/json/is-map.js';
import { compareTexts } from '../../../lib/collections/compare-texts.js';
import { sortInSteps } from '../../../lib/collections/sort-in-steps.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';

type Plain = Record<string, unknown>;

interface Field {
  readonly number: number;
  write(writer: Writer, object: Plain): void;
  /** As `write`, in steps, for a value with many parts; absent for other values. */
  writeInSteps?(writer: Writer, object: Plain): InSteps<void>;
  read(reader: BlockReader, object: Plain): void;
  /** Reads a message that may be long as `read` does; absent for other values. */
  readInSteps?(reader: BlockReader, object: Plain, strides: Strides): InSteps<void>;
}

interface Message {
  /** Sorted by number, the highest first, since the writer works backwards. */
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
}

const messages = new Map<string, Message>();
let typeNames: ReadonlySet<string> | undefined;

const isNative = (typeName: string): boolean => (typeNames ??= new Set(nativeTypeNames())).has(typeName);

function writeMessage(writer: Writer, object: Plain, { fields }: Message): void {
  for (const field of fields) field.write(writer, object);
}

/** As `writeMessage`, in steps, for large messages. */
function* writeMessageInSteps(writer: Writer, object: Plain, { fields }: Message): InSteps<void> {
  for (const field of fields) {
    if (field.writeInSteps) yield* field.writeInSteps(writer, object);
    else field.write(writer, object);
  }
}

function readMessage(reader: BlockReader, object: Plain, { byNumber }: Message): Plain {
  while (!reader.done) {
    const tag = reader.varint();
    const field = byNumber.get(tag >>> 3);
    reader.values?.take();
    if (field) field.read(reader, object);
    else reader.skip(tag & 7);
  }
  return object;
}

/** Messages of so many bytes are read in steps: reading less takes about a millisecond. */
const longBytes = 64 * 1024;
/** Messages that are nested deeper are one step: resuming a step takes time for each message around it. */
const maxStepDepth = 8;

function* messageInSteps(reader: BlockReader, object: Plain, message: Message, strides: Strides): InSteps<Plain> {
  if (reader.length < longBytes || reader.depth > maxStepDepth) return readMessage(reader, object, message);
  while (!reader.done) {
    const tag = reader.varint();
    const field = message.byNumber.get(tag >>> 3);
    reader.values?.take();
    if (!field) reader.skip(tag & 7);
    else if (field.readInSteps) yield* field.readInSteps(reader, object, strides);
    else field.read(reader, object);
    if (strides.isOver) yield;
  }
  return object;
}

/** Items of a list, or entries of a map, that are written in one step. */
const partsPerStep = 4;
/** Messages in longer lists and maps are written at once: few of them can be large. */
const maxLargeParts = 32;

/** Returns the codec of a type that is a schema or a simpler value in JSON (`JSONSchemaPropsOrBool`). */
function schemaOr(typeName: string): ValueCodec {
  const fields = (): readonly ProtobufField[] => protobufFields(typeName) ?? [];
  const other = fields().find(({ name }) => name !== 'schema');
  const schemaField = fields().find(({ name }) => name === 'schema');
  const whole = messageValue(typeName);
  return {
    ...whole,
    write: (writer, value) => {
      const allows = other?.name === 'allows' && isMap(value) ? { allows: true } : {};
      whole.write(writer, isMap(value) ? { ...allows, schema: value } : { [other?.name ?? '']: value });
    },
    read: reader => {
      const object = whole.read(reader) as Plain;
      return object[schemaField?.name ?? ''] ?? object[other?.name ?? ''] ?? (other?.shape === 'list' ? [] : false);
    },
  };
}

/** Reports whether the type is a list in JSON and a message in protobuf (`ExtraValue`). */
function isList(typeName: string): boolean {
  const fields = protobufFields(typeName) ?? [];
  return !isNative(typeName) && fields.length === 1 && fields[0]?.name === 'items';
}

function listMessage(typeName: string): ValueCodec {
  const whole = messageValue(typeName);
  return {
    ...whole,
    write: (writer, value) => whole.write(writer, { items: value }),
    read: reader => (whole.read(reader) as Plain)['items'] ?? [],
  };
}

function messageValue(typeName: string): ValueCodec {
  return block(
    {},
    (writer, value) => writeMessage(writer, value as Plain, messageOf(typeName)),
    inside => readMessage(inside, {}, messageOf(typeName)),
  );
}

const values = new Map<string, ValueCodec>();

/** Reports whether values of the type are messages with the same fields in JSON. */
const isPlainMessage = (type: string): boolean =>
  !scalarValueCodecs[type] && !specials[type] && !nameOf(type).startsWith('JSONSchemaPropsOr') && !isList(type);

const nameOf = (type: string): string => type.slice(type.lastIndexOf('.') + 1);

function valueOf(type: string): ValueCodec {
  let value = scalarValueCodecs[type] ?? specials[type] ?? values.get(type);
  if (!value) {
    value = nameOf(type).startsWith('JSONSchemaPropsOr')
      ? schemaOr(type)
      : isList(type)
        ? listMessage(type)
        : messageValue(type);
    values.set(type, value);
  }
  return value;
}

const keyOf = (number: number, wire: number): number => number * 8 + wire;

function oneField({ number, name = '', type }: ProtobufField, schema: Schema | undefined): Field {
  const value = valueOf(type);
  const tag = keyOf(number, value.wire);
  const unset = schema?.presence === 'pointer' ? undefined : value.zero;
  return {
    number,
    write(writer, object) {
      const given = object[name] ?? unset;
      if (given === undefined) return;
      value.write(writer, given);
      writer.varint(tag);
    },
    read: (reader, object) => {
      object[name] = value.read(reader);
    },
    ...(isPlainMessage(type) && {
      *writeInSteps(writer: Writer, object: Plain) {
        const given = object[name] ?? unset;
        if (given === undefined) return;
        const { mark } = writer;
        yield* writeMessageInSteps(writer, given as Plain, messageOf(type));
        writer.varint(writer.mark - mark);
        writer.varint(tag);
      },
      *readInSteps(reader: BlockReader, object: Plain, strides: Strides) {
        object[name] = yield* messageInSteps(reader.block(), {}, messageOf(type), strides);
      },
    }),
  };
}

/** Returns the field of an inlined message: in JSON, its fields belong to the outer object and its schema. */
function inlineField({ number, type }: ProtobufField, outer: Schema | undefined): Field {
  const message = compile(type, outer);
  return {
    number,
    write(writer, object) {
      const { mark } = writer;
      writeMessage(writer, object, message);
      writer.varint(writer.mark - mark);
      writer.varint(keyOf(number, 2));
    },
    read: (reader, object) => void readMessage(reader.block(), object, message),
    *readInSteps(reader, object, strides) {
      yield* messageInSteps(reader.block(), object, message, strides);
    },
  };
}

/** Returns a function that writes an item of a list, or the value of a map, in steps if it may be large. `count`: the number of items or entries. */
function partWriter(type: string): (writer: Writer, part: unknown, count: number) => InSteps<void> {
  const value = valueOf(type);
  const isPlain = isPlainMessage(type);
  return function* (writer, part, count) {
    if (!isPlain || count > maxLargeParts) return value.write(writer, part);
    const { mark } = writer;
    yield* writeMessageInSteps(writer, part as Plain, messageOf(type));
    writer.varint(writer.mark - mark);
  };
}

function listField({ number, name = '', type }: ProtobufField): Field {
  const value = valueOf(type);
  const tag = keyOf(number, value.wire);
  const isPlain = isPlainMessage(type);
  const writePart = partWriter(type);
  return {
    number,
    write(writer, object) {
      const list = (object[name] ?? []) as readonly unknown[];
      for (let i = list.length - 1; i >= 0; i--) {
        value.write(writer, list[i] ?? value.zero);
        writer.varint(tag);
      }
    },
    *writeInSteps(writer, object) {
      const list = (object[name] ?? []) as readonly unknown[];
      const strides = new Strides(partsPerStep);
      for (let i = list.length - 1; i >= 0; i--) {
        yield* writePart(writer, list[i] ?? value.zero, list.length);
        writer.varint(tag);
        if (strides.isOver) yield;
      }
    },
    read: (reader, object) => {
      const list = (object[name] ??= []) as unknown[];
      list.push(value.read(reader));
    },
    ...(isPlain && {
      *readInSteps(reader: BlockReader, object: Plain, strides: Strides) {
        const list = (object[name] ??= []) as unknown[];
        list.push(yield* messageInSteps(reader.block(), {}, messageOf(type), strides));
      },
    }),
  };
}

/** Returns a map field: entries are messages of key and value, sorted by key. */
function mapField({ number, name = '', type }: ProtobufField): Field {
  const value = valueOf(type);
  const text = valueOf('string');
  const writePart = partWriter(type);
  const readEntry = (entry: BlockReader): [string, unknown] => {
    let key = '';
    let found = value.zero;
    while (!entry.done) {
      const tag = entry.varint();
      if (tag >>> 3 === 1) key = text.read(entry) as string;
      else if (tag >>> 3 === 2) found = value.read(entry);
      else entry.skip(tag & 7);
    }
    return [key, found ?? ''];
  };
  /** Writes what comes before the value of an entry, which began at the mark. */
  const beginEntry = (writer: Writer, key: string, mark: number): void => {
    writer.varint(keyOf(2, value.wire));
    text.write(writer, key);
    writer.varint(keyOf(1, 2));
    writer.varint(writer.mark - mark);
    writer.varint(keyOf(number, 2));
  };
  return {
    number,
    write(writer, object) {
      const map = (object[name] ?? {}) as Plain;
      const keys = Object.keys(map);
      if (keys.length > 1) keys.sort();
      for (let i = keys.length - 1; i >= 0; i--) {
        const key = keys[i] ?? '';
        const { mark } = writer;
        value.write(writer, map[key] ?? value.zero ?? '');
        beginEntry(writer, key, mark);
      }
    },
    *writeInSteps(writer, object) {
      const map = (object[name] ?? {}) as Plain;
      const keys = yield* sortInSteps(Object.keys(map), compareTexts);
      const strides = new Strides(partsPerStep);
      for (let i = keys.length - 1; i >= 0; i--) {
        const key = keys[i] ?? '';
        const { mark } = writer;
        yield* writePart(writer, map[key] ?? value.zero ?? '', keys.length);
        beginEntry(writer, key, mark);
        if (strides.isOver) yield;
      }
    },
    read: (reader, object) => {
      const map = (object[name] ??= {}) as Plain;
      const [key, found] = readEntry(reader.block());
      setKey(map, key, found);
    },
  };
}

function fieldOf(field: ProtobufField, schema: Schema | undefined): Field {
  if (field.name === undefined) return inlineField(field, schema);
  if (field.shape === 'list') return listField(field);
  return field.shape === 'map' ? mapField(field) : oneField(field, schema?.properties?.[field.name]);
}

function compile(typeName: string, schema: Schema | undefined): Message {
  const rows = protobufFields(typeName);
  if (!rows) throw new WireError(`no protobuf message is known for ${typeName}`);
  const fields = rows.map(row => fieldOf(row, schema)).sort((a, b) => b.number - a.number);
  return { fields, byNumber: new Map(fields.map(field => [field.number, field])) };
}

function messageOf(typeName: string): Message {
  let message = messages.get(typeName);
  if (!message) {
    message = compile(typeName, isNative(typeName) ? nativeSchema(typeName) : undefined);
    messages.set(typeName, message);
  }
  return message;
}

/** Returns the number of a field of a message. Throws Error when the message has no such field. */
export function fieldNumberOf(typeName: string, name: string): number {
  const field = protobufFields(typeName)?.find(field => field.name === name);
  if (!field) throw new Error(`${typeName} has no field ${name}`);
  return field.number;
}

/** Reports whether there is a protobuf form of a Go type, such as `k8s.io.api.core.v1.Pod`. Custom resources have none. */
export const hasMessage = (typeName: string): boolean => protobufFields(typeName) !== undefined;

const scratchBytes = 64 * 1024;
/** hot: messages are written here one after the other, and then copied into buffers of their size. */
let scratch = new Writer(Buffer.allocUnsafeSlow(scratchBytes));

/** Writes the bytes before and after a message; `length` is that of the message. */
export interface MessageFrame {
  before(writer: Writer, length: number): void;
  readonly after: Buffer;
}

/** Encodes a JSON object of a native type as a message. */
export function encodeMessage(typeName: string, object: Plain, frame?: MessageFrame): Buffer {
  const writer = scratch;
  writer.clear();
  if (frame) writer.bytes(frame.after);
  const { mark } = writer;
  writeMessage(writer, object, messageOf(typeName));
  frame?.before(writer, writer.mark - mark);
  const made = writer.finish();
  const copy = Buffer.allocUnsafeSlow(made.length);
  made.copy(copy);
  if (made.length > scratchBytes) scratch = new Writer(Buffer.allocUnsafeSlow(scratchBytes));
  return copy;
}

/** As `encodeMessage`, in steps, for objects that may be large. The first step does nothing: other work may have used up this turn. */
export function* encodeMessageInSteps(typeName: string, object: Plain): InSteps<Buffer> {
  if ((yield) === true) return encodeMessage(typeName, object);
  const writer = new Writer(Buffer.allocUnsafeSlow(scratchBytes));
  yield* writeMessageInSteps(writer, object, messageOf(typeName));
  return Buffer.from(writer.finish());
}

/** Returns a message in its JSON form, with the fields that have zero values. Throws WireError, and 413 beyond the budget. */
export function decodeMessage(typeName: string, bytes: Buffer, values?: ValueBudget): Plain {
  return readMessage(new BlockReader(bytes, 0, bytes.length, 0, values), {}, messageOf(typeName));
}

/** As decodeMessage, in steps of less than a millisecond where the message is long. */
export function decodeInSteps(typeName: string, bytes: Buffer, values?: ValueBudget): InSteps<Plain> {
  const reader = new BlockReader(bytes, 0, bytes.length, 0, values);
  return messageInSteps(reader, {}, messageOf(typeName), new Strides());
}
