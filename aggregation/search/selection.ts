/** Selects the resource and objects of a request from the mirrors. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selectors.js';
import { parseSelector } from '../../apimachinery/selectors/label-selectors.js';
import type { ListQuery } from '../../client/interface.js';
import type { VersionDefinition } from '../../registry/interface.js';
import type { RequestScope } from '../../registry/pipeline/interface.js';
import { parseSelectors, selectionOf } from '../../registry/pipeline/reads/selection.js';
import type { Cached } from './cached.js';
import type { SelectedResource } from './selected-resources.js';

export const resourceOf = ({ definition, version }: RequestScope): GroupVersionResource => ({
  group: definition.group,
  version: version.name,
  resource: definition.plural,
});

/** Reports whether registries select the namespace. */
export const isWithin = ({ namespaces }: SelectedResource, namespace = ''): boolean =>
  !namespaces || namespaces.has(namespace);

/** Returns a predicate for the selectors of a query. Throws 400 if the kind does not support them. */
export function matcherOf(call: RequestScope, query: ListQuery): (object: Cached) => boolean {
  if (selectionOf(call.definition, call.version, parseSelectors(query)).empty) return () => true;
  const labels = parseSelector(query.labelSelector ?? '');
  const fields = parseFieldSelector(query.fieldSelector ?? '');
  return object =>
    labels.matches(object.metadata.labels) && (fields.empty || fields.matches(fieldsOf(object, call.version)));
}

function fieldsOf(object: Cached, { selectableFields }: VersionDefinition): Record<string, string> {
  const { name = '', namespace = '' } = object.metadata;
  const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace };
  const more = Object.entries(selectableFields);
  if (more.length === 0) return fields;
  const whole = object.object;
  for (const [field, value] of more) fields[field] = value(whole);
  return fields;
}
