/** Label and field selectors of lists and watches. */
import { type CompiledFieldSelector, parseFieldSelector } from '../../../apimachinery/selectors/field-selectors.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { type Selector, parseSelector } from '../../../apimachinery/selectors/label-selectors.js';
import { badRequest } from '../../../apimachinery/errors/status.js';
import type { ListQuery } from '../../../client/interface.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import { cachedView, isConverted } from '../stored/converted.js';
import { fieldOf, valuesOf } from '../stored/selectable-fields.js';
import type { StoredVersion } from '../stored/stored-version.js';

export interface ReadSelection {
  /** All objects are selected. */
  readonly empty: boolean;
  /** The only name and namespace that can match, if there is only one. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** Objects are selected by fields of the requested version, besides name and namespace. */
  readonly fields: boolean;
  /** Objects are selected by fields besides the name, so that they have to be decoded. */
  readonly readsObjects: boolean;
  /** The entry of an index of the cache that contains all objects that can match. */
  readonly index: { readonly name: string; readonly word: string } | undefined;
  readonly matches: (stored: StoredVersion) => boolean;
}

export const selectEverything: ReadSelection = {
  empty: true,
  name: undefined,
  namespace: undefined,
  fields: false,
  readsObjects: false,
  index: undefined,
  matches: () => true,
};

/** Parsed selectors. */
interface Selectors {
  readonly labels: Selector;
  readonly fields: CompiledFieldSelector;
}

/** Parses the selectors of a query; undefined if all objects are selected. Throws 400 for selectors that cannot be parsed. */
export function parseSelectors(query: ListQuery): Selectors | undefined {
  if (!query.labelSelector && !query.fieldSelector) return undefined;
  const labels = parseSelector(query.labelSelector ?? '');
  const fields = parseFieldSelector(query.fieldSelector ?? '');
  return labels.empty && fields.empty ? undefined : { labels, fields };
}

/** Returns the selection for a version. Throws 400 for fields that the version has no selectors for. */
export function selectionOf(
  definition: ResourceDefinition,
  version: VersionDefinition,
  selectors: Selectors | undefined,
): ReadSelection {
  if (!selectors) return selectEverything;
  const { labels, fields } = selectors;
  for (const { field } of fields.requirements) checkField(definition, version, field);
  return {
    empty: false,
    name: fields.exactMatch('metadata.name'),
    namespace: fields.exactMatch('metadata.namespace'),
    fields: fields.requirements.some(({ field }) => Object.hasOwn(version.selectableFields, field)),
    readsObjects: fields.requirements.some(({ field }) => field !== 'metadata.name'),
    index: indexOf(definition, fields),
    matches: matcher(labels, fields, version, isConverted(definition)),
  };
}

function indexOf({ indexedFields = [] }: ResourceDefinition, fields: CompiledFieldSelector): ReadSelection['index'] {
  for (const name of indexedFields) {
    const word = fields.exactMatch(name);
    if (word !== undefined) return { name, word };
  }
  return undefined;
}

// hot: once per object of a list and per event of each watcher.
function matcher(
  labels: Selector,
  fields: CompiledFieldSelector,
  version: VersionDefinition,
  isByView: boolean,
): (stored: StoredVersion) => boolean {
  const read = isByView ? viewFieldOf : fieldOf;
  const byFields = (stored: StoredVersion): boolean =>
    fields.requirements.every(r => (read(stored, version, r.field) === r.value) === (r.operator === '='));
  if (fields.empty) return stored => labels.matches(stored.labels);
  if (labels.empty) return byFields;
  return stored => labels.matches(stored.labels) && byFields(stored);
}

/** Returns a field of the object in the version, to which a conversion has converted it before (`loadViews`). */
function viewFieldOf(stored: StoredVersion, version: VersionDefinition, field: string): string {
  if (field === 'metadata.name' || field === 'metadata.namespace') return fieldOf(stored, version, field);
  const view = cachedView(version, stored);
  if (!view) throw new Error(`${stored.key} was not converted to ${version.name}`);
  return valuesOf(view, version).values[field] ?? '';
}

/** Throws 400 for an unknown field. As upstream, only native kinds without further selectable fields name the supported ones. */
// as apimachinery/pkg/runtime DefaultMetaV1FieldSelectorConversion
function checkField(definition: ResourceDefinition, version: VersionDefinition, field: string): void {
  if (Object.hasOwn(version.selectableFields, field) || field === 'metadata.name') return;
  const hasFields = Object.keys(version.selectableFields).length > 0 || definition.wire.keys === 'sorted';
  if (field === 'metadata.namespace' && (definition.namespaced || !hasFields)) return;
  if (hasFields) throw badRequest(`field label not supported: ${field}`);
  throw badRequest(`${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
}
