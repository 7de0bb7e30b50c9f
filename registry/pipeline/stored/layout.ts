/** The stored form of the objects of a definition: the order of their fields, and the fields that are left out. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import { jsonText } from '../../../lib/json/json.js';
import { exactSteps } from '../../../lib/json/parse-steps.js';
import { canonicalInSteps } from '../../../apimachinery/codec/canonical.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { readJson } from '../../../apimachinery/codec/read-json.js';
import { containsRawExtension, preserveVerbatim } from '../../../apimachinery/codec/verbatim-json.js';
import type { ByteProbe } from '../../../client/interface.js';
import { hasDefaults } from '../../../openapi/schema/default.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import { storageApiVersion } from './api-versions.js';
import { pruneAndDefault, pruneAndDefaultSteps, pruneObject, pruneObjectSteps } from './prune-object.js';
import { sortedCopySteps } from './sorted-copy.js';
import type { Stored } from '../interface.js';
import { probeTextOf } from './probe-text.js';
import { beyondOf } from './draft-text.js';
import type { Layout } from './interface.js';

/** Returns a copy of an object in its stored form, in steps, for large objects. */
export function* canonicalSteps({ wire }: ResourceDefinition, schema: Schema, object: KubeObject): InSteps<KubeObject> {
  return wire.keys === 'sorted'
    ? ((yield* sortedCopySteps(object)) as KubeObject)
    : (yield* canonicalInSteps<KubeObject>(object, schema, { emptyAsNull: wire.bareStore ?? false })).object;
}

/** Returns a draft in its stored form. Parts that are in this form already are not copied. `old` is in this form. */
function* draftCopySteps(
  { wire }: ResourceDefinition,
  schema: Schema,
  draft: KubeObject,
  old: KubeObject | undefined,
): InSteps<KubeObject> {
  const known = old && sharedFields(draft, old);
  const object =
    wire.keys === 'sorted'
      ? ((yield* sortedCopySteps(draft, { shareCanonical: true, canonicalParts: known })) as KubeObject)
      : (yield* canonicalInSteps<KubeObject>(draft, schema, {
          shareCanonical: true,
          canonicalParts: known,
          emptyAsNull: wire.bareStore ?? false,
        })).object;
  return { ...object };
}

/** Returns the top-level values that are identical in both objects: the spec in a write of the status, the status in a write of the spec. */
function sharedFields(object: KubeObject, old: KubeObject): readonly unknown[] | undefined {
  let shared: unknown[] | undefined;
  for (const field in object) {
    const value = object[field];
    if (typeof value === 'object' && value !== null && value === old[field] && field !== 'metadata')
      (shared ??= []).push(value);
  }
  return shared;
}

/** Decodes an object that is stored as protobuf, as kube-apiserver stores native kinds. */
type DecodeProtobuf = (
  bytes: Buffer,
  expected: { readonly apiVersion: string; readonly kind: string },
) => Record<string, unknown>;

/** Functions for objects that are stored as protobuf. */
export interface ReadProtobuf {
  readonly decode: DecodeProtobuf;
  /** hot: Reports whether a field of the metadata is set. Throws if the bytes are not an object. */
  readonly hasMetadata: (bytes: Buffer, field: 'ownerReferences' | 'deletionTimestamp') => boolean;
}

/** Encodes an object with its apiVersion and kind as protobuf. */
export type EncodeProtobuf = (object: KubeObject) => Buffer;

export interface LayoutOptions {
  /** Objects are frozen before they are returned (tests). */
  readonly freeze: boolean;
  /** For a store that kube-apiserver reads: values are written as it writes them. If absent, all values are JSON in our own form. */
  readonly encodeProtobuf?: EncodeProtobuf;
  /** If absent, only JSON can be read. */
  readonly readProtobuf?: ReadProtobuf;
}

const newline = Buffer.from('\n');

/** As k8s.io/apimachinery/pkg/runtime/serializer/protobuf protoEncodingPrefix. */
const protobufMark = Buffer.from('k8s\0', 'latin1');

const isProtobuf = (bytes: Buffer): boolean => bytes.subarray(0, protobufMark.length).equals(protobufMark);

