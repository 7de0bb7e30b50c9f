import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../api/karmada/types.js';
import { clusters } from '../objects.js';
import type { Target } from '../target.js';

const timeoutMs = 180_000;
const pollMs = 250;

/**
 * Deletes the clusters with these names, if they exist, and resolves when they are gone: a cluster that is being deleted keeps its name, so the next
 * round could not create it. Rejects after three minutes.
 */
export async function removeClusters(target: Target, names: readonly string[]): Promise<void> {
  const wanted = new Set(names);
  const left = new Set((await clusterNames(target)).filter(name => wanted.has(name)));
  for (const name of left) await target.send('DELETE', `${clusters}/${name}`);
  const end = performance.now() + timeoutMs;
  while ((await clusterNames(target)).some(name => left.has(name))) {
    if (performance.now() > end) throw new Error(`clusters are still there after ${timeoutMs / 1000} s`);
    await pause(pollMs);
  }
}

async function clusterNames(target: Target): Promise<readonly string[]> {
  const list = (await target.send('GET', clusters)).toString('utf8');
  const { items } = JSON.parse(list) as { readonly items: readonly Cluster[] };
  return items.map(({ metadata: { name = '' } }) => name);
}
