/** Reads bodies of answers with limits on bytes and time. A body that exceeds them is cut off while it arrives. */
import type { Dispatcher } from './dispatcher.js';
import { BadAnswer } from './bad-answer.js';
import { ByteCollector } from './byte-collector.js';
import { sizeText } from './limits.js';

type Body = Dispatcher.ResponseData['body'];

export interface BodyLimit {
  readonly maxBytes: number;
  /** Milliseconds of performance.now(). An `Answer` ends at it; `whole` checks it when data arrives, and the connection ends a body without data. */
  readonly deadline: number;
  /** Method and URL, for the message. */
  readonly request: string;
}

/** Returns the error for a body of which `length` bytes have arrived; undefined when it is within its limits. */
export function faultOf({ maxBytes, deadline, request }: BodyLimit, length: number): BadAnswer | undefined {
  if (length > maxBytes) return new BadAnswer(request, `the answer is longer than ${sizeText(maxBytes)}`);
  return performance.now() > deadline ? lateAnswer(request) : undefined;
}

/** Returns the error for a body that is not complete at its deadline. `request`: method and URL. */
export const lateAnswer = (request: string): BadAnswer => new BadAnswer(request, 'the answer takes too long');

/** Returns the whole body. Rejects with BadAnswer, and ends the connection, when the body exceeds its limits. */
export function whole(body: Body, limit: BodyLimit): Promise<Buffer> {
  const gathered = new ByteCollector();
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
