/** Ends a server that does not come back, or takes the machine's memory. */
import fs from 'node:fs';
import type { VersionAsker } from './clients.js';
import type { WatchedServer } from './server.js';

/** Milliseconds of a server's own doing after which nobody waits for it any longer. */
const patience = 10_000;
/** Bytes that a server may have resident. */
const mostResident = 4 * 1024 ** 3;

/** A number of a file of /proc/PID; 0 when the process has ended. */
function numberIn(pid: number, file: string, place: number): number {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/${file}`, 'latin1').split(' ')[place]);
  } catch {
    return 0;
  }
}

/** Milliseconds in which the main thread has waited for a CPU. */
const waitedMs = (pid: number): number => numberIn(pid, 'schedstat', 1) / 1e6;
const residentBytes = (pid: number): number => numberIn(pid, 'statm', 1) * 4096;

export class Guard {
  readonly #server: WatchedServer;
  readonly #asker: VersionAsker;
  readonly #timer: NodeJS.Timeout;
  #since = 0;
  #waited = 0;
  #peak = 0;
  /** Milliseconds for which the server had stood when it was ended. */
  stuck = 0;
  /** Why the server was ended. */
  reason: string | undefined;

  constructor(server: WatchedServer, asker: VersionAsker) {
    this.#server = server;
    this.#asker = asker;
    this.#timer = setInterval(() => this.#look(), 50);
  }

  /** From here on the peak is looked for. */
  begin(): void {
    this.#peak = 0;
  }

  /** Bytes that were resident at the most. */
  get peak(): number {
    return this.#peak;
  }

  #look(): void {
    const { pid } = this.#server;
    if (this.reason !== undefined) return;
    if (this.#since !== this.#asker.askedAt) {
      this.#since = this.#asker.askedAt;
      this.#waited = waitedMs(pid);
    }
    this.#peak = Math.max(this.#peak, residentBytes(pid));
    const stood = performance.now() - this.#since - (waitedMs(pid) - this.#waited);
    if (stood >= patience) this.#end(`/version had no answer for ${Math.round(stood)} ms`, stood);
    else if (this.#peak >= mostResident) this.#end(`${this.#peak >> 20} MiB are resident`, stood);
  }

  #end(reason: string, stood: number): void {
    this.reason = reason;
    this.stuck = stood;
    this.#server.kill();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
