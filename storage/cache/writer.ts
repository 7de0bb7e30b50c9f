import type { CacheSource, Codec, Item, Outcome, PutOptions, Revision } from '../interface.js';
import { decoded } from './decoder.js';
import type { Replica } from './replica.js';

/** Writes through a cache: the values that it writes enter the cache without being decoded. */
export class CacheWriter<V, D> {
  readonly #backend: CacheSource;
  readonly #codec: Codec<V, D>;
  readonly #replica: Replica<V, D>;

  constructor(backend: CacheSource, codec: Codec<V, D>, replica: Replica<V, D>) {
    this.#backend = backend;
    this.#codec = codec;
    this.#replica = replica;
  }

  async put(key: string, expect: Revision | 'absent', value: D, how?: PutOptions): Promise<Outcome<V>> {
    const { decoder } = this.#replica;
    const bytes = this.#codec.encode(value);
    const write = decoder.writing(key, value, bytes);
    let item: Item<V> | undefined;
    try {
      const outcome = await this.#backend.put(key, expect, bytes, how);
      if (outcome.type === 'conflict') return this.#conflict(outcome.current);
      item = decoder.written(write, outcome.revision);
    } finally {
      decoder.ended(write);
    }
    return { type: 'done', item: decoded(item), revision: item.revision };
  }

  async remove(key: string, expect: Revision): Promise<Outcome<V>> {
    const cached = this.#replica.eventLog?.get(key);
    const outcome = await this.#backend.remove(key, expect);
    if (outcome.type === 'conflict') return this.#conflict(outcome.current);
    const { item, revision } = outcome;
    const removed =
      cached?.revision === expect
        ? decoded(cached)
        : this.#replica.decoder.read({ key, value: item.value, revision: expect });
    return { type: 'done', item: { key, value: removed.value, revision }, revision };
  }

  #conflict(current: Item<Uint8Array> | undefined): Outcome<V> {
    return { type: 'conflict', current: current === undefined ? undefined : this.#replica.decoder.read(current) };
  }
}
