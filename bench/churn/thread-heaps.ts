import fs from 'node:fs';
import path from 'node:path';

/** What a thread's engine holds, in bytes. */
export interface ThreadHeap {
  /** 0: the main thread. */
  readonly thread: number;
  /** By objects, garbage included. */
  readonly usedBytes: number;
  /** Of the heap's pages. */
  readonly residentBytes: number;
  /** Outside of the heap, for objects in it. */
  readonly externalBytes: number;
  /** The part of it that buffers take. */
  readonly bufferBytes: number;
}

/** What the probe (`heap-probe.ts`) wrote to the directory last, by thread. */
export function threadHeaps(directory: string): ThreadHeap[] {
  return fs
    .readdirSync(directory)
    .filter(name => name.endsWith('.json'))
    .map(name => JSON.parse(fs.readFileSync(path.join(directory, name), 'utf8')) as ThreadHeap)
    .sort((a, b) => a.thread - b.thread);
}
