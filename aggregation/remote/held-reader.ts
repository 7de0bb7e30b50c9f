import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type {
  CachedEvent,
  CachedItem,
  CachedObject,
  CachedReader,
  ListQuery,
  WatchQuery,
} from '../../client/interface.js';
import { keyOf } from '../../client/key.js';
import type { HeldPart, PartOf, Received } from '../interface.js';
import type { Mirroring } from './mirroring.js';

/** Asks for the metadata of objects only, as client-go/metadata does. A server that does not know the format sends whole objects. */
const metadataOnly = {
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
  watch: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
} as const;

/** Reads another server for mirrors, which hold a part of each object, with its size. */
export class HeldReader implements CachedReader {
  readonly #mirroring: Mirroring;
  readonly #partOf: PartOf;

  constructor(mirroring: Mirroring, partOf: PartOf) {
    this.#mirroring = mirroring;
    this.#partOf = partOf;
  }

  async list(
    resource: GroupVersionResource,
    query: ListQuery = {},
    take?: (bytes: number) => void,
  ): ReturnType<CachedReader['list']> {
    const part = this.#partOf(resource, query);
    const items: CachedItem[] = [];
    const objects = this.#mirroring.each(resource, query, part.isMetadataOnly ? metadataOnly.list : undefined);
    for (let next = await objects.next(); ; next = await objects.next()) {
      if (next.done) return { resourceVersion: next.value, items };
      const held = heldOf(next.value, part);
      take?.(held.size);
      items.push(itemOf(held));
    }
  }

  async *watch(
    resource: GroupVersionResource,
    query: WatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<CachedEvent, void> {
    const part = this.#partOf(resource, query);
    const accept = part.isMetadataOnly ? metadataOnly.watch : undefined;
    for await (const { type, object, size } of this.#mirroring.events(resource, query, signal, accept)) {
      const { resourceVersion = '' } = object.metadata;
      yield type === 'BOOKMARK'
        ? { type, resourceVersion }
        : { type, resourceVersion, ...itemOf(heldOf({ object, size }, part)) };
    }
  }

  getCached(): undefined {
    return undefined;
  }

  listCached(): undefined {
    return undefined;
  }
}

const heldOf = (received: Received, { of }: HeldPart): Received => of?.(received) ?? received;

const itemOf = ({ object, size }: Received): { readonly key: string; readonly cached: CachedObject } => ({
  key: keyOf(object),
  cached: { object, size, revision: object.metadata.resourceVersion ?? '' },
});
