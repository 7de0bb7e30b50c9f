/**
 * Loaded before a program, tells the process that started it how long its event loop was held at the most and what memory it takes. A stall is
 * the processor time of the main thread between two ticks of a timer, so it does not count what other processes take.
 */
import fs from 'node:fs';
import process from 'node:process';

export interface ProbeReport {
  /** Milliseconds of processor time. */
  readonly longestStall: number;
  /** Bytes; after a collection of garbage. */
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
  /** Bytes, before it. */
  readonly highest: number;
}

const tickMs = 5;
const file = fs.openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const text = Buffer.alloc(128);

/** Milliseconds that the main thread has run. */
function ran(): number {
  const length = fs.readSync(file, text, 0, text.length, 0);
  return Number(text.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

let before = ran();
let longest = 0;
let highest = 0;

function tick(): void {
  const now = ran();
  longest = Math.max(longest, now - before);
  before = now;
}

setInterval(tick, tickMs).unref();
setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 100).unref();

process.on('message', (message: unknown) => {
  tick();
  const longestStall = longest;
  if (message === 'collect') (globalThis as { gc?: () => void }).gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const report: ProbeReport = { longestStall, resident: rss, heap: heapUsed, external, highest };
  longest = 0;
  highest = rss;
  before = ran();
  process.send?.(report);
});
process.channel?.unref();
