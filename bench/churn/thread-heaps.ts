import fs from 'node:fs';
import path from 'node:path';

/** Memory of a thread's V8 isolate in bytes. */
export interface ThreadHeap {
  /** 0 for the main thread. */
  readonly thread: number;
  /** Memory of objects, including garbage. */
  readonly usedBytes: number;
  /** Memory of the heap's pages. */
  readonly residentBytes: number;
  /** Memory outside of the heap for objects in it. */
  readonly externalBytes: number;
  /** The part of `externalBytes` that buffers take. */
  readonly bufferBytes: number;
}

/** Returns the last statistics that the probes (`heap-probe.ts`) wrote to the directory, by thread. */
export function threadHeaps(directory: string): ThreadHeap[] {
  return fs
    .readdirSync(directory)
    .filter(name => name.endsWith('.json'))
    .map(name => JSON.parse(fs.readFileSync(path.join(directory, name), 'utf8')) as ThreadHeap)
    .sort((a, b) => a.thread - b.thread);
}
