/** Waits for objects in members. */
import type { Endpoint } from '../../aggregation/interface.js';
import { remote } from '../../aggregation/remote/client.js';
import type { KubeObject } from '../../apimachinery/interface.js';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' } as const;
const userAgent = 'bench/1.0';

interface ConfigMap extends KubeObject {
  readonly data?: { readonly turn?: string };
}

/** Where ConfigMaps are awaited, and the turn that they must have. */
export interface Awaited {
  readonly namespace: string;
  readonly turn: number;
  /** The number of ConfigMaps in each member. */
  readonly count: number;
}

/** Watches a member from now on. The first promise resolves when the watch has its position, the inner one when the ConfigMaps have arrived. */
async function watchOne(endpoint: Endpoint, { namespace, turn, count }: Awaited, signal: AbortSignal) {
  const client = remote(endpoint, { userAgent });
  const { metadata } = await client.list(configMaps, { namespace, limit: 1 });
  const { resourceVersion = '' } = metadata;
  const arrive = async (): Promise<void> => {
    const seen = new Set<string>();
    try {
      for await (const { type, object } of client.watch(configMaps, { namespace, resourceVersion }, signal)) {
        const { data } = object as ConfigMap;
        if (type !== 'DELETED' && data?.turn === String(turn)) seen.add(object.metadata.name ?? '');
        if (seen.size === count) return;
      }
      throw new Error(`${seen.size} of ${count} ConfigMaps arrived in ${endpoint.server}`);
    } finally {
      await client.close();
    }
  };
  return { arrived: arrive() };
}

/** Watches the members from now on. Resolves when all watches have their positions, with a promise that resolves when the ConfigMaps have arrived. */
export async function watchArrivals(
  endpoints: readonly Endpoint[],
  awaited: Awaited,
  signal: AbortSignal,
): Promise<{ readonly arrived: Promise<unknown> }> {
  const watches = await Promise.all(endpoints.map(endpoint => watchOne(endpoint, awaited, signal)));
  const arrived = Promise.all(watches.map(watch => watch.arrived));
  arrived.catch(() => undefined); // It is awaited after the objects were written.
  return { arrived };
}
