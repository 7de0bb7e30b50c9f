/** Keeps the text indexes of mirrors up to date, in the background. */
import { MirrorBudget } from '../../client/watch/budget.js';
import type { Informer } from '../../client/runtime/interface.js';
import type { Logger } from '../../lib/logging/interface.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { CollectionIndex, mostBytesOf } from '../search-index/collection-index.js';
import { entryOf } from '../search-index/entry.js';
import type { Cached } from './cached.js';

/** Length of an object in bytes from which on parsing it would take a considerable part of a turn: only its names and labels are indexed. */
const largeObject = 256 * 1024;

/** What a text index reads of a mirror. */
type Mirror = Pick<Informer<Cached>, 'get' | 'onChange'>;

/** Reports the first object of a mirror that cannot be indexed. */
type ReportError = (err: unknown) => void;

/** The text index of a mirror. It follows the mirror until it is stopped. */
export class TextIndex {
  readonly index = new CollectionIndex();
  readonly #informer: Mirror;
  readonly #budget: MirrorBudget;
  readonly #report: ReportError;
  /** The keys of objects that have changed. */
  readonly #changed = new Set<string>();
  /** The keys of objects that do not fit in the memory, or cannot be indexed. */
  readonly #missing = new Set<string>();
  readonly #unsubscribe: () => void;
  #isRunning = false;
  #isStopped = false;
  #hasReported = false;
  #taken = 0;

  constructor(informer: Mirror, budget: MirrorBudget, report: ReportError) {
    this.#informer = informer;
    this.#budget = budget;
    this.#report = report;
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
      this.#apply(key);
      if (this.index.needsSweep) await this.#sweep();
    }
    this.#isRunning = false;
  }

  /** Never throws: an object that cannot be indexed is missing, whatever its member has made of it. */
  #apply(key: string): void {
    this.#missing.delete(key);
    this.index.remove(key);
    try {
      const cached = this.#informer.get(key);
      if (cached && !this.#put(key, cached)) this.#missing.add(key);
    } catch (error) {
      this.#missing.add(key);
      if (!this.#hasReported) this.#report(error);
      this.#hasReported = true;
    }
    this.#account();
  }

  /** Returns false if there is no memory for the object. */
  #put(key: string, cached: Cached): boolean {
    const { apiVersion, kind, metadata } = cached;
    const isLarge = cached.json.length > largeObject;
    const entry = entryOf(isLarge ? { apiVersion, kind, metadata } : cached.object);
    if (this.#budget.used + mostBytesOf(entry) > this.#budget.limit) return false;
    this.index.put(key, entry);
    return true;
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
  readonly #log: Logger;

  constructor(limit: number, log: Logger) {
    this.#budget = new MirrorBudget(limit);
    this.#log = log;
  }

  /** `fields` describe the mirror in the log. */
  follow(informer: Mirror, fields: object): TextIndex {
    return new TextIndex(informer, this.#budget, err =>
      this.#log.error({ ...fields, err }, 'an object of a member cannot be indexed; a search does not find it'),
    );
  }
}
