import type { KubeObject } from '../../../apimachinery/interface.js';
import { WalkPauses } from '../../../lib/time-slice.js';
import type { Informer, Key } from '../interface.js';

/**
 * Yields the objects of a mirror, those of some keys if they are given, and lets sockets and timers run in between: to parse ten thousand objects
 * takes hundreds of milliseconds. The mirror may change meanwhile; objects that are added may come or not.
 */
export async function* walk<T extends KubeObject>(
  informer: Pick<Informer<T>, 'cached' | 'get'>,
  keys: Iterable<Key> = informer.cached.keys(),
): AsyncGenerator<T, void> {
  const pauses = new WalkPauses();
  for (const key of keys) {
    const object = informer.get(key);
    if (object) yield object;
    const pause = pauses.next();
    if (pause) await pause;
  }
}
