import { once } from 'node:events';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { ResponseHeaders, ResponseStream } from '../interface.js';
import { releaseBuffer, pooledBufferBytes, takeBuffer } from '../negotiate/buffer-pool.js';
import { answer } from './answer.js';
import type { Request } from './request.js';

const compress = promisify(gzip);
const level = constants.Z_BEST_SPEED;
/** as apiserver/pkg/endpoints/handlers/responsewriters/writers.go defaultGzipThresholdBytes */
const gzipAbove = 128 * 1024;

/** A body in pieces that are created while they are sent. */
export interface Pieces {
  readonly type: string;
  /** Bytes of all pieces; undefined when it is known only at their end. */
  readonly length: number | undefined;
  readonly pieces: Iterable<Buffer>;
  /** The pieces are large enough to be written as they are. */
  readonly packed?: true;
}

const acceptsGzip = (request: Request): boolean =>
  /(?:^|,)\s*gzip\s*(?:,|$)/.test(request.header('accept-encoding') ?? '');

/** Answers with a whole body. A large one is compressed in another thread if the client accepts gzip. */
export async function sendBody(
  request: Request,
  code: number,
  type: string,
  body: Buffer,
  extraHeaders?: ResponseHeaders,
): Promise<void> {
  if (body.length <= gzipAbove || !acceptsGzip(request)) return answer(request, code, type, body, extraHeaders);
  const compressed = await compress(body, { level });
  answer(request, code, type, compressed, { vary: 'Accept-Encoding', ...extraHeaders, 'content-encoding': 'gzip' });
}

/** Joins small pieces to chunks of one pooled buffer each. */
function* chunks(pieces: Iterable<Buffer>): Generator<Buffer, undefined> {
  let chunk = takeBuffer();
  let used = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const copied = piece.copy(chunk, used, at);
      at += copied;
      used += copied;
      if (used < pooledBufferBytes) continue;
      yield chunk;
      chunk = takeBuffer();
      used = 0;
    }
  }
  // The last chunk may be too small to wait for its write, so its buffer would not be released.
  const last = Buffer.from(chunk.subarray(0, used));
  releaseBuffer(chunk);
  if (used > 0) yield last;
  return undefined;
}

function* unchanged(pieces: Iterable<Buffer>): Generator<Buffer, undefined> {
  yield* pieces;
  return undefined;
}

async function compressInto(stream: ResponseStream, chunks: Iterable<Buffer>): Promise<number> {
  const zip = createGzip({ level });
  let bytes = 0;
  const reader = (async () => {
    for await (const part of zip as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (!stream.write(part)) await stream.drained();
    }
  })();
  for (const chunk of chunks) {
    if (stream.closed) break;
    if (zip.write(chunk)) continue;
    // The compressor has read all chunks then.
    await once(zip, 'drain');
    releaseBuffer(chunk);
  }
  zip.end();
  await reader;
  return bytes;
}

async function writeInto(stream: ResponseStream, chunks: Iterable<Buffer>): Promise<number> {
  let bytes = 0;
  for (const chunk of chunks) {
    if (stream.closed) break;
    bytes += chunk.length;
    if (stream.write(chunk)) continue;
    if (await stream.drained()) releaseBuffer(chunk);
  }
  return bytes;
}

function* concatenated(first: readonly Buffer[], further: Iterable<Buffer>): Generator<Buffer> {
  yield* first;
  yield* further;
}

/**
 * hot: answers with a body in pieces, at the pace of the client: without a large string or buffer, and the event loop is free between chunks.
 */
export async function sendPieces(request: Request, code: number, body: Pieces): Promise<void> {
  const further = body.packed ? unchanged(body.pieces) : chunks(body.pieces);
  const first: Buffer[] = [];
  let firstBytes = 0;
  while (firstBytes <= gzipAbove) {
    const { value, done } = further.next();
    if (done) return answer(request, code, body.type, first.length === 1 ? first[0] : Buffer.concat(first));
    first.push(value);
    firstBytes += value.length;
  }
  if (request.exchange.answered) return;
  const zip = acceptsGzip(request);
  const headers = request.answerHeaders();
  headers['content-type'] = body.type;
  if (zip) {
    headers['content-encoding'] = 'gzip';
    headers.vary = 'Accept-Encoding';
  } else if (body.length !== undefined) headers['content-length'] = body.length;
  const stream = request.exchange.stream(code, headers);
  const bytes = await (zip ? compressInto : writeInto)(stream, concatenated(first, further));
  stream.end();
  request.done(code, bytes);
}
