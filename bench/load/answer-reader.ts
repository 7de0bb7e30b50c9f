/** A minimal reader of HTTP/1.1 that finds the ends of answers. */

export interface Answer {
  readonly status: number;
  /** Size of the body. */
  readonly bytes: number;
  /** The beginning of the body of an error. */
  readonly refusal: string;
}

interface AnswerHandlers {
  /** Called when an answer begins. */
  status?(status: number): void;
  /** Called when an answer has ended. */
  answer(answer: Answer): void;
  /** Called with parts of a body. Absent if they are not needed. */
  body?(part: Buffer): void;
}

type Phase = 'head' | 'body' | 'chunk-size' | 'chunk' | 'trailer';

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const refusalBytes = 300;

/** hot: returns a function that takes the data of a connection. Answers must not overlap, and must have a length or chunks. */
export function answerReader(handlers: AnswerHandlers): (chunk: Buffer) => void {
  let phase: Phase = 'head';
  /** An incomplete head or line. */
  let incomplete: Buffer | undefined;
  let left = 0;
  let status = 0;
  let bytes = 0;
  let refusal = '';

  function take(part: Buffer): void {
    bytes += part.length;
    if (status >= 300) refusal = (refusal + part.toString('utf8')).slice(0, refusalBytes);
    handlers.body?.(part);
  }

  function end(): void {
    phase = 'head';
    handlers.answer({ status, bytes, refusal });
  }

  function readHead(text: string): void {
    status = Number(text.slice(9, 12));
    bytes = 0;
    refusal = '';
    handlers.status?.(status);
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

  /** Reads the data of the current phase. Returns the new position; undefined if more data is needed. */
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
    // The line end after a chunk is not part of the body.
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
    const data = incomplete === undefined ? chunk : Buffer.concat([incomplete, chunk]);
    incomplete = undefined;
    for (let at = 0; at < data.length;) {
      const next = step(data, at);
      if (next === undefined) {
        incomplete = data.subarray(at);
        return;
      }
      at = next;
    }
  };
}
