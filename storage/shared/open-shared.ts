/** The client side of a shared store: a Backend whose store is in another process. */
import type { Duplex } from 'node:stream';
import type {
  Backend,
  BackendWatchOptions,
  Change,
  Item,
  Outcome,
  Page,
  PutOptions,
  RangeOptions,
  Revision,
} from '../interface.js';
import { Questions } from './questions.js';

/** Holds the changes of a watch that have arrived and are not delivered yet. */
class ChangeQueue {
  #ready: readonly Change<Uint8Array>[] = [];
  #end: { readonly error: Error | undefined } | undefined;
  #wake = (): void => undefined;

  /** Set when the watch has ended: with an error, or cleanly. What has arrived before is delivered first. */
  get end(): { readonly error: Error | undefined } | undefined {
    return this.#end;
  }

  /** Takes what has arrived. */
  take(): readonly Change<Uint8Array>[] {
    const changes = this.#ready;
    this.#ready = [];
    return changes;
  }

  /** Resolves when more has arrived, or the watch has ended. */
  more(): Promise<void> {
    return new Promise<void>(resolve => (this.#wake = resolve));
  }

  /** Ends the watch: with an error, or cleanly. Only the first end counts. */
  finish(error?: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  // The handlers of `Questions`.

  changes(changes: readonly Change<Uint8Array>[]): void {
    this.#ready = this.#ready.length === 0 ? changes : [...this.#ready, ...changes];
    this.#wake();
  }

  answer(): void {
    this.finish();
  }

  fail(error: Error): void {
    this.finish(error);
  }
}

class SharedBackend implements Backend {
  readonly asksTogether = true;
  readonly #stream: Duplex;
  readonly #questions: Questions;
  readonly #newest: () => Revision;

  constructor(stream: Duplex, newest: () => Revision) {
    this.#stream = stream;
    this.#questions = new Questions(stream);
    this.#newest = newest;
  }

  get(key: string, { notBefore }: { readonly notBefore?: Revision } = {}): Promise<Item<Uint8Array> | undefined> {
    return this.#questions.ask({ op: 'get', key, notBefore });
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page<Uint8Array>> {
    const items: Item<Uint8Array>[] = [];
    const page = await this.#questions.ask({ op: 'range', prefix, options }, part => items.push(...part));
    return { items, ...page };
  }

  async put(
    key: string,
    expect: Revision | 'absent',
    value: Uint8Array,
    options: PutOptions = {},
  ): Promise<Outcome<Uint8Array>> {
    const answer = await this.#questions.ask({ op: 'put', key, expect, value, options });
    if (typeof answer !== 'number') return answer;
    return { type: 'done', item: { key, value, revision: answer }, revision: answer };
  }

  remove(key: string, expect: Revision): Promise<Outcome<Uint8Array>> {
    return this.#questions.ask({ op: 'remove', key, expect });
  }

  async *watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    { previous = true }: BackendWatchOptions = {},
  ): AsyncGenerator<Change<Uint8Array>> {
    if (signal.aborted) return;
    this.#questions.mustBeThere();
    const queue = new ChangeQueue();
    const id = this.#questions.begin({ op: 'watch', prefix, from, previous }, queue);
    const abort = (): void => queue.finish();
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (;;) {
        const changes = queue.take();
        for (const change of changes) {
          if (signal.aborted) return;
          yield change;
        }
        if (signal.aborted) return;
        if (changes.length > 0) this.#questions.send({ id, more: changes.length });
        else if (queue.end?.error) throw queue.end.error;
        else if (queue.end) return;
        else await queue.more();
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#questions.cancel(id);
    }
  }

  async revision(): Promise<Revision> {
    this.#questions.mustBeThere();
    return this.#newest();
  }

  requestProgress(prefix: string): boolean {
    this.#questions.send({ progress: prefix });
    return true;
  }

  compact(upTo: Revision): Promise<void> {
    return this.#questions.ask({ op: 'compact', upTo });
  }

  health(): Promise<void> {
    return this.#questions.ask({ op: 'health' });
  }

  async close(): Promise<void> {
    const stream = this.#stream;
    if (stream.destroyed) return;
    await new Promise<void>(resolve => {
      stream.once('close', () => resolve());
      stream.destroy();
    });
  }
}

/**
 * Opens a store that `serveStore` serves at the other end of the stream; `newest` returns its newest revision (`sharedRevisionReader`). When the
 * stream closes, everything pending and later fails as 'unavailable': a process that shares a store ends with the one that owns it. Values of
 * one message share its memory.
 */
export const openShared = (stream: Duplex, newest: () => Revision): Backend => new SharedBackend(stream, newest);
