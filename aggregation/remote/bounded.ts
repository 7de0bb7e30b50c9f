/** Bodies of answers, within a number of bytes and a time. What is too long or too slow is cut off while it arrives. */
import type { Dispatcher } from './dispatcher.js';
import { BadAnswer } from './bad-answer.js';
import { Gathered } from './gathered.js';
import { sizeText } from './limits.js';

type Body = Dispatcher.ResponseData['body'];

export interface BodyLimit {
  /** Bytes. */
  readonly most: number;
  /** By performance.now(). Looked at when something arrives; a body that is silent is ended by the connection. */
  readonly until: number;
  /** What was asked of whom, for the message. */
  readonly request: string;
}

/** What is wrong with a body of so many bytes now; undefined: nothing. */
function faultOf({ most, until, request }: BodyLimit, length: number): BadAnswer | undefined {
  if (length > most) return new BadAnswer(request, `the answer is longer than ${sizeText(most)}`);
  return performance.now() > until ? new BadAnswer(request, 'the answer takes too long') : undefined;
}

/** The chunks of a body. Throws BadAnswer and ends the connection when there are too many, or too late. */
export async function* bounded(body: Body, limit: BodyLimit): AsyncGenerator<Buffer, void> {
  let length = 0;
  // Leaving the loop by an error destroys the body, and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    const fault = faultOf(limit, length);
    if (fault) throw fault;
    yield chunk;
  }
}

/** A body in one piece; rejects as `bounded`. hot: what is asked of members. */
export function whole(body: Body, limit: BodyLimit): Promise<Buffer> {
  const gathered = new Gathered();
  let length = 0;
  return new Promise((resolve, reject) => {
    body.on('error', reject);
    body.on('end', () => resolve(gathered.take()));
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      const fault = faultOf(limit, length);
      if (fault) body.destroy(fault);
      else gathered.append(chunk);
    });
  });
}
