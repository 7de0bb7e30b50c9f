/** A watch cache over an embedded store, for tests. */
import type { Test } from 'tap';
import type { Cache, CacheOptions } from '../../../storage/cache/interface.js';
import { openCache } from '../../../storage/cache/open-cache.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend, Change, Codec, Item, Revision } from '../../../storage/interface.js';
import { bytes } from '../../conformance/store.js';
import { type Faulty, faulty } from '../faulty.js';
import { temporaryFolder } from '../folder.js';
export interface Thing {
  readonly name: string;
  readonly labels?: readonly string[];
  readonly revision?: number;
}

interface Counting extends Codec<Thing> {
  decoded: number;
  adopted: number;
  prepare?: (value: Thing) => Promise<void> | undefined;
}

/** A codec that counts its calls, and puts the revision into the value as objects have their resourceVersion. */
export function counting(): Counting {
  const codec: Counting = {
    decoded: 0,
    adopted: 0,
    decode(value: Uint8Array, _key: string, revision: Revision): Thing {
      codec.decoded++;
      return { ...(JSON.parse(Buffer.from(value).toString()) as Thing), revision };
    },
    encode: (value: Thing): Uint8Array => bytes(JSON.stringify({ name: value.name, labels: value.labels })),
    adopt(value: Thing, _key: string, revision: Revision): Thing {
      codec.adopted++;
      return { ...value, revision };
    },
  };
  return codec;
}

interface Opened {
  readonly backend: Faulty;
  readonly cache: Cache<Thing>;
  readonly codec: ReturnType<typeof counting>;
  readonly signal: AbortSignal;
}

export async function opened(
  t: Test,
  options: CacheOptions<Thing> = {},
  prepare: (backend: Backend) => Promise<unknown> = () => Promise.resolve(),
  historyWindowMs = 300_000,
): Promise<Opened> {
  const { clock } = options;
  const embedded = await openEmbedded({
    directory: await temporaryFolder(t),
    historyWindowMs,
    ...(clock === undefined ? {} : { clock }),
  });
  const backend = faulty(embedded);
  await prepare(backend);
  const codec = counting();
  const cache = openCache(backend, '/things/', codec, options);
  const stop = new AbortController();
  t.teardown(async () => {
    stop.abort();
    await cache.close();
    await embedded.close();
  });
  await cache.ready;
  return { backend, cache, codec, signal: stop.signal };
}

export const json = (name: string, ...labels: string[]): Uint8Array => bytes(JSON.stringify({ name, labels }));

export async function stored(store: Backend, key: string, value: Uint8Array): Promise<Item<Uint8Array>> {
  const standing = await store.get(key);
  const outcome = await store.put(key, standing?.revision ?? 'absent', value);
  if (outcome.type !== 'done') throw new Error('nobody else writes');
  return outcome.item;
}

/** Collects the events of a watch as lines. */
export function collect(changes: AsyncIterable<Change<Thing>>): {
  lines: string[];
  revisions: number[];
  ended: Promise<unknown>;
} {
  const lines: string[] = [];
  const revisions: number[] = [];
  const ended = (async () => {
    for await (const change of changes) {
      revisions.push(change.revision);
      if (change.type === 'progress') lines.push('progress');
      else if (change.type === 'put') lines.push(`put ${change.item.value.name} was ${change.previous?.value.name}`);
      else lines.push(`remove ${change.key} was ${change.previous?.value.name}`);
    }
  })();
  ended.catch(() => undefined);
  return { lines, revisions, ended };
}
