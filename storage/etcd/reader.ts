import { StorageError } from '../error.js';
import type { Item, Page, RangeOptions, Revision } from '../interface.js';
import { toRevision } from '../revision.js';
import type { EtcdClient } from './client.js';
import { type Keys, rangeEnd } from './keys.js';
import type { Header, RangeResponse } from './messages.js';
import { first } from './stream.js';

/** Bytes, roughly, of the parts in which an unlimited page is read. */
const targetPartBytes = 4 << 20;
const firstPartKeys = 500;
const maxPartKeys = 10_000;

/** Returns the revision of etcd at which a request was answered. */
export const revisionOf = (response: { readonly header: Header }): Revision => toRevision(response.header.revision);

/** Returns the answer. Throws 'future' when it is older than `notBefore`. */
function reached<T extends { readonly revision: Revision }>(answer: T, notBefore: Revision | undefined): T {
  if (notBefore === undefined || answer.revision >= notBefore) return answer;
  throw new StorageError('future', `revision ${notBefore} is not reached yet`, { revision: answer.revision });
}

/** Reads keys of an etcd. Its methods are those of a Backend. */
export class EtcdReader {
  readonly #client: EtcdClient;
  readonly #keys: Keys;

  constructor(client: EtcdClient, keys: Keys) {
    this.#client = client;
    this.#keys = keys;
  }

  async get(key: string, { notBefore }: { readonly notBefore?: Revision } = {}): Promise<Item<Uint8Array> | undefined> {
    const { response } = await this.#client.call('range', { key: this.#keys.encode(key) });
    reached({ revision: revisionOf(response) }, notBefore);
    const kv = response.kvs[0];
    return kv === undefined ? undefined : this.#keys.item(kv);
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page<Uint8Array>> {
    const { start, limit = 0, at, notBefore } = options;
    const low = this.#keys.encode(prefix);
    const asked = start === undefined ? low : this.#keys.encode(start);
    const from = Buffer.compare(asked, low) > 0 ? asked : low;
    const key = from.length === 0 ? first : from;
    const end = rangeEnd(low);
    // The start is beyond the prefix; etcd would report an empty range as an error.
    if (end.length > 1 && Buffer.compare(key, end) >= 0)
      return { items: [], revision: at ?? (await this.newest(notBefore)), remaining: 0 };
    if (limit === 0) return reached(await this.#all(key, end, at ?? 0), notBefore);
    const response = await this.#part(key, end, limit, at ?? 0);
    const items = response.kvs.map(this.#keys.item);
    const page = { items, revision: at ?? revisionOf(response), remaining: response.count - items.length };
    return reached(page, notBefore);
  }

  /** Returns the newest revision. Throws 'future' when it is below `notBefore`. */
  async newest(notBefore?: Revision, deadlineMs?: number): Promise<Revision> {
    const request = { key: this.#keys.encode('/'), count_only: true };
    const { response } = await this.#client.call('range', request, deadlineMs);
    return reached({ revision: revisionOf(response) }, notBefore).revision;
  }

  async compare(
    prefix: string,
    since: Revision,
    count: number,
  ): Promise<{ readonly revision: Revision; readonly same: boolean }> {
    const low = this.#keys.encode(prefix);
    const key = low.length === 0 ? first : low;
    const changed = { keys_only: true, min_mod_revision: since + 1, limit: 1 };
    const { response } = await this.#client.call('range', { key, range_end: rangeEnd(low), ...changed });
    // Nothing is newer, and nothing is gone.
    return { revision: revisionOf(response), same: response.kvs.length === 0 && response.count === count };
  }

  /** Reads all items from `start` on, part by part, at the revision of the first part. */
  async #all(start: Buffer, end: Buffer, at: number): Promise<Page<Uint8Array>> {
    const items: Item<Uint8Array>[] = [];
    let response = await this.#part(start, end, firstPartKeys, at);
    const revision = at > 0 ? toRevision(at) : revisionOf(response);
    let bytes = 0;
    for (;;) {
      for (const kv of response.kvs) {
        items.push(this.#keys.item(kv));
        bytes += kv.value.length + kv.key.length;
      }
      const last = response.kvs.at(-1);
      if (!response.more || last === undefined) return { items, revision, remaining: 0 };
      const fitting = Math.floor((targetPartBytes * items.length) / Math.max(bytes, 1));
      const limit = Math.min(Math.max(fitting, 1), maxPartKeys);
      response = await this.#part(Buffer.concat([last.key, Buffer.from([0])]), end, limit, revision);
    }
  }

  async #part(start: Buffer, end: Buffer, limit: number, at: number): Promise<RangeResponse> {
    const { response } = await this.#client.call('range', { key: start, range_end: end, limit, revision: at });
    return response;
  }
}
