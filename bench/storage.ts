/**
 * `node dist/bench/storage.js [seconds [etcd endpoint]]`: measures the storage layer on this machine, embedded or over an empty etcd.
 * Prints one line per measurement.
 */
import { setMaxListeners } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openCache } from '../storage/cache/open-cache.js';
import { openEmbedded } from '../storage/embedded/open-embedded.js';
import { openEtcd } from '../storage/etcd/open-etcd.js';
import type { Backend, Codec, Revision } from '../storage/interface.js';

const seconds = Number(process.argv[2] ?? 3);
const value = Buffer.alloc(1536, 'v');
const raw: Codec<Uint8Array> = { decode: v => v, encode: v => v, adopt: v => v };

async function writers(store: Backend, count: number): Promise<void> {
  const until = performance.now() + seconds * 1000;
  const took: number[] = [];
  const one = async (name: number): Promise<void> => {
    let current: Revision | 'absent' = (await store.get(`/bench/w/${name}`))?.revision ?? 'absent';
    while (performance.now() < until) {
      const started = performance.now();
      const outcome = await store.put(`/bench/w/${name}`, current, Buffer.from(value));
      took.push(performance.now() - started);
      if (outcome.type === 'done') current = outcome.revision;
    }
  };
  await Promise.all(Array.from({ length: count }, (_, i) => one(i)));
  took.sort((a, b) => a - b);
  const at = (q: number): string => (took[Math.floor(took.length * q)] ?? 0).toFixed(2);
  console.log(
    `commits/s, concurrency ${count}: ${Math.round(took.length / seconds)} (p50 ${at(0.5)} ms, p99 ${at(0.99)} ms)`,
  );
}

async function timed(name: string, times: number, work: () => unknown): Promise<void> {
  const started = performance.now();
  for (let i = 0; i < times; i++) await work();
  console.log(`${name}: ${((performance.now() - started) / times).toFixed(4)} ms`);
}

const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-bench-'));
const endpoint = process.argv[3];
const open = (): Promise<Backend> =>
  endpoint === undefined ? openEmbedded({ directory }) : openEtcd({ endpoints: [endpoint] });
let store = await open();
await writers(store, 1);
await writers(store, 64);
for (let i = 0; i < 10_000; i += 100) {
  const part = Array.from({ length: 100 }, (_, j) => store.put(`/bench/r/${i + j}`, 'absent', Buffer.from(value)));
  await Promise.all(part);
}
await timed('range of 10k', 50, () => store.range('/bench/r/'));
await timed('page of 500 from 10k', 200, () => store.range('/bench/r/', { limit: 500 }));
const many = endpoint === undefined ? 100_000 : 1000;
await timed('get', many, () => store.get('/bench/r/77'));
const cache = openCache(store, '/bench/', raw, {});
await cache.ready;
await timed('cache: consistent range of 10k', 50, () => cache.range('/bench/r/'));
await timed('cache: consistent get', many, () => cache.get('/bench/r/77'));

const stop = new AbortController();
setMaxListeners(0, stop.signal);
let delivered = 0;
const from = await store.revision();
const watching = Array.from({ length: 1000 }, async (_, i) => {
  for await (const _change of cache.watch(i < 100 ? '/bench/w/' : `/bench/idle${i}/`, from, stop.signal)) delivered++;
});
const cpu = process.cpuUsage();
await writers(store, 64);
const used = process.cpuUsage(cpu);
await cache.range('/bench/');
console.log(
  `the same with 100 concerned and 900 unconcerned watchers: ${delivered} deliveries, ${((used.user + used.system) / delivered).toFixed(2)} us of CPU each`,
);
stop.abort();
await Promise.all(watching);
await cache.close();
await store.close();
const started = performance.now();
store = await open();
console.log(
  `open with ${(await store.range('/bench/')).items.length} items: ${(performance.now() - started).toFixed(0)} ms`,
);
await store.close();
await fs.rm(directory, { recursive: true });
