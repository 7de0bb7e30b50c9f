/**
 * Stored objects of kinds that somebody else converts: in other versions, and in the storage version when they were stored in another
 * one. Each is asked for once, and kept with what is stored.
 */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { jsonText } from '../../../lib/json/json.js';
import { type Maybe, andThen } from '../../../lib/maybe.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import { requestsStorageVersion, storageApiVersion } from './api-versions.js';
import type { RequestScope, Stored } from '../interface.js';
import { toRequestedVersion, allToRequestedVersion } from './versions.js';

type Spoken = Pick<RequestScope, 'definition' | 'version'>;

const views = new WeakMap<Stored, Map<VersionDefinition, Maybe<KubeObject>>>();
const renewed = new WeakMap<Stored, Map<ResourceDefinition, Promise<Stored>>>();

/** hot: are there versions that differ in more than their label? */
export const isConverted = ({ convert, mixedStorage, wire }: ResourceDefinition): boolean =>
  (convert !== undefined || mixedStorage === true) && wire.keys === 'sorted';

/** Is it stored in the storage version of now? Its bytes begin with the version. */
function isCurrent(definition: ResourceDefinition, { json }: Stored): boolean {
  const head = `{"apiVersion":${JSON.stringify(storageApiVersion(definition))},`;
  return json.toString('latin1', 0, head.length) === head;
}

/** In the version of a call; a failure is not remembered. */
export function viewOf({ definition, version }: Spoken, stored: Stored): Maybe<KubeObject> {
  const found = views.get(stored)?.get(version);
  if (found) return found;
  const made = toRequestedVersion({ definition, version }, stored.object);
  remember({ definition, version }, stored, made);
  return made;
}

function remember({ version }: Spoken, stored: Stored, made: Promise<KubeObject>): void {
  const known = views.get(stored) ?? new Map<VersionDefinition, Maybe<KubeObject>>();
  views.set(stored, known);
  known.set(version, made);
  made.then(
    object => known.set(version, object),
    () => known.delete(version),
  );
}

/** What `viewOf` has made already. */
export function viewMade(version: VersionDefinition, stored: Stored): KubeObject | undefined {
  const found = views.get(stored)?.get(version);
  return found instanceof Promise ? undefined : found;
}

/** hot: what is stored, in the storage version of now. */
export function renew(definition: ResourceDefinition, stored: Stored): Maybe<Stored> {
  if (!definition.mixedStorage || isCurrent(definition, stored)) return stored;
  const known = renewed.get(stored) ?? new Map<ResourceDefinition, Promise<Stored>>();
  renewed.set(stored, known);
  const found = known.get(definition) ?? renewNow(definition, stored);
  known.set(definition, found);
  found.catch(() => known.delete(definition)); // the caller is told, and who asks next asks again
  return found;
}

/** The object, in the storage version of now. */
export const objectOf = (definition: ResourceDefinition, stored: Stored): Maybe<KubeObject> =>
  andThen(renew(definition, stored), ({ object }) => object);

async function renewNow(definition: ResourceDefinition, stored: Stored): Promise<Stored> {
  return renewedAs(stored, await toRequestedVersion(current(definition), stored.object));
}

function current(definition: ResourceDefinition): Spoken {
  const version = definition.versions.find(({ name }) => name === definition.storageVersion);
  if (!version) throw new Error(`${definition.plural} has no version ${definition.storageVersion}`);
  return { definition, version };
}

function renewedAs({ key, revision }: Stored, object: KubeObject): Stored {
  return { key, revision, object, json: Buffer.from(jsonText(object)), typeLength: 0 };
}

/** Items of a list as clients of the call get their bytes. */
export async function renewAll(call: Spoken, items: readonly Stored[]): Promise<readonly Stored[]> {
  const { definition, version } = call;
  if (!isConverted(definition)) return items;
  if (!requestsStorageVersion(definition, version)) {
    await viewAll(call, items);
    return items;
  }
  if (!definition.mixedStorage) return items;
  const old = items.filter(item => !isCurrent(definition, item) && !renewed.get(item)?.has(definition));
  askedAtOnce(call, old, (item, object) => {
    const made = object.then(found => renewedAs(item, found));
    const known = renewed.get(item) ?? new Map<ResourceDefinition, Promise<Stored>>();
    renewed.set(item, known);
    known.set(definition, made);
    made.catch(() => known.delete(definition)); // as above
  });
  return Promise.all(items.map(async item => renew(definition, item)));
}

/** All in the version of the call, for `viewMade` and those who convert them next. */
export async function viewAll(call: Spoken, items: readonly Stored[]): Promise<void> {
  if (!isConverted(call.definition)) return;
  const { version } = call;
  const strange = items.filter(item => !views.get(item)?.has(version));
  askedAtOnce(call, strange, (item, object) => remember(call, item, object));
  await Promise.all(items.map(async item => viewOf(call, item)));
}

/** The objects of one request go to somebody else together, and never with those of another request. */
function askedAtOnce(
  call: Spoken,
  items: readonly Stored[],
  tell: (item: Stored, object: Promise<KubeObject>) => void,
): void {
  const all = allToRequestedVersion(call, items);
  all?.catch(() => undefined); // told by the promise of each item
  if (all)
    items.forEach((item, i) =>
      tell(
        item,
        all.then(objects => objects[i] as KubeObject),
      ),
    );
}
