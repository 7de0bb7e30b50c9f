import type { ResourceDefinition } from '../../registry/interface.js';
import type { Endpoint, Format, Target } from './accept.js';

const textual: readonly Format[] = ['json', 'yaml'];

const isMeta = (target: Target): boolean =>
  target.group === 'meta.k8s.io' && (target.version === 'v1' || target.version === 'v1beta1');

const isPartial = (target: Target): boolean =>
  target.kind === 'PartialObjectMetadata' || target.kind === 'PartialObjectMetadataList';

/** Endpoints that write their answer as it is: Status bodies, discovery of one group, connects. */
export const asIs: Endpoint = { formats: textual, convert: target => target === undefined };

const withProtobuf: readonly Format[] = [...textual, 'protobuf'];

/** Objects and lists of built-in kinds. as apiserver/pkg/endpoints/handlers/rest.go AllowsMediaTypeTransform */
export const objects: Endpoint = {
  formats: withProtobuf,
  convert: (target, format) =>
    target === undefined ||
    (isMeta(target) && (isPartial(target) || (target.kind === 'Table' && format !== 'protobuf'))),
};

/** Custom resources have a form in protobuf only as metadata. */
export const customObjects: Endpoint = {
  formats: withProtobuf,
  convert: (target, format) => (target === undefined ? format !== 'protobuf' : objects.convert(target, format)),
};

/** Reviews have no rows. */
export const reviews: Endpoint = {
  formats: withProtobuf,
  convert: target => target === undefined || (isMeta(target) && isPartial(target)),
};

export function endpointOf(definition: ResourceDefinition): Endpoint {
  if (definition.review) return reviews;
  return definition.wire.protobuf ? objects : customObjects;
}
