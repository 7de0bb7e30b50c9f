import type { ResourceDefinition } from '../../registry/interface.js';
import type { Representations, Format, ConversionTarget } from './accept.js';

const all: readonly Format[] = ['json', 'yaml', 'protobuf'];

const isMeta = (target: ConversionTarget): boolean =>
  target.group === 'meta.k8s.io' && (target.version === 'v1' || target.version === 'v1beta1');

const isPartial = (target: ConversionTarget): boolean =>
  target.kind === 'PartialObjectMetadata' || target.kind === 'PartialObjectMetadataList';

/** The endpoint of answers without transformations: Status bodies, discovery of one group. */
export const asIs: Representations = { formats: all, convert: target => target === undefined };

/** The endpoint of objects and lists of built-in kinds. as apiserver/pkg/endpoints/handlers/rest.go AllowsMediaTypeTransform */
export const objects: Representations = {
  formats: all,
  convert: (target, format) =>
    target === undefined ||
    (isMeta(target) && (isPartial(target) || (target.kind === 'Table' && format !== 'protobuf'))),
};

/** The endpoint of custom resources, of which only metadata can be written in protobuf. */
export const customObjects: Representations = {
  formats: all,
  convert: (target, format) => (target === undefined ? format !== 'protobuf' : objects.convert(target, format)),
};

/** The endpoint of reviews, which have no Tables. */
export const reviews: Representations = {
  formats: all,
  convert: target => target === undefined || (isMeta(target) && isPartial(target)),
};

/** Returns the representations in which the objects and lists of a resource can be read. */
export function endpointOf(definition: ResourceDefinition): Representations {
  if (definition.review) return reviews;
  return definition.wire.protobuf ? objects : customObjects;
}
