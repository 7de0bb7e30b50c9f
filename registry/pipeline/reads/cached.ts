/** What memory holds at the moment, without waiting for anything: what admission looks up with every write. */
import { StorageError } from '../../../storage/error.js';
import type { Item } from '../../../storage/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { requestsStorageVersion } from '../stored/api-versions.js';
import type { Parts } from '../context.js';
import { isConverted } from '../stored/converted.js';
import type { RequestScope, Stored } from '../interface.js';
import { keyOf, prefixOf } from '../stored/keys.js';
import { objectInMemory } from '../stored/stored.js';

type Place = Pick<RequestScope, 'definition' | 'version' | 'namespace'>;

/** As `get` at resourceVersion 0; undefined: nothing is there that could be handed out as it is. `get` says why. */
export function peek(parts: Parts, place: Place, name: string): Stored | undefined {
  if (!isAsStored(place)) return undefined;
  const { definition, namespace } = place;
  return sound(() => parts.stores.of(definition).cache.peek(keyOf(definition, namespace, name))?.value);
}

/** As `list` at resourceVersion 0. */
export function peekAll(parts: Parts, place: Place): readonly Stored[] | undefined {
  if (!isAsStored(place)) return undefined;
  const { definition, namespace } = place;
  return sound(() => parts.stores.of(definition).cache.peekAll(prefixOf(definition, namespace))?.map(valueOf));
}

/** The object that stands there, as it is stored, where that is the version that is spoken and it has been read before. */
export function peekObject(parts: Parts, place: Place, name: string): KubeObject | undefined {
  const { definition, version, namespace } = place;
  if (!requestsStorageVersion(definition, version)) return undefined;
  const item = sound(() => parts.stores.of(definition).cache.peek(keyOf(definition, namespace, name)));
  return item && objectInMemory(item.value);
}

const valueOf = ({ value }: Item<Stored>): Stored => value;

const isAsStored = ({ definition, version }: Place): boolean =>
  requestsStorageVersion(definition, version) && !isConverted(definition);

function sound<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}
