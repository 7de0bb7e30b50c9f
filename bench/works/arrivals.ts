/** Waits for objects in members. */
import type { Endpoint } from '../../aggregation/interface.js';
import { remote } from '../../aggregation/remote/client.js';
import type { KubeObject } from '../../apimachinery/interface.js';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' } as const;
const userAgent = 'bench/1.0';

interface ConfigMap extends KubeObject {
  readonly data?: { readonly round?: string };
}

/** Where ConfigMaps are awaited, and the round that they must have. */
interface AwaitedArrivals {
  readonly namespace: string;
  readonly round: number;
  /** The number of ConfigMaps in each member. */
  readonly count: number;
}

/** A ConfigMap that a member has, and its round. */
interface Arrival {
  readonly name: string;
  readonly round: string | undefined;
}

/** Watches the ConfigMaps of a namespace of a member from now on. Resolves when the watch has its position. The iteration ends with the signal. */
async function watchMember(
  endpoint: Endpoint,
  namespace: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Arrival>> {
  const client = remote(endpoint, { userAgent });
  const { metadata } = await client.list(configMaps, { namespace, limit: 1 });
  const { resourceVersion = '' } = metadata;
  async function* arrivals(): AsyncIterable<Arrival> {
    try {
      for await (const { type, object } of client.watch(configMaps, { namespace, resourceVersion }, signal))
        if (type === 'ADDED' || type === 'MODIFIED')
          yield { name: object.metadata.name ?? '', round: (object as ConfigMap).data?.round };
    } finally {
      await client.close();
    }
  }
  return arrivals();
}

/** Resolves when this number of ConfigMaps has the round. */
async function allArrived(arrivals: AsyncIterable<Arrival>, wanted: number, count: number): Promise<void> {
  const seen = new Set<string>();
  for await (const { name, round } of arrivals) {
    if (round === String(wanted)) seen.add(name);
    if (seen.size === count) return;
  }
  throw new Error(`${seen.size} of ${count} ConfigMaps arrived in a member`);
}

/** Watches the members from now on. Resolves when all watches have their positions, with a promise that resolves when the ConfigMaps have arrived. */
export async function watchArrivals(
  endpoints: readonly Endpoint[],
  awaited: AwaitedArrivals,
  signal: AbortSignal,
): Promise<{ readonly arrived: Promise<unknown> }> {
  const { namespace, round, count } = awaited;
  const watches = await Promise.all(endpoints.map(endpoint => watchMember(endpoint, namespace, signal)));
  const arrived = Promise.all(watches.map(arrivals => allArrived(arrivals, round, count)));
  arrived.catch(() => undefined); // It is awaited after the objects were written.
  return { arrived };
}

/** Follows one member, in which one ConfigMap after the other changes. */
export class ArrivalTimes {
  readonly #arrivals: AsyncIterator<Arrival>;
  readonly #ending: AbortController;

  private constructor(arrivals: AsyncIterable<Arrival>, ending: AbortController) {
    this.#arrivals = arrivals[Symbol.asyncIterator]();
    this.#ending = ending;
  }

  /** Resolves when the watch of the member has its position. */
  static async open(endpoint: Endpoint, namespace: string, signal: AbortSignal): Promise<ArrivalTimes> {
    const ending = new AbortController();
    const ended = AbortSignal.any([ending.signal, signal]);
    return new ArrivalTimes(await watchMember(endpoint, namespace, ended), ending);
  }

  /** Resolves when the member shows this ConfigMap with this round, with the time by performance.now(). One call at a time. */
  async next(name: string, round: number): Promise<number> {
    for (;;) {
      const arrival = await this.#arrivals.next();
      if (arrival.done === true) throw new Error(`the watch of a member ended before ${name} arrived`);
      if (arrival.value.name === name && arrival.value.round === String(round)) return performance.now();
    }
  }

  /** Ends the watch. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#arrivals.return?.();
  }
}
