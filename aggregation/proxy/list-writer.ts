import { TimeSlice } from '../../lib/time-slice.js';
import type { RequestContext, ResponseHeaders } from '../../apiserver/interface.js';

const chunkSize = 64 * 1024;

/**
 * hot: writes a list from the texts of its items, with backpressure and in time slices. The texts are copied once, into chunks. An undefined item is
 * none: the walk that yields it has worked for a while.
 */
export async function writeList(
  { exchange }: RequestContext,
  headers: ResponseHeaders,
  [head, tail]: readonly [string, string],
  items: Iterable<readonly Buffer[] | undefined>,
): Promise<void> {
  const stream = exchange.stream(200, headers);
  let pending: Buffer[] = [Buffer.from(head)];
  let size = 0;
  let first = true;
  const comma = Buffer.from(',');
  const slice = new TimeSlice();
  for (const pieces of items) {
    const pause = slice.pause();
    if (pause) await pause;
    if (!pieces) continue;
    if (!first) pending.push(comma);
    first = false;
    for (const piece of pieces) {
      pending.push(piece);
      size += piece.length;
    }
    if (size < chunkSize) continue;
    const chunk = Buffer.concat(pending);
    pending = [];
    size = 0;
    if (!stream.write(chunk)) await stream.drained();
    if (stream.closed) return;
  }
  pending.push(Buffer.from(tail));
  stream.write(Buffer.concat(pending));
  stream.end();
}
