import type { Job } from './job.js';

export interface QueueLimits {
  /** Jobs that may wait. */
  readonly length: number;
  /** Jobs of one key that may wait. */
  readonly lengthPerKey: number;
  /** Bytes of input that may wait, of all jobs together. */
  readonly bytes: number;
}

/** Waiting jobs: first come, first served within a key, and the keys take turns. */
export class FairQueue {
  /** Waiting jobs by key, in the order of turns: a key moves to the end after its turn. */
  readonly #jobs = new Map<string, Job[]>();
  readonly #limits: QueueLimits;
  #length = 0;
  #bytes = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns whether there was room for the job. */
  push(job: Job): boolean {
    const own = this.#jobs.get(job.key);
    const { length, lengthPerKey, bytes } = this.#limits;
    const size = job.input.byteLength;
    if (this.#length >= length || (own?.length ?? 0) >= lengthPerKey || this.#bytes + size > bytes) return false;
    if (own) own.push(job);
    else this.#jobs.set(job.key, [job]);
    this.#length++;
    this.#bytes += size;
    return true;
  }

  /** Removes and returns the job whose turn it is. */
  shift(): Job | undefined {
    for (const [key, own] of this.#jobs) {
      const job = own.shift();
      this.#jobs.delete(key);
      if (own.length > 0) this.#jobs.set(key, own);
      if (job) this.#forget(job);
      return job;
    }
    return undefined;
  }

  /** Removes a job. Returns whether it was waiting. */
  remove(job: Job): boolean {
    const own = this.#jobs.get(job.key);
    const index = own?.indexOf(job) ?? -1;
    if (!own || index < 0) return false;
    own.splice(index, 1);
    if (own.length === 0) this.#jobs.delete(job.key);
    this.#forget(job);
    return true;
  }

  #forget(job: Job): void {
    this.#length--;
    this.#bytes -= job.input.byteLength;
  }
}
