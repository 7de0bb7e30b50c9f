import type { Load } from '../load/start-load.js';
import type { Task } from '../load/task.js';
import type { Sample } from '../sample.js';
import { startTarget, type Target } from '../target.js';
import type { RowContext, Row } from './rows.js';

interface MeasureOptions {
  readonly load: Load;
  /** Factor for all counts; 1 for those of the table. */
  readonly scale: number;
  readonly round: number;
}

interface Collection {
  readonly metadata: { readonly resourceVersion: string };
}

const now = (target: Target) => ({ server: target.usage(), store: target.storeUsage?.() });

/** Deletes the namespace's objects on a server that existed before; one that was started for the measurement is discarded. */
async function clean(target: Target, namespace: string): Promise<void> {
  if (target.readyMs !== undefined) return;
  for (const collection of [
    `/api/v1/namespaces/${namespace}/configmaps`,
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
  ])
    await target.send('DELETE', collection);
  await target.send('DELETE', `/api/v1/namespaces/${namespace}`);
}

/** Measures one row on one server. */
export async function measureRow(target: Target, row: Row, { load, scale, round }: MeasureOptions): Promise<Sample> {
  const { endpoint } = target;
  const namespace = `bench-${process.pid}-${round}-${row.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`.slice(0, 60);
  const ground: RowContext = {
    namespace: `${namespace}x`,
    of: count => Math.max(1, Math.round(count * scale)),
    prepare: async task => void (await load.run({ endpoint, task }, () => undefined)),
    async revision(path) {
      const list = JSON.parse((await target.send('GET', `${path}?limit=1`)).toString('utf8')) as Collection;
      return list.metadata.resourceVersion;
    },
  };
  const metadata = { name: ground.namespace };
  await target.send('POST', '/api/v1/namespaces', JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata }));
  try {
    return await sampleOf(target, load, row.name, await row.begin(ground));
  } finally {
    await clean(target, ground.namespace);
  }
}

async function sampleOf(target: Target, load: Load, name: string, task: Task): Promise<Sample> {
  let before = now(target);
  const done = await load.run({ endpoint: target.endpoint, task }, () => void (before = now(target)));
  const after = now(target);
  return {
    name,
    count: done.latencies.length,
    seconds: done.seconds,
    latencies: done.latencies,
    clientCpuSeconds: done.cpuSeconds,
    ...(before.server &&
      after.server && {
        cpuSeconds: after.server.cpuSeconds - before.server.cpuSeconds,
        rssBytes: after.server.rssBytes,
      }),
    ...(before.store && after.store && { storeCpuSeconds: after.store.cpuSeconds - before.store.cpuSeconds }),
  };
}

/** Measures the time from the start of the process until `/readyz` answers 200, each time on an empty store. */
export async function measureStarts(flagsOf: (round: number) => readonly string[], count: number): Promise<Sample> {
  const latencies: number[] = [];
  for (let round = 0; round < count; round++) {
    const target = await startTarget('start', flagsOf(round), { idleSeconds: 0 });
    try {
      const began = performance.now();
      await target.send('GET', '/readyz');
      latencies.push((target.readyMs ?? NaN) + performance.now() - began);
    } finally {
      await target.close();
    }
  }
  const seconds = latencies.reduce((sum, ms) => sum + ms / 1000, 0);
  return { name: 'start to /readyz, empty store', count, seconds, latencies };
}

/** Returns a sample of memory. */
export const memory = (name: string, rssBytes: number | undefined): Sample => ({
  name,
  count: 0,
  seconds: 0,
  latencies: [],
  ...(rssBytes !== undefined && { rssBytes }),
});
