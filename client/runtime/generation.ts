import type { KubeObject } from '../../apimachinery/interface.js';
import type { CachedObject } from '../interface.js';
import type { Informer, ObjectChange, WorkQueue } from './interface.js';

/** Reports whether the generation has changed, or the object was created or deleted. A change of status or labels does not count. */
export const generationChanged = ({ oldCached, newCached }: Pick<ObjectChange, 'oldCached' | 'newCached'>): boolean =>
  generationOf(oldCached) !== generationOf(newCached);

/** The former state of an object is hardly ever in memory any more, and parsing it costs more than most listeners do. */
const generationOf = (cached: CachedObject | undefined): number | undefined =>
  cached && (cached.generation ?? cached.object.metadata.generation ?? 0);

/** Adds objects to the queue when their generation has changed, so that a controller is not woken by its own status writes. */
export function wakeOnGeneration<T extends KubeObject>(queue: WorkQueue, informer: Informer<T>): void {
  informer.onChange(change => {
    // A new object is not parsed, since at the start that is every object.
    if (change.newCached && (!change.oldCached || generationChanged(change))) queue.add(change.key);
  });
}