/** Reports whether protobuf, which contains texts unchanged, may match the probe. */
function mightContainInProtobuf(bytes: Buffer, probe: ByteProbe, { hasMetadata }: ReadProtobuf): boolean {
  if ('text' in probe) return bytes.includes(probe.text);
  try {
    return hasMetadata(bytes, probe.metadata);
  } catch {
    return true; // decoding the bytes reports the error
  }
}

/** Escapes of ASCII characters in JSON, by which another writer may have hidden a text. */
const escapes = [Buffer.from('\\u00'), Buffer.from('\\/')];

/** hot: once per custom resource at the start. Reports whether JSON, possibly of another writer, may match the probe. */
function mightContainInJson(bytes: Buffer, probe: ByteProbe): boolean {
  const { bytes: sought } = probeTextOf('text' in probe ? probe.text : `"${probe.metadata}"`);
  return bytes.includes(sought) || escapes.some(escape => bytes.includes(escape));
}

/** Returns `Layout.mightContain`. JSON is searched only for custom resources: their metadata do not change when they are read. */
function mightContainIn(
  { wire, readStored }: ResourceDefinition,
  readProtobuf: ReadProtobuf | undefined,
): Layout['mightContain'] {
  const searchesJson = wire.keys === 'sorted' && !readStored;
  if (!searchesJson && !readProtobuf) return undefined;
  return (bytes, probe) => {
    if (readProtobuf && isProtobuf(bytes)) return mightContainInProtobuf(bytes, probe, readProtobuf);
    return !searchesJson || mightContainInJson(bytes, probe);
  };
}

/** Returns the layout of a definition, which must be the one that owns the storage. */
export function layoutOf(definition: ResourceDefinition, options: LayoutOptions): Layout {
  const { freeze, readProtobuf, encodeProtobuf } = options;
  const stored = definition.versions.find(v => v.name === definition.storageVersion);
  if (!stored) throw new Error(`${definition.plural} has no version ${definition.storageVersion}`);
  const { wire, kind } = definition;
  const mightContain = mightContainIn(definition, readProtobuf);
  const isOwnJson = wire.keys === 'sorted' && !definition.readStored;
  const apiVersion = storageApiVersion(definition);
  const parseText = (text: string): KubeObject => readJson(text, beyondOf(wire.keys)) as KubeObject;
  const hasRawJson = wire.keys === 'declared' && containsRawExtension(stored.schema);
  const read = (text: string): KubeObject => preserveVerbatim(parseText(text), text, stored.schema);
  const parse = (bytes: Buffer): KubeObject =>
    readProtobuf && isProtobuf(bytes)
      ? (readProtobuf.decode(bytes, { apiVersion, kind }) as KubeObject)
      : (hasRawJson ? read : parseText)(bytes.toString());
  function* parseSteps(bytes: Buffer): InSteps<KubeObject> {
    return readProtobuf && isProtobuf(bytes) ? parse(bytes) : yield* readJsonSteps(bytes.toString(), parseText);
  }
  const isWritten = (bytes: Buffer, json: Buffer): boolean =>
    (encodeProtobuf ? bytes.subarray(0, -newline.length) : bytes).equals(json);
  return {
    apiVersion,
    kind,
    keys: wire.keys,
    itemsCarryType: wire.itemsCarryType,
    canonicalSteps: (object, old) => draftCopySteps(definition, stored.schema, object, old),
    ...(hasRawJson && { read }),
    parse,
    ...(isOwnJson && { parseSteps }),
    ...(mightContain && { mightContain }),
    ...(isOwnJson && { keepsMetadata: (bytes: Buffer) => !(readProtobuf && isProtobuf(bytes)) }),
    normalize(written) {
      const object = definition.readStored?.(written) ?? written;
      return wire.keys === 'declared' ? object : normalized(definition, stored, object);
    },
    ...(isOwnJson && { normalizeSteps: (object: KubeObject) => normalizedSteps(definition, stored, object) }),
    ...(wire.keys === 'sorted' &&
      hasDefaults(stored.schema) && {
        *completeSteps(object: KubeObject): InSteps<KubeObject> {
          const copy = (yield* sortedCopySteps(object)) as KubeObject;
          yield;
          return yield* normalizedSteps(definition, stored, copy);
        },
      }),
    // A write is skipped if it changes no byte. The bytes of another version, or from before the schema had a default, are different bytes.
    // as apiserver/pkg/storage/etcd3 GuaranteedUpdate
    ...(isOwnJson && {
      original: (bytes: Buffer, { json }: Pick<Stored, 'json'>) => (isWritten(bytes, json) ? undefined : parse(bytes)),
      *originalSteps(bytes: Buffer, { json }: Pick<Stored, 'json'>): InSteps<KubeObject | undefined> {
        return isWritten(bytes, json) ? undefined : yield* parseSteps(bytes);
      },
    }),
    ...(encodeProtobuf && { encode: sharedForm(definition, encodeProtobuf) }),
    freeze,
  };
}

