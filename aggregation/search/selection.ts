/** Selects the resource and objects of a request from the mirrors. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { type CompiledFieldSelector, parseFieldSelector } from '../../apimachinery/selectors/field-selectors.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { parseSelector, type Selector } from '../../apimachinery/selectors/label-selectors.js';
import type { ListQuery } from '../../client/interface.js';
import type { VersionDefinition } from '../../registry/interface.js';
import type { RequestScope } from '../../registry/pipeline/interface.js';
import { parseSelectors, selectionOf } from '../../registry/pipeline/reads/selection.js';
import { Strides } from '../../lib/time-slice.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';
import { ownValue } from '../../lib/collections/own-value.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import type { Cached } from './cached.js';
import type { Collection } from './caches.js';
import { indexValue, manyLabels } from './mirror-indexers.js';
import type { SelectedResource } from './selected-resources.js';

/** Returns the resource that a request names, in the version of its path, by which the mirrors of members are found. */
export const resourceOf = ({ definition, version }: RequestScope): GroupVersionResource => ({
  group: definition.group,
  version: version.name,
  resource: definition.plural,
});

/** Reports whether registries select the namespace. */
export const isWithin = ({ namespaces }: Pick<SelectedResource, 'namespaces'>, namespace = ''): boolean =>
  !namespaces || namespaces.has(namespace);

/** What a selection reads of a collection. */
type Mirror = Pick<Collection, 'informer' | 'indexedFields' | 'namespaces'>;

/** What a request selects in the mirrors. */
export interface MirrorSelection {
  /** '' for all. */
  readonly namespace: string;
  readonly labels: Selector;
  readonly fields: CompiledFieldSelector;
  readonly matches: (object: Cached) => boolean;
}

/** Returns the selection of a request. Throws 400 if the kind does not support its selectors. */
export function mirrorSelection(call: RequestScope, query: ListQuery): MirrorSelection {
  const isEmpty = selectionOf(call.definition, call.version, parseSelectors(query)).empty;
  const labels = parseSelector(query.labelSelector ?? '');
  const fields = parseFieldSelector(query.fieldSelector ?? '');
  const matches = (object: Cached): boolean =>
    labels.matches(object.metadata.labels) && (fields.empty || fields.matches(fieldsOf(object, fields, call.version)));
  return { namespace: call.namespace, labels, fields, matches: isEmpty ? () => true : matches };
}

/** Returns the query with which a member selects the same objects. */
export const memberQuery = ({ namespace, labels, fields }: MirrorSelection): ListQuery => ({
  ...(namespace === '' ? {} : { namespace }),
  ...(labels.empty ? {} : { labelSelector: labels.toString() }),
  ...(fields.empty ? {} : { fieldSelector: fields.toString() }),
});

/** Returns the fields that the selector names. Those that are not held apart are read from the object: they became selectable later. */
function fieldsOf(
  object: Cached,
  { requirements }: CompiledFieldSelector,
  { selectableFields }: VersionDefinition,
): Record<string, string> {
  const { name = '', namespace = '' } = object.metadata;
  const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace };
  for (const { field } of requirements) {
    if (field in fields) continue;
    const isHeld = Object.hasOwn(object.readers, field);
    fields[field] =
      (isHeld ? ownValue(object.fields, field) : ownValue(selectableFields, field)?.(object.object)) ?? '';
  }
  return fields;
}

const noKeys: readonly string[] = [];
const sizeOf = (keys: Iterable<string>): number =>
  keys instanceof Set ? keys.size : Array.isArray(keys) ? keys.length : Infinity;

const totalSize = (sets: readonly Iterable<string>[]): number => sets.reduce((sum, keys) => sum + sizeOf(keys), 0);

/** The operators of labels whose values an index has. */
const indexedOperators: ReadonlySet<string> = new Set(['=', '==', 'in']);

/** The keys of several values of one label are those of different objects. */
function* joined(sets: readonly Iterable<string>[]): Generator<string> {
  for (const keys of sets) yield* keys;
}

/**
 * Returns the smallest set of keys in an index that has all objects of the selection; undefined if no index helps: looking up most of the objects by
 * their keys takes longer than walking over all.
 */
function indexedKeys(
  { informer, indexedFields }: Mirror,
  { namespace, labels, fields }: MirrorSelection,
): Iterable<string> | undefined {
  const name = fields.exactMatch('metadata.name');
  const within = fields.exactMatch('metadata.namespace') || namespace;
  if (namespace !== '' && within !== namespace) return noKeys;
  if (name !== undefined) return within === '' ? informer.keysNamed(name) : [namespacedName(within, name)];
  const sets: (readonly Iterable<string>[])[] = within === '' ? [] : [[informer.keysIn(within)]];
  for (const { key, operator, values } of labels.requirements) {
    if (!indexedOperators.has(operator)) continue;
    const texts = [...[...new Set(values)].map(value => indexValue(key, value)), manyLabels];
    sets.push(texts.map(text => informer.keysByIndex('labels', text)));
  }
  for (const { field } of fields.requirements) {
    const value = fields.exactMatch(field);
    if (value && indexedFields.has(field)) sets.push([informer.keysByIndex('fields', indexValue(field, value))]);
  }
  let smallest: readonly Iterable<string>[] | undefined;
  let size = informer.cached.size / 2;
  for (const each of sets) {
    const others = totalSize(each);
    if (others < size) [smallest, size] = [each, others];
  }
  return smallest && joined(smallest);
}

/** Returns the objects of the mirror that an index selects, in one state of the mirror; all if no index helps. They are not matched yet. */
function candidates(mirror: Mirror, selection: MirrorSelection): readonly Cached[] {
  const { informer } = mirror;
  const keys = indexedKeys(mirror, selection);
  if (!keys) return informer.list();
  const found: Cached[] = [];
  for (const key of keys) {
    const object = informer.get(key);
    if (object) found.push(object);
  }
  return found;
}

const byKey = (a: Cached, b: Cached): number => compareTexts(a.key, b.key);

/**
 * Yields the selected objects of a mirror as it is at the beginning, in the order of their keys, as lists of a server are; undefined now and then, where
 * the walk may pause.
 */
export function* selected(mirror: Mirror, selection: MirrorSelection): Generator<Cached | undefined, void> {
  const { namespace, matches } = selection;
  const found: Cached[] = [];
  const strides = new Strides();
  // Mirrors and indexes have the order of the changes. Without any since the list of the member, it is that of the keys.
  let [last, isInOrder] = ['', true];
  for (const object of candidates(mirror, selection)) {
    const { namespace: of = '' } = object.metadata;
    if ((namespace === '' || of === namespace) && isWithin(mirror, of) && matches(object)) {
      found.push(object);
      isInOrder &&= object.key >= last;
      last = object.key;
    }
    if (strides.isOver) yield undefined;
  }
  yield* isInOrder ? found : yield* sortInSteps(found, byKey);
}
