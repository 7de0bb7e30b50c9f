import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { objectKey } from '../../apimachinery/meta/gvk.js';
import type {
  Client,
  CachedEvent,
  CachedItem,
  CachedObject,
  CachedReader,
  ListQuery,
  ByteProbe,
  WatchQuery,
} from '../interface.js';

/** False: it surely does not have it. Nothing is parsed. */
export const mightContain = (held: CachedObject, mark: ByteProbe): boolean => held.mightContain?.(mark) ?? true;

const parsed = (object: KubeObject): CachedItem => ({
  key: objectKey(object.metadata.namespace, object.metadata.name ?? ''),
  cached: { object, revision: object.metadata.resourceVersion ?? '' },
});

/** Objects as their client holds them: of a server in this process what is in its cache, of another one what it sent. */
export const cachedReader = (client: Client): CachedReader =>
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
