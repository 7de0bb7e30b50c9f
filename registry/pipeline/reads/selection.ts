/** Which objects a list or watch is about: label and field selectors over what is stored. */
import { type FieldSelector, parseFieldSelector } from '../../../apimachinery/selectors/field-selectors.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { type Selector, parseSelector } from '../../../apimachinery/selectors/label-selectors.js';
import { badRequest } from '../../../apimachinery/errors/status.js';
import type { ListQuery } from '../../../client/interface.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import type { IndexFunction } from '../../../storage/cache/interface.js';
import type { Stored } from '../interface.js';
import { viewMade } from '../stored/converted.js';
import { labelsOf, remembered } from '../stored/stored.js';

export interface Selection {
  /** Everything is selected. */
  readonly empty: boolean;
  /** The only name and namespace that can match, when the selector says so. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** Fields of its own version besides the name and namespace decide. */
  readonly fields: boolean;
  /** Where all that can match stands in the cache. */
  readonly index: { readonly name: string; readonly word: string } | undefined;
  matches(stored: Stored): boolean;
}

export const everything: Selection = {
  empty: true,
  name: undefined,
  namespace: undefined,
  fields: false,
  index: undefined,
  matches: () => true,
};

/** Selectors that can be read. */
interface Selectors {
  readonly labels: Selector;
  readonly fields: FieldSelector;
}

/** Undefined: everything is selected. Throws 400 for selectors that cannot be parsed. */
export function parseSelectors(query: ListQuery): Selectors | undefined {
  if (!query.labelSelector && !query.fieldSelector) return undefined;
  const labels = parseSelector(query.labelSelector ?? '');
  const fields = parseFieldSelector(query.fieldSelector ?? '');
  return labels.empty && fields.empty ? undefined : { labels, fields };
}

/** Throws 400 for fields that the version does not select by. */
export function selectionOf(
  definition: ResourceDefinition,
  version: VersionDefinition,
  selectors: Selectors | undefined,
): Selection {
  if (!selectors) return everything;
  const { labels, fields } = selectors;
  for (const { field } of fields.requirements) checkField(definition, version, field);
  return {
    empty: false,
    name: fields.exactMatch('metadata.name'),
    namespace: fields.exactMatch('metadata.namespace'),
    fields: fields.requirements.some(({ field }) => Object.hasOwn(version.selectableFields, field)),
    index: indexOf(definition, fields),
    matches: matcher(labels, fields, version),
  };
}

function indexOf({ indexedFields = [] }: ResourceDefinition, fields: FieldSelector): Selection['index'] {
  for (const name of indexedFields) {
    const word = fields.exactMatch(name);
    if (word !== undefined) return { name, word };
  }
  return undefined;
}

/** What the cache of a resource finds objects by. */
export function indexesOf({
  indexedFields = [],
  storageVersion,
  versions,
}: ResourceDefinition): Readonly<Record<string, IndexFunction<Stored>>> {
  const version = versions.find(({ name }) => name === storageVersion);
  if (!version) return {};
  return Object.fromEntries(
    indexedFields.map(field => [field, (stored: Stored) => [fieldOf(stored, version, field)]] as const),
  );
}

// hot: once per object of a list and per event of each watcher.
function matcher(labels: Selector, fields: FieldSelector, version: VersionDefinition): (stored: Stored) => boolean {
  const byFields = (stored: Stored): boolean =>
    fields.requirements.every(r => (fieldOf(stored, version, r.field) === r.value) === (r.operator === '='));
  if (fields.empty) return stored => labels.matches(labelsOf(stored));
  if (labels.empty) return byFields;
  return stored => labels.matches(labelsOf(stored)) && byFields(stored);
}

function fieldOf(stored: Stored, version: VersionDefinition, field: string): string {
  const { key } = stored;
  const slash = key.lastIndexOf('/');
  if (field === 'metadata.name') return key.slice(slash + 1);
  if (field === 'metadata.namespace') return stored.object.metadata.namespace ?? '';
  const view = viewMade(version, stored);
  if (view) return valuesOf(view, version).values[field] ?? '';
  const known = remembered(stored, object => valuesOf(object, version));
  const values = known.version === version ? known.values : valuesOf(stored.object, version).values;
  return values[field] ?? '';
}

interface FieldValues {
  readonly version: VersionDefinition;
  readonly values: Readonly<Record<string, string>>;
}

function valuesOf(object: Stored['object'], version: VersionDefinition): FieldValues {
  const values: Record<string, string> = {};
  for (const field in version.selectableFields) values[field] = version.selectableFields[field]?.(object) ?? '';
  return { version, values };
}

/** Natives without fields of their own say which fields they know; all others only that they do not know this one. */
// as apimachinery/pkg/runtime DefaultMetaV1FieldSelectorConversion
function checkField(definition: ResourceDefinition, version: VersionDefinition, field: string): void {
  if (Object.hasOwn(version.selectableFields, field) || field === 'metadata.name') return;
  const own = Object.keys(version.selectableFields).length > 0 || definition.wire.keys === 'sorted';
  if (field === 'metadata.namespace' && (definition.namespaced || !own)) return;
  if (own) throw badRequest(`field label not supported: ${field}`);
  throw badRequest(`${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
}
