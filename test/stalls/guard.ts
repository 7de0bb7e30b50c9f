/** Ends a server that does not come back, or takes the machine's memory. */
import type { VersionAsker } from './clients.js';
import { ResidentPeak, waitedMs } from './process-files.js';
import type { WatchedServer } from './server.js';

/** Milliseconds of a server's own doing after which nobody waits for it any longer. */
const patience = 10_000;
/** Bytes that a server may have resident. */
const maxResident = 4 * 1024 ** 3;

export class Guard {
  readonly #server: WatchedServer;
  readonly #asker: VersionAsker;
  readonly #timer: NodeJS.Timeout;
  readonly #peak: ResidentPeak;
  #since = 0;
  #waited = 0;
  /** Milliseconds for which the server had stood when it was ended. */
  stuck = 0;
  /** Why the server was ended. */
  reason: string | undefined;

  constructor(server: WatchedServer, asker: VersionAsker) {
    this.#server = server;
    this.#asker = asker;
    this.#peak = new ResidentPeak(server.pid);
    this.#timer = setInterval(() => this.#look(), 50);
  }

  /** From here on the peak is looked for. */
  begin(): void {
    this.#peak.begin();
  }

  /** Bytes that were resident at the most. */
  get peak(): number {
    return this.#peak.bytes;
  }

  #look(): void {
    const { pid } = this.#server;
    if (this.reason !== undefined) return;
    if (this.#since !== this.#asker.askedAt) {
      this.#since = this.#asker.askedAt;
      this.#waited = waitedMs(pid);
    }
    const stood = performance.now() - this.#since - (waitedMs(pid) - this.#waited);
    if (stood >= patience) this.#end(`/version had no answer for ${Math.round(stood)} ms`, stood);
    else if (this.peak >= maxResident) this.#end(`${Math.round(this.peak / 2 ** 20)} MiB are resident`, stood);
  }

  #end(reason: string, stood: number): void {
    this.reason = reason;
    this.stuck = stood;
    this.#server.kill();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#peak.stop();
  }
}
