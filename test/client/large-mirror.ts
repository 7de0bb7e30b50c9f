import type { Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { ListerWatcher } from '../../client/interface.js';
import { createInformerFactory } from '../../client/runtime/mirrors/informer.js';
import type { Indexers, Informer } from '../../client/runtime/interface.js';
import { systemClock } from '../../lib/clock.js';
import { silent } from '../../server/logger.js';

/** Returns the mirror of a server that has these objects, and whose watches report nothing. It ends with the test. */
export async function mirrorOf<T extends KubeObject>(
  t: Test,
  resource: GroupVersionResource,
  items: readonly T[],
  indexers: Indexers<T> = {},
): Promise<Informer<T>> {
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const client: ListerWatcher = {
    list: () =>
      Promise.resolve({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items: [...items] }),
    async *watch(_resource: unknown, _query: unknown, signal: AbortSignal) {
      await new Promise(resolve => {
        signal.addEventListener('abort', resolve, { once: true });
      });
    },
  };
  const factory = createInformerFactory({ client, clock: systemClock, log: silent, signal: stopping.signal });
  const informer = factory.informer<T>(resource, { indexers });
  await informer.synced;
  return informer;
}
