/** The server side of a shared store: answers the questions of another process over a stream. */
import type { Duplex } from 'node:stream';
import { StorageError } from '../error.js';
import type { Backend, Change, Item, Outcome } from '../interface.js';
import { createFrames } from './frames.js';
import { type Answers, type Asked, type Fault, type Id, type Question, type Told, watchWindow } from './messages.js';

/** Bytes, roughly, of the items or changes in one message. */
const partBytes = 1 << 20;

function faultOf(error: unknown): Fault {
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

interface Watcher {
  readonly stop: AbortController;
  /** Changes that may still be sent. */
  credit: number;
  /** Called when there is credit again, or when the watch ends. */
  wake: () => void;
}

/**
 * Serves a store to one other process until the stream closes. The store must be able to promise progress (`requestProgress` is always true), as
 * the embedded one can. The memory for the other process is limited by what it reads.
 */
export function serveStore(backend: Backend, stream: Duplex): void {
  const watchers = new Map<Id, Watcher>();
  const frames = createFrames<Told, Asked>(stream, receive);
  stream.on('error', () => undefined); // the process is gone; 'close' follows
  stream.on('close', () => {
    for (const watcher of watchers.values()) cancel(watcher);
  });

  function cancel(watcher: Watcher): void {
    watcher.stop.abort();
    watcher.wake();
  }

  function receive(message: Asked): void {
    if ('question' in message) return void settle(message.id, message.question);
    if ('progress' in message) return void backend.requestProgress(message.progress);
    const watcher = watchers.get(message.id);
    if (!watcher) return; // the watch has ended meanwhile
    if ('cancel' in message) return cancel(watcher);
    watcher.credit += message.more;
    watcher.wake();
  }

  async function settle(id: Id, question: Question): Promise<void> {
    try {
      frames.send({ id, answer: await answer(id, question) });
    } catch (error) {
      frames.send({ id, fault: faultOf(error) });
    }
  }

  async function answer(id: Id, question: Question): Promise<Answers[Question['op']]> {
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
        return range(id, question);
      case 'watch':
        return watch(id, question);
    }
  }

  async function range(id: Id, { prefix, options }: Extract<Question, { op: 'range' }>): Promise<Answers['range']> {
    const { items, revision, remaining } = await backend.range(prefix, options);
    let part: Item<Uint8Array>[] = [];
    let size = 0;
    for (const item of items) {
      const sent = plain(item);
      part.push(sent);
      size += bytesOf(sent);
      if (size < partBytes) continue;
      frames.send({ id, items: part });
      part = [];
      size = 0;
      await frames.drained();
    }
    if (part.length > 0) frames.send({ id, items: part });
    return { revision, remaining };
  }

  async function watch(id: Id, question: Extract<Question, { op: 'watch' }>): Promise<undefined> {
    const { prefix, from, previous } = question;
    const watcher: Watcher = { stop: new AbortController(), credit: watchWindow, wake: () => undefined };
    watchers.set(id, watcher);
    let ready: Change<Uint8Array>[] = [];
    let size = 0;
    const flush = (): void => {
      if (ready.length > 0) frames.send({ id, changes: ready });
      ready = [];
      size = 0;
    };
    try {
      for await (const change of backend.watch(prefix, from, watcher.stop.signal)) {
        const sent = plainChange(change, previous);
        if (ready.push(sent) === 1) setImmediate(flush);
        // A watch that is far behind gets much in one turn.
        if ((size += changeBytes(sent)) >= partBytes) flush();
        watcher.credit--;
        while (watcher.credit <= 0 && !watcher.stop.signal.aborted)
          await new Promise<void>(resolve => (watcher.wake = resolve));
        await frames.drained();
      }
      return undefined;
    } finally {
      flush();
      watchers.delete(id);
    }
  }
}
