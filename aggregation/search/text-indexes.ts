/** Keeps the text indexes of mirrors up to date, in the background. */
import { MirrorBudget } from '../../client/watch/budget.js';
import type { Informer } from '../../client/runtime/interface.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { CollectionIndex, mostBytesOf } from '../search-index/collection-index.js';
import { entryOf } from '../search-index/entry.js';
import type { Cached } from './cached.js';

/** Length of an object in bytes from which on parsing it would take a considerable part of a turn: only its names and labels are indexed. */
const largeObject = 256 * 1024;

/** The text index of a mirror. It follows the mirror until it is stopped. */
export class TextIndex {
  readonly index = new CollectionIndex();
  readonly #informer: Informer<Cached>;
  readonly #budget: MirrorBudget;
  /** The keys of objects that have changed. */
  readonly #changed = new Set<string>();
  /** The keys of objects that do not fit in the memory. */
  readonly #missing = new Set<string>();
  readonly #unsubscribe: () => void;
  #isRunning = false;
  #isStopped = false;
  #taken = 0;

  constructor(informer: Informer<Cached>, budget: MirrorBudget) {
    this.#informer = informer;
    this.#budget = budget;
    this.#unsubscribe = informer.onChange(({ key }) => {
      this.#changed.add(key);
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Whether every object of the mirror is in the index, except changes that are waiting. */
  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  /** Whether no change waits for the index. */
  get isCurrent(): boolean {
    return !this.#isRunning;
  }

  stop(): void {
    this.#unsubscribe();
    this.#isStopped = true;
    this.#changed.clear();
    this.#budget.take(-this.#taken);
    this.#taken = 0;
  }

  /** Indexes the changes until none waits. It is background work: requests go first. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const key of this.#changed) {
      await yieldToEventLoop();
      if (this.#isStopped) break;
      this.#changed.delete(key);
      const cached = this.#informer.get(key);
      this.#apply(key, cached);
      if (this.index.needsSweep) await this.#sweep();
    }
    this.#isRunning = false;
  }

  #apply(key: string, cached: Cached | undefined): void {
    this.#missing.delete(key);
    this.index.remove(key);
    if (cached) {
      const { apiVersion, kind, metadata } = cached;
      const isLarge = cached.json.length > largeObject;
      const entry = entryOf(isLarge ? { apiVersion, kind, metadata } : cached.object);
      if (this.#budget.used + mostBytesOf(entry) <= this.#budget.limit) this.index.put(key, entry);
      else this.#missing.add(key);
    }
    this.#account();
  }

  async #sweep(): Promise<void> {
    for (const _step of this.index.sweep()) await yieldToEventLoop();
    if (!this.#isStopped) this.#account();
  }

  #account(): void {
    this.#budget.take(this.index.bytes - this.#taken);
    this.#taken = this.index.bytes;
  }
}

/** Creates text indexes that share a limit of memory. */
export class TextIndexes {
  readonly #budget: MirrorBudget;

  constructor(limit: number) {
    this.#budget = new MirrorBudget(limit);
  }

  follow(informer: Informer<Cached>): TextIndex {
    return new TextIndex(informer, this.#budget);
  }
}
