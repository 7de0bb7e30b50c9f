import type { ServerStream } from './stream.js';

/** hot: notifies the listeners of closed streams at the end of the turn of the event loop: none is called while it writes to the stream. */
export class ClosedStreams {
  #streams: ServerStream[] = [];

  add(stream: ServerStream): void {
    if (this.#streams.length === 0) setImmediate(this.#notify);
    this.#streams.push(stream);
  }

  readonly #notify = (): void => {
    const closed = this.#streams;
    this.#streams = [];
    for (const stream of closed) stream.notifyClosed();
  };
}
