import { nativeSchema } from '../../openapi/facts/native-schemas.js';
import type { Fault, ObjectMeta } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { metadataFaults, pathSegmentFaults } from './metadata.js';

let schema: Schema | undefined;

/** Returns the schema of meta/v1 ObjectMeta. */
export function objectMetaSchema(): Schema {
  return (schema ??= nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'));
}

/** Returns the faults of the metadata of an embedded object. */
// as apiextensions-apiserver/pkg/apiserver/schema/objectmeta validateEmbeddedResource
export function embeddedMetadataFaults(metadata: ObjectMeta, path: string): Fault[] {
  return metadataFaults(metadata, { namespaced: Boolean(metadata.namespace), nameFaults: pathSegmentFaults }, path);
}