/** The schemas of a stored object. */
interface StoredSchemas {
  /** The schema of the version in which the object was stored, by which it is pruned and defaulted. Undefined if the definition has no such version. */
  readonly storedIn: Schema | undefined;
  /** The schema of the current storage version, to which the object is converted. Undefined if it stays in its version. */
  readonly current: Schema | undefined;
}

function schemasOf(definition: ResourceDefinition, current: VersionDefinition, object: KubeObject): StoredSchemas {
  const { versions, convert, mixedStorage, group } = definition;
  const storedIn = versions.find(({ name }) => object.apiVersion === apiVersionOf({ group, version: name }));
  const stays = storedIn === current || convert !== undefined || (storedIn !== undefined && mixedStorage === true);
  return { storedIn: storedIn?.schema, current: stays ? undefined : current.schema };
}

/**
 * Prunes and defaults a stored object in place, by the schema of the version in which it was stored. If a webhook converts, or versions have
 * different fields, the object stays in that version until it is requested in another one.
 */
// as apiextensions-apiserver/pkg/apiserver crdConversionRESTOptionsGetter, schemaCoercingDecoder
function normalized(definition: ResourceDefinition, version: VersionDefinition, object: KubeObject): KubeObject {
  const { storedIn, current } = schemasOf(definition, version, object);
  // Very old objects have no generation.
  if (!object.metadata.generation) object.metadata.generation = 1;
  if (storedIn) pruneAndDefault(object, storedIn);
  if (!current) return object;
  // Without a conversion, versions differ in apiVersion only.
  object.apiVersion = storageApiVersion(definition);
  // differs: upstream cannot read an object whose version is not in the definition any more.
  return storedIn ? pruneObject(object, current) : pruneAndDefault(object, current);
}

/** As `normalized`, in steps, for large objects. */
function* normalizedSteps(
  definition: ResourceDefinition,
  version: VersionDefinition,
  object: KubeObject,
): InSteps<KubeObject> {
  const { storedIn, current } = schemasOf(definition, version, object);
  if (!object.metadata.generation) object.metadata.generation = 1;
  if (storedIn) yield* pruneAndDefaultSteps(object, storedIn);
  if (!current) return object;
  object.apiVersion = storageApiVersion(definition);
  return yield* storedIn ? pruneObjectSteps(object, current) : pruneAndDefaultSteps(object, current);
}

/** Parses JSON of a custom resource in steps. `parse` finds the text of an error, and reads what steps cannot, such as very deep nesting. */
function* readJsonSteps(text: string, parse: (text: string) => KubeObject): InSteps<KubeObject> {
  try {
    return (yield* exactSteps(text, undefined, 'float64')) as KubeObject;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return parse(text);
  }
}

/** Returns the encoder of kube-apiserver's values: protobuf for the kinds that have it, JSON and a newline for the others. */
function sharedForm(definition: ResourceDefinition, encodeProtobuf: EncodeProtobuf): NonNullable<Layout['encode']> {
  const { wire, writeStored } = definition;
  if (wire.bareStore === true && wire.protobuf) return ({ object }) => encodeProtobuf(withoutRevision(object));
  if (writeStored) return ({ object }) => Buffer.from(`${jsonText(writeStored(withoutRevision(object)))}\n`);
  return ({ json }) => Buffer.concat([json, newline]);
}

/** Returns the object without its resourceVersion. A draft has none; an object that was stored before, and is written unchanged, has one. */
function withoutRevision(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
