import type { GroupVersionResource } from '../../../apimachinery/interface.js';
import type {
  CachedEvent,
  CachedItem,
  CachedObject,
  CachedReader,
  ListQuery,
  WatchQuery,
} from '../../../client/interface.js';
import { keyOf } from '../../../client/key.js';
import type { HeldPart, PartOf, Received, RemoteMapper } from '../../interface.js';
import type { HeldTexts } from './held-texts.js';
import type { Mirroring } from './mirroring.js';

/** Asks for the metadata of objects only, as client-go/metadata does. A server that does not know the format sends whole objects. */
const metadataOnly = {
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
  watch: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
} as const;

/** Where a server is read. */
interface HeldFrom {
  readonly mirroring: Mirroring;
  readonly mapper: Pick<RemoteMapper, 'lacks'>;
}

/** Reads another server for mirrors, which hold a part of each object, with its size. */
export class HeldReader implements CachedReader {
  readonly #mirroring: Mirroring;
  readonly #mapper: Pick<RemoteMapper, 'lacks'>;
  readonly #partOf: PartOf;
  readonly #texts: HeldTexts | undefined;

  /** `texts` holds the objects that are rarely read; absent: all objects are held parsed. */
  constructor({ mirroring, mapper }: HeldFrom, partOf: PartOf, texts?: HeldTexts) {
    this.#mirroring = mirroring;
    this.#mapper = mapper;
    this.#partOf = partOf;
    this.#texts = texts;
  }

  async list(
    resource: GroupVersionResource,
    query: ListQuery = {},
    take?: (bytes: number) => void,
  ): ReturnType<CachedReader['list']> {
    const part = this.#partOf(resource, query);
    const items: CachedItem[] = [];
    const objects = this.#mirroring.each(resource, query, part.isMetadataOnly ? { accept: metadataOnly.list } : {});
    for (let next = await objects.next(); ; next = await objects.next()) {
      if (next.done) return { resourceVersion: next.value, items };
      const held = heldOf(next.value, part);
      take?.(held.size);
      // The controllers read the objects of a long list over some minutes.
      items.push(itemOf(held, this.#textsOf(part)?.hold(resource, held, false)));
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
      if (type === 'BOOKMARK') yield { type, resourceVersion };
      else {
        const held = heldOf({ object, size }, part);
        yield { type, resourceVersion, ...itemOf(held, this.#textsOf(part)?.hold(resource, held, true)) };
      }
    }
  }

  #textsOf({ isRarelyRead = false }: HeldPart): HeldTexts | undefined {
    return isRarelyRead ? this.#texts : undefined;
  }

  getCached(): undefined {
    return undefined;
  }

  listCached(): undefined {
    return undefined;
  }

  lacks(resource: GroupVersionResource): Promise<boolean> {
    return this.#mapper.lacks(resource);
  }
}

const heldOf = (received: Received, { of }: HeldPart): Received => of?.(received) ?? received;

const parsed = ({ object, size }: Received): CachedObject => ({
  object,
  size,
  revision: object.metadata.resourceVersion ?? '',
});

const itemOf = (received: Received, cached = parsed(received)): CachedItem => ({ key: keyOf(received.object), cached });
