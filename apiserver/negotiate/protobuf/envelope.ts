/** Reads and writes the API's protobuf envelope: `k8s\0`, then a runtime.Unknown that says what is in it. */
import { nativeTypeName } from '../../../openapi/facts/load.js';
import { readApiVersion } from '../../../apimachinery/meta/gvk.js';
import { decodeMessage, encodeMessage, type Frame, hasMessage, numberOf } from './message.js';
import type { ValueBudget } from '../../../apimachinery/meta/values.js';
import { WireError } from '../../../lib/protobuf/reader.js';
import { Writer } from '../../../lib/protobuf/writer.js';
import { BlockReader } from './block-reader.js';

type Plain = Record<string, unknown>;

const magic = Buffer.from('k8s\0');

/** Kinds of answers that no resource has as its kind. */
const answers: Readonly<Record<string, string>> = {
  'meta.k8s.io PartialObjectMetadata': 'io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata',
  'meta.k8s.io PartialObjectMetadataList': 'io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadataList',
  'apidiscovery.k8s.io APIGroupDiscoveryList': 'io.k8s.api.apidiscovery.v2.APIGroupDiscoveryList',
};

function typeOf(apiVersion: string, kind: string): string | undefined {
  const groupVersion = readApiVersion(apiVersion);
  return groupVersion && (answers[`${groupVersion.group} ${kind}`] ?? nativeTypeName({ ...groupVersion, kind }));
}

function putBlock(writer: Writer, number: number, put: () => void): void {
  const { mark } = writer;
  put();
  writer.varint(writer.mark - mark);
  writer.varint(number * 8 + 2);
}

/** Bytes of what stands before a block of so many bytes, its tag (of a field below 16) and its length. */
export function blockHeadLength(length: number): number {
  let bytes = 2;
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

/** hot: writes that into a buffer; where it ends. */
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

/** What stands before a message of so many bytes, and after it. */
export interface Envelope {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** contentEncoding and contentType, which are empty. */
const tail = Buffer.concat([blockHead(3, 0), blockHead(4, 0)]);

/** A kind that has messages. */
interface Kind extends Frame {
  readonly typeName: string;
  /** Up to the head of the message. */
  readonly front: Buffer;
}

/** By version, then by kind: those that were asked for. There are only as many as there are messages. */
const known = new Map<string, Map<string, Kind>>();

function frontOf(apiVersion: string, kind: string): Buffer {
  const writer = new Writer(Buffer.allocUnsafeSlow(apiVersion.length + kind.length + 32));
  putBlock(writer, 1, () => {
    putBlock(writer, 2, () => writer.text(kind));
    putBlock(writer, 1, () => writer.text(apiVersion));
  });
  writer.bytes(magic);
  return writer.finish();
}

/** hot: once per object. */
function kindOf(apiVersion: string, kind: string): Kind {
  const found = known.get(apiVersion)?.get(kind);
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
  known.set(apiVersion, (known.get(apiVersion) ?? new Map<string, Kind>()).set(kind, made));
  return made;
}

/** The type whose message an object of the kind is. Throws WireError when it has none. */
export const messageTypeOf = (apiVersion: string, kind: string): string => kindOf(apiVersion, kind).typeName;

/** Throws WireError when the kind has no message. */
export function envelopeOf(apiVersion: string, kind: string, length: number): Envelope {
  return { head: Buffer.concat([kindOf(apiVersion, kind).front, blockHead(2, length)]), tail };
}

/** A message in its envelope. */
export function enveloped(apiVersion: string, kind: string, message: Buffer): Buffer {
  const { head, tail } = envelopeOf(apiVersion, kind, message.length);
  return Buffer.concat([head, message, tail]);
}

/** An object or a list of a native kind; what it says of its kind decides about its form. Throws WireError. */
export function encodeProtobuf(object: Plain): Buffer {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const known = kindOf(apiVersion, kind);
  return encodeMessage(known.typeName, object, known);
}

/** A watch event: its length in four bytes, the type, and the whole form of the object. */
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
 * Returns the object in a body, as JSON would have it, with what it says of its kind. A body that names no kind is one of the expected kind. For
 * a kind without a message the object is empty but for its kind. `values`: what a client may send; objects of the store are not counted.
 * Throws WireError, and 413 beyond the budget.
 */
export function decodeProtobuf(
  bytes: Buffer,
  expected: { readonly apiVersion: string; readonly kind: string },
  values?: ValueBudget,
): Plain {
  const unknown = readUnknown(bytes);
  const apiVersion = unknown.apiVersion || expected.apiVersion;
  const kind = unknown.kind || expected.kind;
  const typeName = typeOf(apiVersion, kind);
  const object = typeName !== undefined && hasMessage(typeName) ? decodeMessage(typeName, unknown.raw, values) : {};
  return { ...object, apiVersion, kind };
}

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
/** Of the object in its envelope, and of its metadata in every kind that has it. */
const rawNumber = 2;
const metadataNumber = 1;

/** Whether a field of the object's metadata is there. hot: all else is passed over. Throws WireError. */
export function hasMetadata(bytes: Buffer, field: string): boolean {
  const wanted = numberOf(objectMeta, field);
  const isThere = (metadata: BlockReader): boolean => some(metadata, wanted, () => true);
  const isInObject = (object: BlockReader): boolean => some(object, metadataNumber, () => isThere(object.block()));
  const unknown = new BlockReader(bytes, magic.length);
  return some(unknown, rawNumber, () => isInObject(unknown.block()));
}

/** Whether it is so of one of the fields of that number. `is` stands before the value. */
function some(message: BlockReader, number: number, is: () => boolean): boolean {
  while (!message.done) {
    const tag = message.varint();
    if (tag >>> 3 !== number) message.skip(tag & 7);
    else if (is()) return true;
  }
  return false;
}
