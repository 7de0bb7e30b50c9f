/** How objects of a definition are written: the order of their fields, and what is left out. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import { jsonText } from '../../../lib/json/json.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { readJson } from '../../../apimachinery/codec/read-json.js';
import { containsRawExtension, preserveVerbatim } from '../../../apimachinery/codec/verbatim-json.js';
import type { ByteProbe } from '../../../client/interface.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import { storageApiVersion } from './api-versions.js';
import { refit, trim } from './refit.js';
import { sortedCopy } from './sorted-copy.js';
import type { Stored } from '../interface.js';
import { beyondOf } from './draft-text.js';
import type { Layout } from './interface.js';

/** An object as it is written; a copy. */
export function canonicalObject({ wire }: ResourceDefinition, schema: Schema, object: KubeObject): KubeObject {
  return wire.keys === 'sorted'
    ? (sortedCopy(object) as KubeObject)
    : canonical<KubeObject>(object, schema, { bare: wire.bareStore ?? false }).object;
}

/** A draft that nobody needs any more as it is written: it is made of the parts that are so already. `standing` is written so. */
function canonicalDraft(
  { wire }: ResourceDefinition,
  schema: Schema,
  draft: KubeObject,
  standing: KubeObject | undefined,
): KubeObject {
  const known = standing && sharedFields(draft, standing);
  const object =
    wire.keys === 'sorted'
      ? (sortedCopy(draft, { given: true, known }) as KubeObject)
      : canonical<KubeObject>(draft, schema, { given: true, known, bare: wire.bareStore ?? false }).object;
  return { ...object };
}

/** The spec of whoever writes a status, the status of whoever writes a spec: values that are the very same. */
function sharedFields(object: KubeObject, standing: KubeObject): readonly unknown[] | undefined {
  let shared: unknown[] | undefined;
  for (const field in object) {
    const value = object[field];
    if (typeof value === 'object' && value !== null && value === standing[field] && field !== 'metadata')
      (shared ??= []).push(value);
  }
  return shared;
}

/** Reads an object that stands in the store as protobuf: kube-apiserver writes native kinds so. */
type DecodeProtobuf = (
  bytes: Buffer,
  expected: { readonly apiVersion: string; readonly kind: string },
) => Record<string, unknown>;

/** Of objects that stand in the store as protobuf. */
export interface ReadProtobuf {
  readonly decode: DecodeProtobuf;
  /** Whether a field of its metadata is set. hot. Throws when they are none. */
  readonly hasMetadata: (bytes: Buffer, field: 'ownerReferences' | 'deletionTimestamp') => boolean;
}

/** Writes an object as protobuf, its kind included. */
export type EncodeProtobuf = (object: KubeObject) => Buffer;

export interface LayoutOptions {
  /** Freeze objects that are handed out (tests). */
  readonly freeze: boolean;
  /** For a store that kube-apiserver reads too: values are written as it writes them. Absent: all as JSON, in our own form. */
  readonly encodeProtobuf?: EncodeProtobuf;
  /** Absent: what is no JSON cannot be read. */
  readonly readProtobuf?: ReadProtobuf;
}

const newline = Buffer.from('\n');

/** As k8s.io/apimachinery/pkg/runtime/serializer/protobuf protoEncodingPrefix. */
const protobufMark = Buffer.from('k8s\0', 'latin1');

const isProtobuf = (bytes: Buffer): boolean => bytes.subarray(0, protobufMark.length).equals(protobufMark);

/** Texts stand in protobuf as they are. What others wrote in JSON may write the same in another way. */
const lookingInto =
  ({ hasMetadata }: ReadProtobuf) =>
  (bytes: Buffer, mark: ByteProbe): boolean => {
    if (!isProtobuf(bytes)) return true;
    if ('text' in mark) return bytes.includes(mark.text);
    try {
      return hasMetadata(bytes, mark.metadata);
    } catch {
      return true; // who reads it is told what is wrong with it
    }
  };

