/** The client side of a shared store: a Backend whose store is in another process. */
import type { Duplex } from 'node:stream';
import { ChurnMap } from '../../lib/collections/churn-map.js';
import { StorageError } from '../error.js';
import type { Backend, BackendWatchOptions, Change, Item, Revision } from '../interface.js';
import { createFrames } from './frames.js';
import { type Answers, type Asked, type Fault, type Id, type Question, type Told } from './messages.js';

/** The handlers of one pending question. */
interface Waiting {
  items?(items: readonly Item<Uint8Array>[]): void;
  changes?(changes: readonly Change<Uint8Array>[]): void;
  answer(value: unknown): void;
  fail(error: Error): void;
}

const errorOf = ({ code, message, revision }: Fault): Error =>
  code === undefined ? new Error(message) : new StorageError(code, message, { revision });

const broken = (): StorageError => new StorageError('unavailable', 'the process that has the store is gone');

/**
 * Opens a store that `serveStore` serves at the other end of the stream; `newest` returns its newest revision (`sharedRevisionReader`). When the
 * stream closes, everything pending and later fails as 'unavailable': a process that shares a store ends with the one that owns it. Values of
 * one message share its memory.
 */
export function openShared(stream: Duplex, newest: () => Revision): Backend {
  const waiting = new ChurnMap<Id, Waiting>();
  let last: Id = 0;
  let gone = false;
  const frames = createFrames<Asked, Told>(stream, receive);
  stream.on('error', () => undefined); // 'close' follows
  stream.on('close', () => {
    gone = true;
    for (const one of waiting.values()) one.fail(broken());
    waiting.clear();
  });

  function receive(message: Told): void {
    const handlers = waiting.get(message.id);
    if (!handlers) return; // a canceled watch
    if ('changes' in message) return handlers.changes?.(message.changes);
    if ('items' in message) return handlers.items?.(message.items);
    waiting.delete(message.id);
    if ('fault' in message) handlers.fail(errorOf(message.fault));
    else handlers.answer(message.answer);
  }

  function begin(question: Question, one: Waiting): Id {
    const id = ++last;
    waiting.set(id, one);
    frames.send({ id, question });
    return id;
  }

  function ask<Op extends Question['op']>(
    question: Question & { readonly op: Op },
    items?: (items: readonly Item<Uint8Array>[]) => void,
  ): Promise<Answers[Op]> {
    if (gone) return Promise.reject(broken());
    return new Promise((resolve, fail) => begin(question, { answer: resolve, fail, ...(items && { items }) }));
  }

  async function* watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    { previous = true }: BackendWatchOptions = {},
  ): AsyncGenerator<Change<Uint8Array>> {
    if (signal.aborted) return;
    if (gone) throw broken();
    let ready: readonly Change<Uint8Array>[] = [];
    let end: { readonly error: Error | undefined } | undefined;
    let wake = (): void => undefined;
    const finish = (error?: Error): void => {
      end ??= { error };
      wake();
    };
    const id = begin(
      { op: 'watch', prefix, from, previous },
      {
        changes(changes) {
          ready = ready.length === 0 ? changes : [...ready, ...changes];
          wake();
        },
        answer: () => finish(),
        fail: finish,
      },
    );
    const abort = (): void => finish();
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (;;) {
        const changes = ready;
        ready = [];
        for (const change of changes) {
          if (signal.aborted) return;
          yield change;
        }
        if (signal.aborted) return;
        if (changes.length > 0) frames.send({ id, more: changes.length });
        else if (end?.error) throw end.error;
        else if (end) return;
        else await new Promise<void>(resolve => (wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', abort);
      if (waiting.delete(id)) frames.send({ id, cancel: true });
    }
  }

  return {
    get: (key, { notBefore } = {}) => ask({ op: 'get', key, notBefore }),
    async range(prefix, options = {}) {
      const items: Item<Uint8Array>[] = [];
      const page = await ask({ op: 'range', prefix, options }, part => items.push(...part));
      return { items, ...page };
    },
    async put(key, expect, value, options = {}) {
      const answer = await ask({ op: 'put', key, expect, value, options });
      if (typeof answer !== 'number') return answer;
      return { type: 'done', item: { key, value, revision: answer }, revision: answer };
    },
    remove: (key, expect) => ask({ op: 'remove', key, expect }),
    async revision() {
      if (gone) throw broken();
      return newest();
    },
    compact: upTo => ask({ op: 'compact', upTo }),
    health: () => ask({ op: 'health' }),
    asksTogether: true,
    watch,
    requestProgress(prefix) {
      frames.send({ progress: prefix });
      return true;
    },
    async close() {
      if (stream.destroyed) return;
      await new Promise<void>(resolve => {
        stream.once('close', () => resolve());
        stream.destroy();
      });
    },
  };
}
