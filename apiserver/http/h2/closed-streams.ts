import type { ServerStream } from './stream.js';

let streams: ServerStream[] = [];

function tell(): void {
  const closed = streams;
  streams = [];
  for (const stream of closed) stream.tellClosed();
}

/** hot: at the end of the turn: nobody hears of the end of a stream while he is writing to it. */
export function tellClosed(stream: ServerStream): void {
  if (streams.length === 0) setImmediate(tell);
  streams.push(stream);
}
