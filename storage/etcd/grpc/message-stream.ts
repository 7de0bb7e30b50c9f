import type { CallError } from './call-error.js';
import type { HeaderField } from '../../../lib/http2/hpack.js';
import type { CallSession } from './session.js';
import type { CallStream, CallOwner } from './stream.js';

/** A call that may have to wait for a connection. */
export interface Waiting {
  /** The call lasts until one side ends it. */
  readonly lasts: boolean;
  begin(session: CallSession): void;
  end(error: CallError): void;
}

/**
 * A call of many messages in both directions. Messages are read one by one; unread ones slow down the server (flow control). Reading throws
 * CallError when the call breaks off, and ends when it was canceled.
 */
export class MessageStream implements CallOwner, Waiting {
  readonly lasts = true;
  readonly #path: string;
  readonly #headers: readonly HeaderField[];
  readonly #secret: HeaderField | undefined;
  #stream: CallStream | undefined;
  /** Messages that were sent before there was a connection. */
  #early: Uint8Array[] = [];
  readonly #unread: Buffer[] = [];
  /** How the call ended; undefined while it lasts. */
  #ended: { readonly error: CallError | undefined } | undefined;
  #wake = (): void => undefined;

  constructor(path: string, headers: readonly HeaderField[], secret: HeaderField | undefined) {
    this.#path = path;
    this.#headers = headers;
    this.#secret = secret;
  }

  begin(session: CallSession): void {
    if (this.#ended !== undefined) return;
    const stream = session.open(this.#path, this, this.#headers, this.#secret);
    this.#stream = stream;
    for (const message of this.#early) stream.send(message, false);
    this.#early = [];
  }

  send(message: Uint8Array): void {
    if (this.#ended !== undefined) return;
    if (this.#stream === undefined) this.#early.push(message);
    else this.#stream.send(message, false);
  }

  message(message: Buffer): void {
    this.#stream?.hold(message.length);
    this.#unread.push(message);
    this.#wake();
  }

  end(error: CallError | undefined): void {
    this.#ended ??= { error };
    this.#wake();
  }

  cancel(): void {
    if (this.#ended !== undefined) return;
    this.#unread.length = 0;
    this.#stream?.cancel();
    this.end(undefined);
  }

  /** The messages; there may be one reader. */
  async *messages(): AsyncGenerator<Buffer> {
    for (;;) {
      const message = this.#unread.shift();
      if (message !== undefined) {
        this.#stream?.release(message.length);
        yield message;
      } else if (this.#ended !== undefined) {
        if (this.#ended.error !== undefined) throw this.#ended.error;
        return;
      } else await new Promise<void>(resolve => (this.#wake = resolve));
    }
  }
}
