/** Reads and writes the API's protobuf envelope: `k8s\0`, then a runtime.Unknown with the type and the message. */
import { nativeTypeName } from '../../../openapi/facts/native-schemas.js';
import { readApiVersion } from '../../../apimachinery/meta/gvk.js';
import {
  decodeInSteps,
  decodeMessage,
  encodeMessage,
  type MessageFrame,
  hasMessage,
  fieldNumberOf,
} from './message.js';
import type { ValueBudget } from '../../../apimachinery/meta/values.js';
import type { InSteps } from '../../../lib/time-slice.js';
import { WireError } from '../../../lib/protobuf/reader.js';
import { Writer } from '../../../lib/protobuf/writer.js';
import { BlockReader } from './block-reader.js';

type Plain = Record<string, unknown>;

const magic = Buffer.from('k8s\0');

/** Message types of kinds that no resource has. */
const answerTypes: Readonly<Record<string, string>> = {
  'meta.k8s.io PartialObjectMetadata': 'io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata',
  'meta.k8s.io PartialObjectMetadataList': 'io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadataList',
  'apidiscovery.k8s.io APIGroupDiscoveryList': 'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList',
};

function typeOf(apiVersion: string, kind: string): string | undefined {
  const groupVersion = readApiVersion(apiVersion);
  return groupVersion && (answerTypes[`${groupVersion.group} ${kind}`] ?? nativeTypeName({ ...groupVersion, kind }));
}

function putBlock(writer: Writer, number: number, put: () => void): void {
  const { mark } = writer;
  put();
  writer.varint(writer.mark - mark);
  writer.varint(number * 8 + 2);
}

/** Returns the bytes of the tag (of a field number below 16) and the length before a block of `length` bytes. */
export function blockHeadLength(length: number): number {
  let bytes = 2;
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

/** hot: writes the tag and the length of a block into a buffer. Returns the position after them. */
export function putBlockHead(into: Buffer, at: number, number: number, length: number): number {
  into[at++] = number * 8 + 2;
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) into[at++] = (rest % 0x80) | 0x80;
  into[at++] = rest;
  return at;
}

function blockHead(number: number, length: number): Buffer {
  const head = Buffer.alloc(blockHeadLength(length));
  putBlockHead(head, 0, number, length);
  return head;
}

