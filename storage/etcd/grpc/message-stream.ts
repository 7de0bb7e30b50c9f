import type { CallError } from './call-error.js';
import type { Field } from '../../../lib/http2/hpack.js';
import type { Session } from './session.js';
import type { Sink, Stream } from './stream.js';

/** What a stream waits for, as calls do. */
export interface Waiting {
  /** Until somebody ends it. */
  readonly lasts: boolean;
  begin(session: Session): void;
  end(error: CallError): void;
}

/**
 * A call of many messages both ways. Messages are read one by one; what nobody has read yet slows down the other side. Reading throws CallError when it
 * breaks off, and ends when it was canceled.
 */
export class MessageStream implements Sink, Waiting {
  readonly lasts = true;
  readonly #path: string;
  readonly #headers: readonly Field[];
  readonly #secret: Field | undefined;
  #stream: Stream | undefined;
  /** What is said before there is a connection. */
  #early: Uint8Array[] = [];
  readonly #unread: Buffer[] = [];
  /** How it ended. */
  #over: { readonly error: CallError | undefined } | undefined;
  #wake = (): void => undefined;

  constructor(path: string, headers: readonly Field[], secret: Field | undefined) {
    this.#path = path;
    this.#headers = headers;
    this.#secret = secret;
  }

  begin(session: Session): void {
    if (this.#over !== undefined) return;
    const stream = session.open(this.#path, this, this.#headers, this.#secret);
    this.#stream = stream;
    for (const message of this.#early) stream.send(message, false);
    this.#early = [];
  }

  send(message: Uint8Array): void {
    if (this.#over !== undefined) return;
    if (this.#stream === undefined) this.#early.push(message);
    else this.#stream.send(message, false);
  }

  message(message: Buffer): void {
    this.#stream?.hold(message.length);
    this.#unread.push(message);
    this.#wake();
  }

  end(error: CallError | undefined): void {
    this.#over ??= { error };
    this.#wake();
  }

  cancel(): void {
    if (this.#over !== undefined) return;
    this.#unread.length = 0;
    this.#stream?.cancel();
    this.end(undefined);
  }

  /** The messages; for one reader. */
  async *messages(): AsyncGenerator<Buffer> {
    for (;;) {
      const message = this.#unread.shift();
      if (message !== undefined) {
        this.#stream?.release(message.length);
        yield message;
      } else if (this.#over !== undefined) {
        if (this.#over.error !== undefined) throw this.#over.error;
        return;
      } else await new Promise<void>(resolve => (this.#wake = resolve));
    }
  }
}
