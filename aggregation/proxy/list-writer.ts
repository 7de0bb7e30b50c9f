import { TimeSlice } from '../../lib/time-slice.js';
import type { RequestContext, ResponseHeaders, ResponseStream } from '../../apiserver/interface.js';

const chunkSize = 64 * 1024;
const comma = Buffer.from(',');

/** Writes the text of a list in chunks, with backpressure. Each text is copied once, into a chunk. */
export class ListWriter {
  readonly #stream: ResponseStream;
  #pending: Buffer[];
  #size = 0;
  #isFirst = true;

  constructor({ exchange }: RequestContext, headers: ResponseHeaders, head: string) {
    this.#stream = exchange.stream(200, headers);
    this.#pending = [Buffer.from(head)];
  }

  /** Reports whether the client has left, so that no further item needs to be added. */
  get closed(): boolean {
    return this.#stream.closed;
  }

  /** hot: adds an item. Returns a promise to be awaited if the reader is behind. */
  add(pieces: readonly Buffer[]): Promise<unknown> | undefined {
    if (!this.#isFirst) this.#pending.push(comma);
    this.#isFirst = false;
    for (const piece of pieces) {
      this.#pending.push(piece);
      this.#size += piece.length;
    }
    return this.#size < chunkSize ? undefined : this.#flush();
  }

  end(tail: string): void {
    this.#pending.push(Buffer.from(tail));
    void this.#flush();
    this.#stream.end();
  }

  #flush(): Promise<unknown> | undefined {
    const chunk = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#size = 0;
    return this.#stream.write(chunk) ? undefined : this.#stream.drained();
  }
}

/** hot: writes a list from the texts of its items, in time slices. An undefined item is none: the walk that yields it has worked for a while. */
export async function writeList(
  context: RequestContext,
  headers: ResponseHeaders,
  [head, tail]: readonly [string, string],
  items: Iterable<readonly Buffer[] | undefined>,
): Promise<void> {
  const writer = new ListWriter(context, headers, head);
  const slice = new TimeSlice();
  for (const pieces of items) {
    const pause = slice.pause();
    if (pause) await pause;
    if (!pieces) continue;
    const drained = writer.add(pieces);
    if (drained) await drained;
    if (writer.closed) return;
  }
  writer.end(tail);
}
