/** How objects of a definition are written: the order of their fields, and what is left out. */
import type { KubeObject } from '../../openapi/interface.js';
import { cloneJson } from '../../openapi/meta/clone.js';
import { deepEqual } from '../../openapi/meta/equality.js';
import { canonical } from '../../openapi/schema/canonical.js';
import type { Schema } from '../../openapi/schema/interface.js';
import type { ResourceDefinition } from '../interface.js';
import { storageApiVersion } from './api-versions.js';
import { refit } from './refit.js';
import { sortedCopy } from './sorted-copy.js';
import type { Layout } from './stored.js';

/** An object as it is written; a copy. */
export function canonicalObject({ wire }: ResourceDefinition, schema: Schema, object: KubeObject): KubeObject {
  return wire.keys === 'sorted'
    ? (sortedCopy(object) as KubeObject)
    : canonical<KubeObject>(object, schema, { bare: wire.bareStore ?? false }).object;
}

/** Reads an object that stands in the store as protobuf: kube-apiserver writes native kinds so. */
export type DecodeProtobuf = (
  bytes: Buffer,
  expected: { readonly apiVersion: string; readonly kind: string },
) => Record<string, unknown>;

/** Writes an object as protobuf, its kind included. */
export type EncodeProtobuf = (object: KubeObject) => Buffer;

export interface LayoutOptions {
  /** Freeze objects that are handed out (tests). */
  readonly freeze: boolean;
  /** For a store that kube-apiserver reads too: values are written as it writes them. Absent: all as JSON, in our own form. */
  readonly encodeProtobuf?: EncodeProtobuf;
  /** Absent: what is no JSON cannot be read. */
  readonly decodeProtobuf?: DecodeProtobuf;
}

/** As k8s.io/apimachinery/pkg/runtime/serializer/protobuf protoEncodingPrefix. */
const protobufMark = Buffer.from('k8s\0', 'latin1');

/** Of the definition that owns the storage. */
export function layoutOf(definition: ResourceDefinition, options: LayoutOptions): Layout {
  const { freeze, decodeProtobuf, encodeProtobuf } = options;
  const stored = definition.versions.find(v => v.name === definition.storageVersion);
  if (!stored) throw new Error(`${definition.plural} has no version ${definition.storageVersion}`);
  const { wire, kind } = definition;
  const apiVersion = storageApiVersion(definition);
  return {
    apiVersion,
    kind,
    keys: wire.keys,
    itemsCarryType: wire.itemsCarryType,
    canonical: isLabelled(definition)
      ? object => canonicalObject(definition, stored.schema, refit(cloneJson(object), stored.schema))
      : object => canonicalObject(definition, stored.schema, object),
    parse(bytes) {
      if (decodeProtobuf && bytes.subarray(0, protobufMark.length).equals(protobufMark))
        return decodeProtobuf(bytes, { apiVersion, kind }) as unknown as KubeObject;
      return JSON.parse(bytes.toString()) as KubeObject;
    },
    normalize(written) {
      const object = definition.readStored?.(written) ?? written;
      if (wire.keys === 'declared') return object;
      // Without a conversion of its own a version is but a label.
      if (!definition.convert) object.apiVersion = apiVersion;
      return object.apiVersion === apiVersion ? refit(object, stored.schema) : object;
    },
    ...(encodeProtobuf && { encode: sharedForm(definition, encodeProtobuf) }),
    freeze,
  };
}

/**
 * Do versions differ in their label only, and in what their schemas keep? Then what the stored version does not know of is lost when an
 * object is written (CRD-050).
 */
// as apiextensions-apiserver/pkg/apiserver schemaCoercingConverter ConvertToVersion
function isLabelled({ wire, convert, versions }: ResourceDefinition): boolean {
  if (wire.keys === 'declared' || convert) return false;
  return versions.some(version => !deepEqual(version.schema, versions[0]?.schema));
}

const newline = Buffer.from('\n');

/** The form of kube-apiserver's values (ETC-003): protobuf for the kinds that have it, JSON and a line's end for the others. */
function sharedForm(definition: ResourceDefinition, encodeProtobuf: EncodeProtobuf): NonNullable<Layout['encode']> {
  const { wire, writeStored } = definition;
  if (wire.bareStore === true && wire.protobuf) return ({ object }) => encodeProtobuf(withoutRevision(object));
  if (writeStored) return ({ object }) => Buffer.from(`${JSON.stringify(writeStored(withoutRevision(object)))}\n`);
  return ({ json }) => Buffer.concat([json, newline]);
}

/** A draft has none; what was committed before, and is written as it is, has. */
function withoutRevision(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