/** The bytes before and after a message. */
interface Envelope {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** The fields contentEncoding and contentType, which are empty. */
const tail = Buffer.concat([blockHead(3, 0), blockHead(4, 0)]);

/** A kind that has a message type. */
interface Kind extends MessageFrame {
  readonly typeName: string;
  /** The envelope up to the tag of the message. */
  readonly front: Buffer;
}

/** Kinds that were used, by version and kind. Their number is bounded by that of the message types. */
const knownKinds = new Map<string, Map<string, Kind>>();

function frontOf(apiVersion: string, kind: string): Buffer {
  const writer = new Writer(Buffer.allocUnsafeSlow(apiVersion.length + kind.length + 32));
  putBlock(writer, 1, () => {
    putBlock(writer, 2, () => writer.text(kind));
    putBlock(writer, 1, () => writer.text(apiVersion));
  });
  writer.bytes(magic);
  return writer.finish();
}

/** hot: called once per object. */
function kindOf(apiVersion: string, kind: string): Kind {
  const found = knownKinds.get(apiVersion)?.get(kind);
  if (found) return found;
  const typeName = typeOf(apiVersion, kind);
  if (typeName === undefined) throw new WireError(`no protobuf message is known for ${apiVersion} ${kind}`);
  const front = frontOf(apiVersion, kind);
  const made: Kind = {
    typeName,
    front,
    before(writer, length) {
      writer.varint(length);
      writer.varint(2 * 8 + 2);
      writer.bytes(front);
    },
    after: tail,
  };
  knownKinds.set(apiVersion, (knownKinds.get(apiVersion) ?? new Map<string, Kind>()).set(kind, made));
  return made;
}

/** Returns the name of the message type of a kind. Throws WireError when there is none. */
export const messageTypeOf = (apiVersion: string, kind: string): string => kindOf(apiVersion, kind).typeName;

/** Returns the envelope for a message of `length` bytes. Throws WireError when the kind has no message type. */
export function envelopeOf(apiVersion: string, kind: string, length: number): Envelope {
  return { head: Buffer.concat([kindOf(apiVersion, kind).front, blockHead(2, length)]), tail };
}

/** Returns a message in its envelope. Throws WireError when the kind has no message type. */
export function enveloped(apiVersion: string, kind: string, message: Buffer): Buffer {
  const { head, tail } = envelopeOf(apiVersion, kind, message.length);
  return Buffer.concat([head, message, tail]);
}

/** Encodes an object or a list of a native kind, by its apiVersion and kind. Throws WireError when they have no message type. */
export function encodeProtobuf(object: Plain): Buffer {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const known = kindOf(apiVersion, kind);
  return encodeMessage(known.typeName, object, known);
}

/** Encodes a watch event: its length in four bytes, its type, and the object in its envelope. */
export function encodeWatchEvent(type: string, object: Buffer): Buffer {
  const writer = new Writer(Buffer.allocUnsafeSlow(object.length + 64));
  putBlock(writer, 2, () => putBlock(writer, 1, () => writer.bytes(object)));
  putBlock(writer, 1, () => writer.text(type));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(writer.mark);
  writer.bytes(length);
  return writer.finish();
}

interface Unknown {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

function readUnknown(bytes: Buffer): Unknown {
  if (bytes.compare(magic, 0, magic.length, 0, Math.min(magic.length, bytes.length)) !== 0)
    throw new WireError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  let apiVersion = '';
  let kind = '';
  let raw: Buffer = Buffer.alloc(0);
  const reader = new BlockReader(bytes, magic.length);
  while (!reader.done) {
    const tag = reader.varint();
    if (tag === 10) {
      const type = reader.block();
      while (!type.done) {
        const inner = type.varint();
        if (inner === 10) apiVersion = type.block().text();
        else if (inner === 18) kind = type.block().text();
        else type.skip(inner & 7);
      }
    } else if (tag === 18) raw = reader.block().bytes();
    else reader.skip(tag & 7);
  }
  return { apiVersion, kind, raw };
}

/**
 * Returns the object in a body in its JSON form, with its kind and apiVersion; the expected ones if the body has none. For a kind without a
 * message type, the object has no other fields. `values`: the budget of values for bodies of clients; objects of the store have none. Throws
 * WireError, and 413 beyond the budget.
 */
export function decodeProtobuf(
  bytes: Buffer,
  expected: { readonly apiVersion: string; readonly kind: string },
  values?: ValueBudget,
): Plain {
  const { typeName, raw, apiVersion, kind } = messageIn(bytes, expected);
  const object = typeName === undefined ? {} : decodeMessage(typeName, raw, values);
  return { ...object, apiVersion, kind };
}

/** As decodeProtobuf, in steps of less than a millisecond where the body is long. */
export function* protobufInSteps(
  bytes: Buffer,
  expected: { readonly apiVersion: string; readonly kind: string },
  values: ValueBudget,
): InSteps<Plain> {
  const { typeName, raw, apiVersion, kind } = messageIn(bytes, expected);
  const object = typeName === undefined ? {} : yield* decodeInSteps(typeName, raw, values);
  return { ...object, apiVersion, kind };
}

interface TypedMessage {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for a kind without a message type. */
  readonly typeName: string | undefined;
  readonly raw: Buffer;
}

/** Returns the message in a body, and its type. */
function messageIn(bytes: Buffer, expected: { readonly apiVersion: string; readonly kind: string }): TypedMessage {
  const unknown = readUnknown(bytes);
  const apiVersion = unknown.apiVersion || expected.apiVersion;
  const kind = unknown.kind || expected.kind;
  const typeName = typeOf(apiVersion, kind);
  const isKnown = typeName !== undefined && hasMessage(typeName);
  return { apiVersion, kind, typeName: isKnown ? typeName : undefined, raw: unknown.raw };
}

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
/** The field number of the object in its envelope, and that of `metadata` in all kinds that have it. */
const rawNumber = 2;
const metadataNumber = 1;

/** Reports whether the object's metadata has a field. hot: all other fields are skipped. Throws WireError. */
export function hasMetadata(bytes: Buffer, field: string): boolean {
  const fieldNumber = fieldNumberOf(objectMeta, field);
  const hasField = (metadata: BlockReader): boolean => some(metadata, fieldNumber, () => true);
  const isInObject = (object: BlockReader): boolean => some(object, metadataNumber, () => hasField(object.block()));
  const unknown = new BlockReader(bytes, magic.length);
  return some(unknown, rawNumber, () => isInObject(unknown.block()));
}

/** Reports whether `test` is true for one of the fields with the number. `test` is called with the reader before the value. */
function some(message: BlockReader, number: number, test: () => boolean): boolean {
  while (!message.done) {
    const tag = message.varint();
    if (tag >>> 3 !== number) message.skip(tag & 7);
    else if (test()) return true;
  }
  return false;
}
