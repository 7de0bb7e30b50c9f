/** Keeps the text indexes of mirrors up to date, in the background. */
import type { Informer } from '../../client/runtime/interface.js';
import type { Logger } from '../../lib/logging/interface.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { CollectionIndex, mostBytesOf } from '../search-index/collection-index.js';
import { entryOf } from '../search-index/entry.js';
import type { Cached } from './cached.js';

/** Length of an object in bytes from which on parsing it would take a considerable part of a turn: only its names and labels are indexed. */
const largeObject = 256 * 1024;

/** The memory of all text indexes of a server. */
class TextMemory {
  /** Bytes beyond which nothing is put into an index. The list of a term that grows then may exceed them. */
  readonly limit: number;
  /** The functions that put in what did not fit. */
  readonly #retries = new Set<() => void>();
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** A negative number returns memory. */
  take(bytes: number): void {
    this.#used += bytes;
  }

  /** Calls the function whenever much memory has been returned. Returns a function to unsubscribe. */
  onRoom(retry: () => void): () => void {
    this.#retries.add(retry);
    return () => this.#retries.delete(retry);
  }

  /** To be called when much memory has been returned. */
  announceRoom(): void {
    for (const retry of this.#retries) retry();
  }
}

/** What a text index reads of a mirror. */
type Mirror = Pick<Informer<Cached>, 'get' | 'onChange'>;

/** Reports the first object of a mirror that cannot be indexed. */
type ReportError = (err: unknown) => void;

/** The text index of a mirror. It follows the mirror until it is stopped. */
export class TextIndex {
  readonly index = new CollectionIndex();
  readonly #informer: Mirror;
  readonly #memory: TextMemory;
  readonly #report: ReportError;
  /** The keys of objects that have changed. */
  readonly #changed = new Set<string>();
  /** The keys of objects that do not fit in the memory, or cannot be indexed. */
  readonly #missing = new Set<string>();
  readonly #unsubscribe: () => void;
  #isRunning = false;
  /** Memory has been returned since the missing objects were tried. */
  #hasRoom = false;
  #isStopped = false;
  #hasReported = false;
  #taken = 0;

  constructor(informer: Mirror, memory: TextMemory, report: ReportError) {
    this.#informer = informer;
    this.#memory = memory;
    this.#report = report;
    const unsubscribe = [
      informer.onChange(({ key }) => {
        this.#changed.add(key);
        this.#wake();
      }),
      memory.onRoom(() => {
        if (this.#missing.size === 0) return;
        this.#hasRoom = true;
        this.#wake();
      }),
    ];
    this.#unsubscribe = () => {
      for (const each of unsubscribe) each();
    };
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
    this.#memory.take(-this.#taken);
    this.#taken = 0;
    this.#memory.announceRoom();
  }

  #wake(): void {
    if (!this.#isRunning) void this.#run();
  }

  /** Indexes the changes until none waits. It is background work: requests go first. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (!this.#isStopped && (this.#hasRoom || this.#changed.size > 0)) {
      if (this.#hasRoom) await this.#retryMissing();
      await this.#indexChanges();
    }
    this.#isRunning = false;
  }

  /** Lets the objects that are missing be indexed again. They stay missing until then. */
  async #retryMissing(): Promise<void> {
    this.#hasRoom = false;
    for (const key of this.#missing) {
      this.#changed.add(key);
      await yieldToEventLoop();
    }
  }

  async #indexChanges(): Promise<void> {
    for (const key of this.#changed) {
      await yieldToEventLoop();
      if (this.#isStopped) return;
      this.#changed.delete(key);
      this.#apply(key);
      if (this.index.needsSweep) await this.#sweep();
    }
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
    if (this.#memory.used + mostBytesOf(entry) > this.#memory.limit) return false;
    this.index.put(key, entry);
    return true;
  }

  async #sweep(): Promise<void> {
    for (const _step of this.index.sweep()) await yieldToEventLoop();
    if (this.#isStopped) return;
    this.#account();
    this.#memory.announceRoom();
  }

  #account(): void {
    this.#memory.take(this.index.bytes - this.#taken);
    this.#taken = this.index.bytes;
  }
}

/** Creates text indexes that share a limit of memory. */
export class TextIndexes {
  readonly #memory: TextMemory;
  readonly #log: Logger;

  constructor(limit: number, log: Logger) {
    this.#memory = new TextMemory(limit);
    this.#log = log;
  }

  /** `fields` describe the mirror in the log. */
  follow(informer: Mirror, fields: object): TextIndex {
    return new TextIndex(informer, this.#memory, err =>
      this.#log.error({ ...fields, err }, 'an object of a member cannot be indexed; a search does not find it'),
    );
  }
}
