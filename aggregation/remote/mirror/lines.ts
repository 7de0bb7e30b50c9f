import { ExpectedError } from '../../../lib/logging/cause.js';
import { ByteCollector } from '../byte-collector.js';

const newline = 0x0a;

/**
 * Yields the lines of a body without their ends; the last one need not have an end. A line is valid until the next one is read. `tooLong` is
 * called when a line is longer than `maxBytes`, and has to throw. hot: called for all watches
 */
export async function* lines(
  body: AsyncIterable<Buffer>,
  maxBytes = Infinity,
  tooLong: () => never = () => {
    throw new ExpectedError(`a line is longer than ${maxBytes} bytes`);
  },
): AsyncGenerator<Buffer> {
  const pending = new ByteCollector();
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (pending.length + piece.length > maxBytes) tooLong();
      if (pending.length === 0) yield piece;
      else {
        pending.append(piece);
        yield pending.take();
      }
    }
    if (pending.length + chunk.length - start > maxBytes) tooLong();
    pending.append(chunk.subarray(start));
  }
  if (pending.length > 0) yield pending.take();
}
