import type { ObjectMeta } from '../../../apimachinery/interface.js';
import { parseFieldSelector } from '../../../apimachinery/selectors/field-selectors.js';
import { parseSelector } from '../../../apimachinery/selectors/label-selectors.js';
import type { ListQuery } from '../../../client/interface.js';
import type { ResourceScope } from '../../../registry/pipeline/interface.js';
import { parseSelectors, selectionOf } from '../../../registry/pipeline/reads/selection.js';

type Predicate = (metadata: ObjectMeta) => boolean;

interface MetadataSelection {
  readonly byLabels: Predicate;
  /** By `metadata.name` and `metadata.namespace`. */
  readonly byFields: Predicate;
}

/** Returns the selectors of a list of objects that only have metadata to select by. Throws 400 for selectors that the kind does not support. */
export function metadataSelection({ definition, version }: ResourceScope, query: ListQuery): MetadataSelection {
  selectionOf(definition, version, parseSelectors(query));
  const labels = parseSelector(query.labelSelector ?? '');
  const fields = parseFieldSelector(query.fieldSelector ?? '');
  return {
    byLabels: metadata => labels.empty || labels.matches(metadata.labels ?? {}),
    byFields: ({ name = '', namespace = '' }) =>
      fields.empty || fields.matches({ 'metadata.name': name, 'metadata.namespace': namespace }),
  };
}
