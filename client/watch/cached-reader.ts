import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type {
  CachedEvent,
  CachedItem,
  CachedObject,
  CachedReader,
  ListQuery,
  ByteProbe,
  ListerWatcher,
  OwnerMeta,
  WatchQuery,
} from '../interface.js';
import { keyOf } from '../key.js';

/** Returns false if the object surely does not have the property, without parsing it. */
export const mightContain = (cached: CachedObject, probe: ByteProbe): boolean => cached.mightContain?.(probe) ?? true;

/** Returns the uid, owners and deletion of an object, without parsing the rest of it if they can be read apart. */
export const ownerMetaOf = (cached: CachedObject): OwnerMeta => cached.ownerMeta ?? cached.object.metadata;

const parsed = (object: KubeObject): CachedItem => ({
  key: keyOf(object),
  cached: { object, revision: object.metadata.resourceVersion ?? '' },
});

/** Returns the cached reader of an in-process client, or one that wraps the objects that a remote server sends. */
export const cachedReader = (client: ListerWatcher): CachedReader =>
  client.cached ?? {
    async list(resource: GroupVersionResource, query?: ListQuery) {
      const { metadata, items } = await client.list(resource, query);
      return { resourceVersion: metadata.resourceVersion ?? '', items: items.map(parsed) };
    },
    async *watch(
      resource: GroupVersionResource,
      query: WatchQuery,
      signal: AbortSignal,
    ): AsyncGenerator<CachedEvent, void> {
      for await (const { type, object } of client.watch(resource, query, signal)) {
        const { resourceVersion = '' } = object.metadata;
        yield type === 'BOOKMARK' ? { type, resourceVersion } : { type, resourceVersion, ...parsed(object) };
      }
    },
    getCached: () => undefined,
    listCached: () => undefined,
  };
