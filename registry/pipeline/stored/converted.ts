/**
 * Conversion of stored objects: to the version of a request, and to the current storage version if they were stored in another one. A webhook
 * may do the conversion, so each result is cached for as long as the stored object is in memory.
 */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { jsonText } from '../../../lib/json/json.js';
import { type Maybe, andThen } from '../../../lib/maybe.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import { requestsStorageVersion, storageApiVersion } from './api-versions.js';
import type { RequestScope, Stored } from '../interface.js';
import { toRequestedVersion, allToRequestedVersion } from './versions.js';

type VersionScope = Pick<RequestScope, 'definition' | 'version'>;

/** Objects in requested versions. */
const views = new WeakMap<Stored, Map<VersionDefinition, Maybe<KubeObject>>>();
/** Objects in the current storage version. */
const migrated = new WeakMap<Stored, Map<ResourceDefinition, Promise<Stored>>>();

/** hot: Reports whether versions differ in more than apiVersion. */
export const isConverted = ({ convert, mixedStorage, wire }: ResourceDefinition): boolean =>
  (convert !== undefined || mixedStorage === true) && wire.keys === 'sorted';

/** Reports whether the object was stored in the current storage version. Its bytes begin with the version. */
function isCurrent(definition: ResourceDefinition, { json }: Stored): boolean {
  const head = `{"apiVersion":${JSON.stringify(storageApiVersion(definition))},`;
  return json.toString('latin1', 0, head.length) === head;
}

/** Returns the object in the requested version. Failures are not cached. */
export function requestedView({ definition, version }: VersionScope, stored: Stored): Maybe<KubeObject> {
  const found = views.get(stored)?.get(version);
  if (found) return found;
  const converting = toRequestedVersion({ definition, version }, stored.object);
  cacheView({ definition, version }, stored, converting);
  return converting;
}

function cacheView({ version }: VersionScope, stored: Stored, converting: Promise<KubeObject>): void {
  const known = views.get(stored) ?? new Map<VersionDefinition, Maybe<KubeObject>>();
  views.set(stored, known);
  known.set(version, converting);
  converting.then(
    object => known.set(version, object),
    () => known.delete(version),
  );
}

/** Returns the result of `requestedView` from the cache; undefined if the object has not been converted yet. */
export function cachedView(version: VersionDefinition, stored: Stored): KubeObject | undefined {
  const found = views.get(stored)?.get(version);
  return found instanceof Promise ? undefined : found;
}

/** hot: Returns the stored object in the current storage version. */
export function toCurrentVersion(definition: ResourceDefinition, stored: Stored): Maybe<Stored> {
  if (!definition.mixedStorage || isCurrent(definition, stored)) return stored;
  const known = migrated.get(stored) ?? new Map<ResourceDefinition, Promise<Stored>>();
  migrated.set(stored, known);
  const found = known.get(definition) ?? migrate(definition, stored);
  known.set(definition, found);
  found.catch(() => known.delete(definition)); // the caller gets the error, and the next call converts again
  return found;
}

/** Returns the object in the current storage version. */
export const currentObject = (definition: ResourceDefinition, stored: Stored): Maybe<KubeObject> =>
  andThen(toCurrentVersion(definition, stored), ({ object }) => object);

async function migrate(definition: ResourceDefinition, stored: Stored): Promise<Stored> {
  return withObject(stored, await toRequestedVersion(storageScope(definition), stored.object));
}

function storageScope(definition: ResourceDefinition): VersionScope {
  const version = definition.versions.find(({ name }) => name === definition.storageVersion);
  if (!version) throw new Error(`${definition.plural} has no version ${definition.storageVersion}`);
  return { definition, version };
}

/** Returns a stored object with the same key and revision. */
function withObject({ key, revision }: Stored, object: KubeObject): Stored {
  return { key, revision, object, json: Buffer.from(jsonText(object)), typeLength: 0 };
}

/** Converts the items of a list to the requested version. Other versions than the storage version are found with `cachedView` afterwards. */
export async function convertAll(call: VersionScope, items: readonly Stored[]): Promise<readonly Stored[]> {
  const { definition, version } = call;
  if (!isConverted(definition)) return items;
  if (!requestsStorageVersion(definition, version)) {
    await loadViews(call, items);
    return items;
  }
  if (!definition.mixedStorage) return items;
  const old = items.filter(item => !isCurrent(definition, item) && !migrated.get(item)?.has(definition));
  convertTogether(call, old, (item, object) => {
    const migrating = object.then(found => withObject(item, found));
    const known = migrated.get(item) ?? new Map<ResourceDefinition, Promise<Stored>>();
    migrated.set(item, known);
    known.set(definition, migrating);
    migrating.catch(() => known.delete(definition)); // as above
  });
  return Promise.all(items.map(async item => toCurrentVersion(definition, item)));
}

/** Converts all items to the requested version, so that `requestedView` and `cachedView` find them in the cache. */
export async function loadViews(call: VersionScope, items: readonly Stored[]): Promise<void> {
  if (!isConverted(call.definition)) return;
  const { version } = call;
  const missing = items.filter(item => !views.get(item)?.has(version));
  convertTogether(call, missing, (item, object) => cacheView(call, item, object));
  await Promise.all(items.map(async item => requestedView(call, item)));
}

/**
 * Converts the objects of one request with one call of the webhook, never together with those of another request. Calls `onObject` for each item;
 * not at all if the kind converts its objects one by one.
 */
function convertTogether(
  call: VersionScope,
  items: readonly Stored[],
  onObject: (item: Stored, object: Promise<KubeObject>) => void,
): void {
  const all = allToRequestedVersion(call, items);
  all?.catch(() => undefined); // the promise of each item rejects, too
  if (all)
    items.forEach((item, i) =>
      onObject(
        item,
        all.then(objects => objects[i] as KubeObject),
      ),
    );
}
