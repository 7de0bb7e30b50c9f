/** How objects of a definition are written: the order of their fields, and what is left out. */
import type { KubeObject } from '../../openapi/interface.js';
import type { ResourceDefinition, VersionDefinition } from '../interface.js';
import type { Layout } from './stored.js';
import { storageApiVersion } from './versions.js';

type Plain = Record<string, unknown>;

/** A copy with the keys of all objects sorted, and without what JSON leaves out. */
export function sortedCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedCopy);
  const from = value as Plain;
  const out: Plain = {};
  for (const key of Object.keys(from).sort()) if (from[key] !== undefined) out[key] = sortedCopy(from[key]);
  return out;
}

const metadataOrder = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** An object of the version, as it is written. A copy of whatever is changed. */
export function canonicalObject(
  definition: ResourceDefinition,
  _version: VersionDefinition | undefined,
  object: KubeObject,
): KubeObject {
  if (definition.wire.keys === 'sorted') return sortedCopy(object) as KubeObject;
  const metadata: Plain = {};
  const given = object.metadata as Plain;
  for (const field of metadataOrder) if (given[field] !== undefined) metadata[field] = given[field];
  return { ...object, kind: object.kind, apiVersion: object.apiVersion, metadata };
}

export function layoutOf(definition: ResourceDefinition, freeze: boolean): Layout {
  const version = definition.versions.find(v => v.name === definition.storageVersion);
  const { wire, kind } = definition;
  return {
    apiVersion: storageApiVersion(definition),
    kind,
    keys: wire.keys,
    itemsCarryType: wire.itemsCarryType,
    canonical: object => canonicalObject(definition, version, object),
    normalize: object => object,
    freeze,
  };
}
