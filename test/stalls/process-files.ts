/** Reads the scheduling and memory of a process from /proc. */
import fs from 'node:fs';

const pageBytes = 4096;

/** Returns a number from a file of /proc/PID; 0 if the process has ended. */
function numberIn(pid: number, file: string, place: number): number {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/${file}`, 'latin1').split(' ')[place]);
  } catch {
    return 0;
  }
}

/** Returns the milliseconds for which the main thread of a process has waited for a CPU; 0 if it has ended. */
export const waitedMs = (pid: number): number => numberIn(pid, 'schedstat', 1) / 1e6;

/** Returns the resident memory of a process, in bytes; 0 if it has ended. */
const residentBytes = (pid: number): number => numberIn(pid, 'statm', 1) * pageBytes;

const everyMs = 50;

/** Samples the resident memory of a process many times a second. */
export class ResidentPeak {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#sample(), everyMs);
  }

  /** Discards the peak so far. */
  begin(): void {
    this.#bytes = 0;
  }

  /** Returns the peak since `begin`, in bytes. */
  get bytes(): number {
    this.#sample();
    return this.#bytes;
  }

  #sample(): void {
    this.#bytes = Math.max(this.#bytes, residentBytes(this.#pid));
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
