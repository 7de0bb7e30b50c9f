/** Counts the objects that controllers read from their mirrors, each of which may have to be parsed. */
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { ByteProbe, CachedItem, CachedObject, Client, OwnerMeta } from '../../client/interface.js';
import { cachedReader } from '../../client/watch/cached-reader.js';

class CountedObject implements CachedObject {
  readonly #inner: CachedObject;
  readonly #count: () => void;

  constructor(inner: CachedObject, count: () => void) {
    this.#inner = inner;
    this.#count = count;
  }

  get object(): KubeObject {
    this.#count();
    return this.#inner.object;
  }

  get revision(): string | number {
    return this.#inner.revision;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#inner.labels ?? {};
  }

  get ownerMeta(): OwnerMeta {
    return this.#inner.ownerMeta ?? this.object.metadata;
  }

  mightContain(probe: ByteProbe): boolean {
    return this.#inner.mightContain?.(probe) ?? true;
  }
}

export class ObjectReads {
  readonly #counts = new Map<string, number>();

  /** Returns the number of reads of objects of a resource since the last call. */
  taken({ resource }: GroupVersionResource): number {
    const count = this.#counts.get(resource) ?? 0;
    this.#counts.delete(resource);
    return count;
  }

  /** Returns a client whose mirrors are counted. */
  of(client: Client): Client {
    const inner = cachedReader(client);
    const counted = <T extends CachedItem>({ resource }: GroupVersionResource, item: T): T => ({
      ...item,
      cached: new CountedObject(item.cached, () => this.#counts.set(resource, (this.#counts.get(resource) ?? 0) + 1)),
    });
    const cached: Client['cached'] = {
      ...{ getCached: inner.getCached.bind(inner), listCached: inner.listCached.bind(inner) },
      async list(resource, ...asked) {
        const { items, resourceVersion } = await inner.list(resource, ...asked);
        return { resourceVersion, items: items.map(item => counted(resource, item)) };
      },
      async *watch(resource, ...asked) {
        for await (const event of inner.watch(resource, ...asked))
          yield event.type === 'BOOKMARK' ? event : counted(resource, event);
      },
    };
    return new Proxy(client, {
      get(target, name) {
        if (name === 'cached') return cached;
        const value: unknown = Reflect.get(target, name, target);
        // Methods of a class have private fields of the client itself.
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}
