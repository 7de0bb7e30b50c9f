/** Kills a server that does not respond any more, or that uses too much memory of the machine. */
import type { VersionClient } from './clients.js';
import { ResidentPeak, waitedMs } from './process-files.js';
import type { WatchedServer } from './server.js';

/** Milliseconds without a response, except those in which the server waited for a CPU, after which it is killed. */
const maxStuckMs = 10_000;
/** The limit for the resident memory of a server, in bytes. */
const maxResident = 4 * 1024 ** 3;

export class Guard {
  readonly #server: WatchedServer;
  readonly #versionClient: VersionClient;
  readonly #timer: NodeJS.Timeout;
  readonly #peak: ResidentPeak;
  #since = 0;
  #waited = 0;
  /** Milliseconds for which the server had not responded when it was killed. */
  stuck = 0;
  /** The reason why the server was killed; undefined if it was not. */
  reason: string | undefined;

  constructor(server: WatchedServer, versionClient: VersionClient) {
    this.#server = server;
    this.#versionClient = versionClient;
    this.#peak = new ResidentPeak(server.pid);
    this.#timer = setInterval(() => this.#check(), 50);
  }

  /** Starts a new measurement of the peak. */
  begin(): void {
    this.#peak.begin();
  }

  /** Returns the peak of the resident memory since `begin`, in bytes. */
  get peak(): number {
    return this.#peak.bytes;
  }

  #check(): void {
    const { pid } = this.#server;
    if (this.reason !== undefined) return;
    if (this.#since !== this.#versionClient.pendingSince) {
      this.#since = this.#versionClient.pendingSince;
      this.#waited = waitedMs(pid);
    }
    const stuckMs = performance.now() - this.#since - (waitedMs(pid) - this.#waited);
    if (stuckMs >= maxStuckMs) this.#end(`/version had no answer for ${Math.round(stuckMs)} ms`, stuckMs);
    else if (this.peak >= maxResident) this.#end(`${Math.round(this.peak / 2 ** 20)} MiB are resident`, stuckMs);
  }

  #end(reason: string, stuckMs: number): void {
    this.reason = reason;
    this.stuck = stuckMs;
    this.#server.kill();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#peak.stop();
  }
}
