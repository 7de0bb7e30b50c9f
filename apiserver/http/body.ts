import type { Readable } from 'node:stream';
import { badRequest, tooLarge } from '../../openapi/meta/status.js';

const none = Buffer.alloc(0);
const cutOff = () => badRequest('unexpected EOF');

/**
 * Reads a request body to its end. More than `limit` bytes: 413 at once, the rest is left to the transport. hot: most bodies come in one chunk,
 * which is all of them once it has the length that was announced.
 */
export function readBody(source: Readable, declared: number | undefined, limit: number): Promise<Buffer> {
  if (declared === 0) return Promise.resolve(none);
  if (source.destroyed) return Promise.reject(cutOff());
  const refusal = () => tooLarge(`limit is ${limit}`);
  if (declared !== undefined && declared > limit) return Promise.reject(refusal());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] | undefined = [];
    let size = 0;
    const complete = (): void => {
      if (!chunks) return;
      resolve(chunks.length === 1 ? (chunks[0] ?? none) : Buffer.concat(chunks, size));
      chunks = undefined;
    };
    // What follows is read, too, and left: the stream must come to its end.
    const onData = (chunk: Buffer) => {
      if (!chunks) return;
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) {
        chunks = undefined;
        reject(refusal());
      } else if (size === declared) complete();
    };
    const onGone = () => {
      if (!chunks) return;
      chunks = undefined;
      reject(cutOff());
    };
    source.on('data', onData).on('end', complete).on('error', onGone).on('close', onGone);
  });
}

/** A request body as it comes. Whoever stops reading leaves the stream open: it may carry the answer. */
export function streamBody(source: Readable): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer> };
}

/** The value of a Content-Length header. */
export function declaredLength(header: string | undefined): number | undefined {
  return header === undefined || !/^\d+$/.test(header) ? undefined : Number(header);
}

/** Answers of which nothing comes but their head: a length would be one of something else. */
export const carriesBody = (status: number): boolean => status !== 204 && status !== 304;
