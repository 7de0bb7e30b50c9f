import { Registry } from 'prom-client';
import type { RequestFilter } from '../http/filters.js';
import { sendPieces } from '../http/send.js';

/** Characters that become bytes at once. */
const pieceLength = 64 * 1024;

/** Encodes a text, which may have megabytes, in small pieces. */
function* bytesOf(parts: readonly string[]): Generator<Buffer, void> {
  for (const part of parts)
    for (let from = 0, to = 0; from < part.length; from = to) {
      to = from + pieceLength;
      if ((part.codePointAt(to - 1) ?? 0) > 0xffff) to--; // A pair of surrogates is one character.
      yield Buffer.from(part.slice(from, to));
    }
}

/** Serves /metrics: a text in the format of Prometheus. `text` returns its parts. */
export const metrics =
  (text: () => Promise<readonly string[]>): RequestFilter =>
  async request =>
    sendPieces(request, 200, {
      type: Registry.PROMETHEUS_CONTENT_TYPE,
      length: undefined,
      pieces: bytesOf(await text()),
    });
