/** What the kernel tells of a process in /proc. */
import fs from 'node:fs';

const pageBytes = 4096;

/** A number of a file of /proc/PID; 0 when the process has ended. */
function numberIn(pid: number, file: string, place: number): number {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/${file}`, 'latin1').split(' ')[place]);
  } catch {
    return 0;
  }
}

/** Milliseconds in which the main thread of a process has waited for a CPU; 0 when it has ended. */
export const waitedMs = (pid: number): number => numberIn(pid, 'schedstat', 1) / 1e6;

/** Bytes of a process that are resident; 0 when it has ended. */
export const residentBytes = (pid: number): number => numberIn(pid, 'statm', 1) * pageBytes;

const everyMs = 50;

/** Looks many times a second how much memory a process has resident. */
export class ResidentPeak {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#look(), everyMs);
  }

  /** Forgets what was resident so far. */
  begin(): void {
    this.#bytes = 0;
  }

  /** Bytes that were resident at the most since `begin`. */
  get bytes(): number {
    this.#look();
    return this.#bytes;
  }

  #look(): void {
    this.#bytes = Math.max(this.#bytes, residentBytes(this.#pid));
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
