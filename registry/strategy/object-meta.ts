import { nativeSchema } from '../../openapi/facts/load.js';
import type { Fault, ObjectMeta } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { metadataFaults, pathSegmentFaults } from './metadata.js';

let schema: Schema | undefined;

/** The schema of meta/v1 ObjectMeta. */
export function objectMetaSchema(): Schema {
  return (schema ??= nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'));
}

/** Of the metadata of an object inside another. */
// as apiextensions-apiserver/pkg/apiserver/schema/objectmeta validateEmbeddedResource
export function embeddedMetadataFaults(metadata: ObjectMeta, path: string): Fault[] {
  return metadataFaults(metadata, { namespaced: Boolean(metadata.namespace), nameFaults: pathSegmentFaults }, path);
}
