import { ExpectedError } from '../../lib/logging/cause.js';
import { Gathered } from './gathered.js';

const newline = 0x0a;

/**
 * Lines of a body as they come, without their ends; the last one also without an end. A line is valid until the next one is asked for.
 * `tooLong` is called, and has to throw, when one is longer than `most` bytes. hot: watches
 */
export async function* lines(
  body: AsyncIterable<Buffer>,
  most = Infinity,
  tooLong: () => never = () => {
    throw new ExpectedError(`a line is longer than ${most} bytes`);
  },
): AsyncGenerator<Buffer> {
  const rest = new Gathered();
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (rest.length + piece.length > most) tooLong();
      if (rest.length === 0) yield piece;
      else {
        rest.append(piece);
        yield rest.take();
      }
    }
    if (rest.length + chunk.length - start > most) tooLong();
    rest.append(chunk.subarray(start));
  }
  if (rest.length > 0) yield rest.take();
}
