/**
 * Loaded by the measured process into each of its threads (`--import heap-probe.js?DIRECTORY`): writes the heap statistics of the thread
 * to a file of the directory once a second. There is no other way to attribute the process's memory to threads.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import v8 from 'node:v8';
import { threadId } from 'node:worker_threads';
import type { ThreadHeap } from './thread-heaps.js';

const everyMs = 1000;
const directory = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const file = path.join(directory, `${threadId}.json`);

function heap(): ThreadHeap {
  const { used_heap_size: usedBytes, total_physical_size: residentBytes } = v8.getHeapStatistics();
  const { external: externalBytes, arrayBuffers: bufferBytes } = process.memoryUsage();
  return { thread: threadId, usedBytes, residentBytes, externalBytes, bufferBytes };
}

function write(): void {
  // The rename makes the write atomic for readers.
  fs.writeFileSync(`${file}.new`, JSON.stringify(heap()));
  fs.renameSync(`${file}.new`, file);
}

setInterval(write, everyMs).unref();
