/** The least of HTTP/1.1 that tells where an answer ends. */

export interface Answer {
  readonly status: number;
  /** Of its body. */
  readonly bytes: number;
  /** The beginning of the body of a refusal. */
  readonly refusal: string;
}

export interface Heard {
  /** An answer begins. */
  status?(status: number): void;
  /** It has ended. */
  answer(answer: Answer): void;
  /** Part of a body. Absent: nobody wants it. */
  body?(part: Buffer): void;
}

type Phase = 'head' | 'body' | 'chunk-size' | 'chunk' | 'trailer';

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const refusalBytes = 300;

/** hot: takes what comes from a connection. Answers must come one by one, and say how long they are. */
export function answerReader(heard: Heard): (chunk: Buffer) => void {
  let phase: Phase = 'head';
  /** A head or a line that came in part. */
  let begun: Buffer | undefined;
  let left = 0;
  let status = 0;
  let bytes = 0;
  let refusal = '';

  function take(part: Buffer): void {
    bytes += part.length;
    if (status >= 300) refusal = (refusal + part.toString('utf8')).slice(0, refusalBytes);
    heard.body?.(part);
  }

  function end(): void {
    phase = 'head';
    heard.answer({ status, bytes, refusal });
  }

  function readHead(text: string): void {
    status = Number(text.slice(9, 12));
    bytes = 0;
    refusal = '';
    heard.status?.(status);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    left = Number(length ?? 0);
    if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(text)) phase = 'chunk-size';
    else if (left > 0) phase = 'body';
    else end();
  }

  function readSize(text: string): void {
    const size = Number.parseInt(text, 16);
    left = size + lineEnd.length;
    phase = size === 0 ? 'trailer' : 'chunk';
  }

  /** Reads what is there of the phase; answers how far it came, or undefined: more has to come. */
  function step(data: Buffer, at: number): number | undefined {
    if (phase === 'head' || phase === 'chunk-size') {
      const mark = phase === 'head' ? headEnd : lineEnd;
      const found = data.indexOf(mark, at);
      if (found < 0) return undefined;
      const text = data.toString('latin1', at, found);
      if (phase === 'head') readHead(text);
      else readSize(text);
      return found + mark.length;
    }
    const there = Math.min(left, data.length - at);
    // The end of a chunk is a line end, which is no part of the body.
    const line = phase === 'body' ? 0 : lineEnd.length;
    const part = Math.min(there, Math.max(0, left - line));
    left -= there;
    if (part > 0) take(data.subarray(at, at + part));
    if (left === 0) {
      if (phase === 'chunk') phase = 'chunk-size';
      else end();
    }
    return at + there;
  }

  return chunk => {
    const data = begun === undefined ? chunk : Buffer.concat([begun, chunk]);
    begun = undefined;
    for (let at = 0; at < data.length;) {
      const next = step(data, at);
      if (next === undefined) {
        begun = data.subarray(at);
        return;
      }
      at = next;
    }
  };
}
