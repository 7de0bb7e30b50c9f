/** Reads bodies of answers with limits on bytes and time. A body that exceeds them is cut off while it arrives. */
import type { Readable } from 'node:stream';
import { BadAnswer } from './bad-answer.js';
import { ByteCollector } from './byte-collector.js';
import { sizeText } from './limits.js';

export interface BodyLimit {
  readonly maxBytes: number;
  /**
   * Milliseconds of performance.now(). An `Answer` ends at it; `collectBody` checks it when data arrives, and the connection ends a body without
   * data.
   */
  readonly deadline: number;
  /** Method and URL, for the message. */
  readonly request: string;
}

/** Returns the error for a body of which `length` bytes have arrived; undefined when it is within its limits. */
export function bodyLimitFault({ maxBytes, deadline, request }: BodyLimit, length: number): BadAnswer | undefined {
  if (length > maxBytes) return new BadAnswer(request, `the answer is longer than ${sizeText(maxBytes)}`);
  return performance.now() > deadline ? lateAnswer(request) : undefined;
}

/** Returns the error for a body that is not complete at its deadline. `request`: method and URL. */
export const lateAnswer = (request: string): BadAnswer => new BadAnswer(request, 'the answer takes too long');

/** Returns the whole body. Rejects with BadAnswer, and ends the connection, when the body exceeds its limits. */
export function collectBody(body: Readable, limit: BodyLimit): Promise<Buffer> {
  const gathered = new ByteCollector();
  let length = 0;
  return new Promise((resolve, reject) => {
    body.on('error', reject);
    body.on('end', () => resolve(gathered.take()));
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      const fault = bodyLimitFault(limit, length);
      if (!fault) return gathered.append(chunk);
      reject(fault);
      // Not with the fault: the request of the body would report it as an error of its own.
      body.destroy();
    });
  });
}
