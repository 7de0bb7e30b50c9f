/**
 * Conversion of stored objects: to the version of a request, and to the current storage version if they were stored in another one. A webhook
 * may do the conversion, so results are kept for later requests (`KeptViews`).
 */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { jsonTextSteps } from '../../../lib/json/text-steps.js';
import { type Maybe, andThen } from '../../../lib/maybe.js';
import { inTimeSlices, TimeSlice } from '../../../lib/time-slice.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import { requestsStorageVersion, storageApiVersion } from './api-versions.js';
import type { RequestScope, Stored } from '../interface.js';
import { loadedObject } from './loaded.js';
import { KeptViews } from './kept-views.js';
import { toRequestedVersion, allToRequestedVersion } from './versions.js';

type VersionScope = Pick<RequestScope, 'definition' | 'version'>;

/** Objects in requested versions, and in the current storage version. */
const views = new KeptViews<VersionDefinition>();
/** The stored forms of objects in the current storage version. */
const migrated = new WeakMap<KubeObject, Maybe<Stored>>();

/** hot: Reports whether versions differ in more than apiVersion. */
export const isConverted = ({ convert, mixedStorage, wire }: ResourceDefinition): boolean =>
  (convert !== undefined || mixedStorage === true) && wire.keys === 'sorted';

/** Reports whether the object was stored in the current storage version. Its bytes begin with the version. */
function isCurrent(definition: ResourceDefinition, { json }: Stored): boolean {
  const head = `{"apiVersion":${JSON.stringify(storageApiVersion(definition))},`;
  return json.toString('latin1', 0, head.length) === head;
}

/** Returns the object in the requested version. Failures are not kept. */
export function requestedView({ definition, version }: VersionScope, stored: Stored): Maybe<KubeObject> {
  const found = views.find(stored, version);
  if (found) return found;
  const scope = { definition, version };
  const loading = loadedObject(stored);
  const converting =
    loading instanceof Promise
      ? loading.then(object => toRequestedVersion(scope, object))
      : toRequestedVersion(scope, loading);
  views.add(stored, version, converting);
  return converting;
}

/** Returns the result of `requestedView` if it is in memory; undefined if the object has not been converted yet. */
export function cachedView(version: VersionDefinition, stored: Stored): KubeObject | undefined {
  const found = views.find(stored, version);
  return found instanceof Promise ? undefined : found;
}

/** hot: Returns the stored object in the current storage version. */
export function toCurrentVersion(definition: ResourceDefinition, stored: Stored): Maybe<Stored> {
  if (!definition.mixedStorage) return stored;
  const decoding = stored.decoding?.();
  if (decoding) return decoding.then(() => toCurrentVersion(definition, stored));
  if (isCurrent(definition, stored)) return stored;
  return andThen(requestedView(storageScope(definition), stored), object => withObject(stored, object));
}

/** Returns the object in the current storage version. */
export const currentObject = (definition: ResourceDefinition, stored: Stored): Maybe<KubeObject> =>
  andThen(toCurrentVersion(definition, stored), loadedObject);

function storageScope(definition: ResourceDefinition): VersionScope {
  const version = definition.versions.find(({ name }) => name === definition.storageVersion);
  if (!version) throw new Error(`${definition.plural} has no version ${definition.storageVersion}`);
  return { definition, version };
}

/** Returns a stored object with the same key and revision, which is in memory as long as its object. */
function withObject({ key, revision }: Stored, object: KubeObject): Maybe<Stored> {
  const known = migrated.get(object);
  if (known) return known;
  const making = andThen(inTimeSlices(jsonTextSteps(object)), text => {
    const made = { key, revision, object, json: Buffer.from(text), typeLength: 0 };
    migrated.set(object, made);
    return made;
  });
  migrated.set(object, making);
  return making;
}

/** The items of a list, and these items in the requested version if they are converted by more than their apiVersion. */
interface ConvertedItems {
  readonly items: readonly Stored[];
  readonly views?: readonly KubeObject[];
}

/** Converts the items of a list to the requested version: those of the storage version are stored objects again. */
export async function convertAll(call: VersionScope, items: readonly Stored[]): Promise<ConvertedItems> {
  const { definition, version } = call;
  if (!isConverted(definition)) return { items };
  if (!requestsStorageVersion(definition, version)) return { items, views: await loadViews(call, items) };
  if (!definition.mixedStorage) return { items };
  const old = items.filter(item => !isCurrent(definition, item));
  const held = await loadViews(call, old);
  const made = new Map<Stored, Stored>();
  for (const [i, item] of old.entries()) made.set(item, await withObject(item, held[i] as KubeObject));
  return { items: items.map(item => made.get(item) ?? item) };
}

/**
 * Converts all items to the requested version. `cachedView` finds them in this turn of the event loop, and as long as the caller holds them: a list may
 * be larger than all that is kept.
 */
export async function loadViews(call: VersionScope, items: readonly Stored[]): Promise<readonly KubeObject[]> {
  const { version } = call;
  const found = items.map(item => views.find(item, version));
  const missing = items.filter((_, i) => !found[i]);
  const together = convertTogether(call, missing);
  let next = 0;
  // Small objects are parsed and converted at once, so that many of them take several turns.
  const slice = new TimeSlice();
  const loading: Promise<KubeObject>[] = [];
  for (const [i, item] of items.entries()) {
    const pause = found[i] ? undefined : slice.pause();
    if (pause) await pause;
    const view = Promise.resolve(found[i] ?? together?.[next++] ?? requestedView(call, item));
    // It is awaited after the promises of all items exist.
    view.catch(() => undefined);
    loading.push(view);
  }
  const all = await Promise.all(loading);
  // An object that is looked up stays in memory until the turn ends.
  for (const item of items) cachedView(version, item);
  return all;
}

/**
 * Converts the objects of one request with one call of the webhook, never together with those of another request. Returns undefined if the kind
 * converts its objects one by one.
 */
function convertTogether(call: VersionScope, items: readonly Stored[]): readonly Promise<KubeObject>[] | undefined {
  const all = allToRequestedVersion(call, items);
  all?.catch(() => undefined); // the promise of each item rejects, too
  return (
    all &&
    items.map((item, i) => {
      const converting = all.then(objects => objects[i] as KubeObject);
      views.add(item, call.version, converting);
      return converting;
    })
  );
}
