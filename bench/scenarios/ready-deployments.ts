import { lines } from '../../aggregation/remote/mirror/lines.js';
import type { Target } from '../target.js';

const timeoutMs = 300_000;

interface Event {
  readonly object: {
    readonly metadata: { readonly namespace: string; readonly name: string };
    readonly status?: { readonly readyReplicas?: number };
  };
}

/** Deployments that are awaited. */
interface AwaitedDeployments {
  readonly count: number;
  /** The ready replicas of each in all members together. */
  readonly replicas: number;
  /** Whether a Deployment is one of them. */
  readonly includes: (namespace: string, name: string) => boolean;
}

/** Deployments whose status becomes that of the members. */
interface ReadyDeployments {
  /** By `NAMESPACE/NAME`: when the status has the ready replicas of all members, by performance.now(). */
  readonly at: ReadonlyMap<string, number>;
  /** Resolves when all of them are ready. Rejects after five minutes. */
  readonly all: Promise<void>;
  stop(): void;
}

/** Watches Deployments under a path until the status of each counts its ready replicas. Resolves when the watch is open. */
export async function watchReady(
  target: Target,
  path: string,
  { count, replicas, includes }: AwaitedDeployments,
): Promise<ReadyDeployments> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]);
  const body = await target.stream(`${path}?watch=1&resourceVersion=0`, signal);
  const at = new Map<string, number>();
  const follow = async (): Promise<void> => {
    for await (const line of lines(body)) {
      const { metadata, status } = (JSON.parse(line.toString('utf8')) as Event).object;
      const key = `${metadata.namespace}/${metadata.name}`;
      const isReady = status?.readyReplicas === replicas && includes(metadata.namespace, metadata.name);
      if (isReady && !at.has(key)) at.set(key, performance.now());
      if (at.size === count) return;
    }
    throw new Error('the watch ended');
  };
  const all = follow().catch((error: unknown) => {
    throw new Error(`${at.size} of ${count} became ready within ${timeoutMs / 1000} s`, { cause: error });
  });
  all.catch(() => undefined); // It is awaited together with the writes.
  return { at, all, stop: () => stopping.abort() };
}
