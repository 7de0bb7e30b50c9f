import type { Duplex } from 'node:stream';
import { ChurnMap } from '../../lib/collections/churn-map.js';
import { StorageError } from '../error.js';
import type { Change, Item } from '../interface.js';
import { Frames } from './frames.js';
import type { Answers, ToStore, SerializedError, Id, Question, FromStore } from './messages.js';

/** The handlers of one pending question. */
interface Waiting {
  items?(items: readonly Item<Uint8Array>[]): void;
  changes?(changes: readonly Change<Uint8Array>[]): void;
  answer(value: unknown): void;
  fail(error: Error): void;
}

const errorOf = ({ code, message, revision }: SerializedError): Error =>
  code === undefined ? new Error(message) : new StorageError(code, message, { revision });

const broken = (): StorageError => new StorageError('unavailable', 'the process that has the store is gone');

/** The questions to the process that has the store. When the stream to it closes, all pending ones fail as 'unavailable', and later ones too. */
export class Questions {
  readonly #frames: Frames<ToStore, FromStore>;
  readonly #waiting = new ChurnMap<Id, Waiting>();
  #last: Id = 0;
  #isGone = false;

  constructor(stream: Duplex) {
    this.#frames = new Frames<ToStore, FromStore>(stream, message => this.#receive(message));
    stream.on('error', () => undefined); // 'close' follows
    stream.on('close', () => this.#fail());
  }

  /** Throws 'unavailable' when the other process is gone. */
  mustBeThere(): void {
    if (this.#isGone) throw broken();
  }

  /** Asks a question with one answer. `items` gets the items that arrive before. */
  ask<Op extends Question['op']>(
    question: Question & { readonly op: Op },
    items?: (items: readonly Item<Uint8Array>[]) => void,
  ): Promise<Answers[Op]> {
    if (this.#isGone) return Promise.reject(broken());
    return new Promise((resolve, fail) => this.begin(question, { answer: resolve, fail, ...(items && { items }) }));
  }

  /** Sends a question. */
  begin(question: Question, handlers: Waiting): Id {
    const id = ++this.#last;
    this.#waiting.set(id, handlers);
    this.#frames.send({ id, question });
    return id;
  }

  /** Sends a message that has no answer. */
  send(message: Exclude<ToStore, { readonly question: Question }>): void {
    this.#frames.send(message);
  }

  /** Cancels a question that is not answered yet. */
  cancel(id: Id): void {
    if (this.#waiting.delete(id)) this.#frames.send({ id, cancel: true });
  }

  #receive(message: FromStore): void {
    const handlers = this.#waiting.get(message.id);
    if (!handlers) return; // a canceled watch
    if ('changes' in message) return handlers.changes?.(message.changes);
    if ('items' in message) return handlers.items?.(message.items);
    this.#waiting.delete(message.id);
    if ('fault' in message) handlers.fail(errorOf(message.fault));
    else handlers.answer(message.answer);
  }

  #fail(): void {
    this.#isGone = true;
    for (const handlers of this.#waiting.values()) handlers.fail(broken());
    this.#waiting.clear();
  }
}
