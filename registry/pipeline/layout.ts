/** How objects of a definition are written: the order of their fields, and what is left out. */
import type { KubeObject } from '../../openapi/interface.js';
import { canonical } from '../../openapi/schema/canonical.js';
import type { Schema } from '../../openapi/schema/interface.js';
import type { ResourceDefinition } from '../interface.js';
import { refit } from './decode.js';
import { sortedCopy } from './sorted-copy.js';
import type { Layout } from './stored.js';
import { storageApiVersion } from './versions.js';

/** An object as it is written; a copy. */
export function canonicalObject({ wire }: ResourceDefinition, schema: Schema, object: KubeObject): KubeObject {
  return wire.keys === 'sorted'
    ? (sortedCopy(object) as KubeObject)
    : canonical<KubeObject>(object, schema, { bare: wire.bareStore ?? false }).object;
}

/** Of the definition that owns the storage. */
export function layoutOf(definition: ResourceDefinition, freeze: boolean): Layout {
  const stored = definition.versions.find(v => v.name === definition.storageVersion);
  if (!stored) throw new Error(`${definition.plural} has no version ${definition.storageVersion}`);
  const { wire, kind } = definition;
  const apiVersion = storageApiVersion(definition);
  return {
    apiVersion,
    kind,
    keys: wire.keys,
    itemsCarryType: wire.itemsCarryType,
    canonical: object => canonicalObject(definition, stored.schema, object),
    normalize(object) {
      if (wire.keys === 'declared') return object;
      // Without a conversion of its own a version is but a label.
      if (!definition.convert) object.apiVersion = apiVersion;
      return object.apiVersion === apiVersion ? refit(object, stored.schema) : object;
    },
    freeze,
  };
}
