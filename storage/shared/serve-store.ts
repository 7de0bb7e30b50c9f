/** The server side of a shared store: answers the questions of another process over a stream. */
import type { Duplex } from 'node:stream';
import { StorageError } from '../error.js';
import type { Backend, Change, Item, Outcome } from '../interface.js';
import { Frames } from './frames.js';
import {
  type Answers,
  type ToStore,
  type SerializedError,
  type Id,
  type Question,
  type FromStore,
  watchWindow,
} from './messages.js';

/** Bytes, roughly, of the items or changes in one message. */
const partBytes = 1 << 20;

function faultOf(error: unknown): SerializedError {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof StorageError
    ? { code: error.code, message, revision: error.revision }
    : { code: undefined, message, revision: undefined };
}

/** Returns the fields of an item without methods and getters, which cannot be sent to another process. */
const plain = ({ key, value, revision }: Item<Uint8Array>): Item<Uint8Array> => ({ key, value, revision });
const plainOrNone = (item: Item<Uint8Array> | undefined): Item<Uint8Array> | undefined => item && plain(item);

function plainChange(change: Change<Uint8Array>, withPrevious: boolean): Change<Uint8Array> {
  if (change.type === 'progress') return change;
  const previous = withPrevious ? plainOrNone(change.previous) : undefined;
  return change.type === 'put' ? { ...change, item: plain(change.item), previous } : { ...change, previous };
}

const bytesOf = ({ key, value }: Item<Uint8Array>): number => key.length + value.length;
const changeBytes = (change: Change<Uint8Array>): number =>
  change.type === 'progress'
    ? 0
    : (change.type === 'put' ? bytesOf(change.item) : 0) + (change.previous ? bytesOf(change.previous) : 0);

type Conflict = Extract<Outcome<Uint8Array>, { readonly type: 'conflict' }>;

const plainConflict = ({ current }: Conflict): Conflict => ({ type: 'conflict', current: plainOrNone(current) });

const plainOutcome = (outcome: Outcome<Uint8Array>): Outcome<Uint8Array> =>
  outcome.type === 'done' ? { ...outcome, item: plain(outcome.item) } : plainConflict(outcome);

/** A watch that is served: it sends no more than its reader has room for. */
class ServedWatch {
  readonly #stop = new AbortController();
  /** Changes that may still be sent. */
  #credit = watchWindow;
  /** Called when there is credit again, or when the watch ends. */
  #wake = (): void => undefined;

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  cancel(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Lets the watch send so many more changes. */
  allow(more: number): void {
    this.#credit += more;
    this.#wake();
  }

  /** Counts a sent change. Returns whether the next one may be sent at once. */
  sent(): boolean {
    return --this.#credit > 0;
  }

  /** Resolves when the next change may be sent, or when the watch ends. */
  async credited(): Promise<void> {
    while (this.#credit <= 0 && !this.#stop.signal.aborted) await new Promise<void>(resolve => (this.#wake = resolve));
  }
}

class StoreServer {
  readonly #backend: Backend;
  readonly #frames: Frames<FromStore, ToStore>;
  readonly #watches = new Map<Id, ServedWatch>();

  constructor(backend: Backend, stream: Duplex) {
    this.#backend = backend;
    this.#frames = new Frames<FromStore, ToStore>(stream, message => this.#receive(message));
  }

  /** Ends everything that is being served. */
  close(): void {
    for (const watch of this.#watches.values()) watch.cancel();
  }

  #receive(message: ToStore): void {
    if ('question' in message) return void this.#settle(message.id, message.question);
    if ('progress' in message) return void this.#backend.requestProgress(message.progress);
    const watch = this.#watches.get(message.id);
    if (!watch) return; // the watch has ended meanwhile
    if ('cancel' in message) watch.cancel();
    else watch.allow(message.more);
  }

  async #settle(id: Id, question: Question): Promise<void> {
    try {
      this.#frames.send({ id, answer: await this.#answer(id, question) });
    } catch (error) {
      this.#frames.send({ id, fault: faultOf(error) });
    }
  }

  async #answer(id: Id, question: Question): Promise<Answers[Question['op']]> {
    const backend = this.#backend;
    switch (question.op) {
      case 'get': {
        const { key, notBefore } = question;
        return plainOrNone(await backend.get(key, notBefore === undefined ? {} : { notBefore }));
      }
      case 'put': {
        const outcome = await backend.put(question.key, question.expect, question.value, question.options);
        return outcome.type === 'done' ? outcome.revision : plainConflict(outcome);
      }
      case 'remove':
        return plainOutcome(await backend.remove(question.key, question.expect));
      case 'compact':
        return backend.compact(question.upTo) as Promise<undefined>;
      case 'health':
        return backend.health() as Promise<undefined>;
      case 'range':
        return this.#range(id, question);
      case 'watch':
        return this.#watch(id, question);
    }
  }

  async #range(id: Id, { prefix, options }: Extract<Question, { op: 'range' }>): Promise<Answers['range']> {
    const { items, revision, remaining } = await this.#backend.range(prefix, options);
    let part: Item<Uint8Array>[] = [];
    let size = 0;
    for (const item of items) {
      const sent = plain(item);
      part.push(sent);
      size += bytesOf(sent);
      if (size < partBytes) continue;
      this.#frames.send({ id, items: part });
      part = [];
      size = 0;
      await this.#frames.drained();
    }
    if (part.length > 0) this.#frames.send({ id, items: part });
    return { revision, remaining };
  }

  async #watch(id: Id, { prefix, from, previous }: Extract<Question, { op: 'watch' }>): Promise<undefined> {
    const watch = new ServedWatch();
    this.#watches.set(id, watch);
    let ready: Change<Uint8Array>[] = [];
    let size = 0;
    const flush = (): void => {
      if (ready.length > 0) this.#frames.send({ id, changes: ready });
      ready = [];
      size = 0;
    };
    try {
      for await (const change of this.#backend.watch(prefix, from, watch.signal)) {
        const sent = plainChange(change, previous);
        if (ready.push(sent) === 1) setImmediate(flush);
        // A watch that is far behind gets much in one turn.
        if ((size += changeBytes(sent)) >= partBytes) flush();
        if (!watch.sent()) await watch.credited();
        await this.#frames.drained();
      }
      return undefined;
    } finally {
      flush();
      this.#watches.delete(id);
    }
  }
}

/**
 * Serves a store to one other process until the stream closes. The store must be able to promise progress (`requestProgress` is always true), as
 * the embedded one can. The memory for the other process is limited by what it reads.
 */
export function serveStore(backend: Backend, stream: Duplex): void {
  const server = new StoreServer(backend, stream);
  stream.on('error', () => undefined); // the process is gone; 'close' follows
  stream.on('close', () => server.close());
}
