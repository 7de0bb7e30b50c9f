import type { Key, WorkQueue } from '../../client/runtime/interface.js';

/** The queue of the Works to apply, and which of them must be compared with their members. Nothing is queued before the queue is opened. */
export class ExecutionQueue {
  #queue: WorkQueue | undefined;
  /** The keys in the queue whose manifests must be compared with the member, even while a report is postponed. */
  readonly #unsynced = new Set<Key>();

  open(queue: WorkQueue): void {
    this.#queue = queue;
  }

  /** Adds a Work whose manifests must be compared with the member. */
  readonly compare = (work: Key): void => {
    if (!this.#queue) return;
    this.#unsynced.add(work);
    this.#queue.add(work);
  };

  /** Resumes the Works of a cluster that have failed, since the reason may be gone. */
  readonly resume = (cluster: string): void => this.#queue?.resume(cluster);

  /** Records that a member has answered. */
  readonly answered = (cluster: string): void => this.#queue?.answered(cluster);

  /** Returns whether a Work that is being reconciled must be compared with the member. Returns true once for each time that it was added for that. */
  takeComparison(work: Key): boolean {
    return this.#unsynced.delete(work);
  }
}
