import type { KubeObject } from '../../apimachinery/interface.js';
import type { Informer, ObjectChange, WorkQueue } from './interface.js';

/** Is what is wanted another than before? So it is of an object that has come or gone; not after a new status or label. */
export const generationChanged = ({ old, new: next }: ObjectChange): boolean =>
  old?.metadata.generation !== next?.metadata.generation;

/** Wakes what is there when its generation is another: controllers that write a status are not woken by it. */
export function wakeOnGeneration<T extends KubeObject>(queue: WorkQueue, informer: Informer<T>): void {
  informer.onChange(change => {
    if (change.is && generationChanged(change)) queue.add(change.key);
  });
}