/** Of the definition that owns the storage. */
export function layoutOf(definition: ResourceDefinition, options: LayoutOptions): Layout {
  const { freeze, readProtobuf, encodeProtobuf } = options;
  const stored = definition.versions.find(v => v.name === definition.storageVersion);
  if (!stored) throw new Error(`${definition.plural} has no version ${definition.storageVersion}`);
  const { wire, kind } = definition;
  const apiVersion = storageApiVersion(definition);
  const parseText = (text: string): KubeObject => readJson(text, beyondOf(wire.keys)) as KubeObject;
  const spells = wire.keys === 'declared' && containsRawExtension(stored.schema);
  const read = (text: string): KubeObject => preserveVerbatim(parseText(text), text, stored.schema);
  const parse = (bytes: Buffer): KubeObject =>
    readProtobuf && isProtobuf(bytes)
      ? (readProtobuf.decode(bytes, { apiVersion, kind }) as unknown as KubeObject)
      : (spells ? read : parseText)(bytes.toString());
  return {
    apiVersion,
    kind,
    keys: wire.keys,
    itemsCarryType: wire.itemsCarryType,
    canonical: (object, standing) => canonicalDraft(definition, stored.schema, object, standing),
    ...(spells && { read }),
    parse,
    ...(readProtobuf && { mayHave: lookingInto(readProtobuf) }),
    normalize(written) {
      const object = definition.readStored?.(written) ?? written;
      return wire.keys === 'declared' ? object : normalized(definition, stored, object);
    },
    // Bytes are what is compared when an object is written: those of another version, or from before a schema knew a default, are others.
    // as apiserver/pkg/storage/etcd3 GuaranteedUpdate
    ...(wire.keys === 'sorted' &&
      !definition.readStored && {
        standing: (bytes: Buffer, { json }: Pick<Stored, 'json'>) =>
          (encodeProtobuf ? bytes.subarray(0, -newline.length) : bytes).equals(json) ? undefined : parse(bytes),
      }),
    ...(encodeProtobuf && { encode: sharedForm(definition, encodeProtobuf) }),
    freeze,
  };
}

/**
 * A stored object is what the schema of the version it was stored in makes of it, whatever is stored now; in place. Where somebody else
 * converts, or versions know different fields, it stays in that version until it is asked for in another.
 */
// as apiextensions-apiserver/pkg/apiserver crdConversionRESTOptionsGetter, schemaCoercingDecoder
function normalized(definition: ResourceDefinition, current: VersionDefinition, object: KubeObject): KubeObject {
  const { versions, convert, mixedStorage, group } = definition;
  // Very old ones have none.
  if (!object.metadata.generation) object.metadata.generation = 1;
  const own = versions.find(({ name }) => object.apiVersion === apiVersionOf({ group, version: name }));
  if (own) refit(object, own.schema);
  if (own === current || convert || (own && mixedStorage)) return object;
  // Without a conversion of its own a version is but a label.
  object.apiVersion = storageApiVersion(definition);
  // differs: upstream cannot read what is of no version of the definition any more.
  return own ? trim(object, current.schema) : refit(object, current.schema);
}

/** Returns the encoder of kube-apiserver's values: protobuf for the kinds that have it, JSON and a line's end for the others. */
function sharedForm(definition: ResourceDefinition, encodeProtobuf: EncodeProtobuf): NonNullable<Layout['encode']> {
  const { wire, writeStored } = definition;
  if (wire.bareStore === true && wire.protobuf) return ({ object }) => encodeProtobuf(withoutRevision(object));
  if (writeStored) return ({ object }) => Buffer.from(`${jsonText(writeStored(withoutRevision(object)))}\n`);
  return ({ json }) => Buffer.concat([json, newline]);
}

/** A draft has none; what was committed before, and is written as it is, has. */
function withoutRevision(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
