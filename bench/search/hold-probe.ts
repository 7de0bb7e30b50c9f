/**
 * Loaded by the measured process (`--import hold-probe.js?FILE`): appends a line for each turn of the main thread's event loop that took long, with the
 * time in milliseconds since the epoch and the length. The length is the shorter of elapsed and CPU time: other processes of the machine do not count.
 * At SIGUSR2 it collects garbage, and writes the memory of the thread to `FILE.memory`. Node.js runs with `--expose-gc`.
 */
import fs from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const everyMs = 5;
const longMs = 10;
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let [at, cpu] = [performance.now(), cpuMs()];

function tick(): void {
  const [now, used] = [performance.now(), cpuMs()];
  const held = Math.min(now - at, used - cpu);
  if (held >= longMs) fs.appendFileSync(file, `${Date.now()} ${held.toFixed(1)}\n`);
  [at, cpu] = [now, used];
}

/** Writes the bytes of the objects in the heap and of their buffers. The rename makes the write atomic for readers. */
function writeMemory(): void {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  fs.writeFileSync(`${file}.new`, String(heapUsed + external));
  fs.renameSync(`${file}.new`, `${file}.memory`);
}

if (isMainThread) {
  setInterval(tick, everyMs).unref();
  process.on('SIGUSR2', writeMemory);
}
