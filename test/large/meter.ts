/**
 * Loaded into a server process (`node --import`): measures how long its event loop is held. Between two ticks of a short timer the CPU time of
 * the main thread is what one turn, or a few that follow each other within the period of the timer, has cost; time in which the thread waits
 * for a processor is not counted, so a busy machine does not change the result.
 */
import { openSync, readSync } from 'node:fs';
import process from 'node:process';

/** What the server tells when it is asked. */
export interface Reading {
  /** Longest time that the loop was held since the last reading, in milliseconds of CPU. */
  readonly longestMs: number;
  /** All CPU time of the main thread since the last reading, in milliseconds. */
  readonly cpuMs: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
}

const periodMs = 2;
/** The server is quiet when so many ticks in a row have cost next to nothing. */
const quietTicks = 12;
const nextToNothingMs = 1;

const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const bytes = Buffer.alloc(64);

function cpuMs(): number {
  const length = readSync(schedstat, bytes, 0, bytes.length, 0);
  return Number.parseInt(bytes.toString('latin1', 0, length), 10) / 1e6;
}

let last = cpuMs();
let begun = last;
let longest = 0;
let quiet = 0;
let asked = false;

function tick(): void {
  const now = cpuMs();
  const held = now - last;
  last = now;
  longest = Math.max(longest, held);
  quiet = held < nextToNothingMs ? quiet + 1 : 0;
  if (!asked || quiet < quietTicks) return;
  asked = false;
  const reading: Reading = { longestMs: longest, cpuMs: now - begun, rss: process.memoryUsage.rss() };
  longest = 0;
  begun = now;
  process.send?.(reading);
}

setInterval(tick, periodMs).unref();
// Answered once the server has nothing left to do.
process.on('message', () => {
  quiet = 0;
  asked = true;
});
process.channel?.unref();
