import type { EtcdClient, EtcdWatchStream } from './client.js';

/**
 * Returns whether a progress answer of this version never overtakes pending events: etcd's issue 15220, fixed in 3.4.25 and 3.5.8 (as
 * storage/feature/feature_support_checker.go, which requires the same versions).
 */
export function progressIsSafe(version: string | undefined): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(part => Number.parseInt(part, 10));
  if (major !== 3 || minor > 5) return major > 3 || minor > 5;
  return (minor === 5 && patch >= 8) || (minor === 4 && patch >= 25);
}

interface Running {
  readonly stream: EtcdWatchStream;
  /** Whether the stream's answers to progress requests can be trusted. */
  readonly safe: boolean;
}

/** Requests progress of the running watch streams, by prefix. */
export class ProgressRequests {
  readonly #client: EtcdClient;
  readonly #trustAll: boolean;
  readonly #streams = new Map<string, Set<Running>>();
  /** Whether an endpoint's answers to progress requests can be trusted, by endpoint, once its version is known. */
  readonly #safe = new Map<number, boolean>();
  /** Prefixes with a progress request at the end of this turn: many readers share one request. */
  readonly #requested = new Set<string>();

  /** `trustAll`: trusts answers whatever the version of etcd. */
  constructor(client: EtcdClient, trustAll: boolean) {
    this.#client = client;
    this.#trustAll = trustAll;
  }

  /** Adds a stream that is open. Returns a function that removes it. */
  async opened(prefix: string, stream: EtcdWatchStream, endpoint: number): Promise<() => void> {
    const running: Running = { stream, safe: await this.#isSafe(endpoint) };
    const known = this.#streams.get(prefix) ?? new Set();
    this.#streams.set(prefix, known.add(running));
    return () => {
      known.delete(running);
      if (known.size === 0 && this.#streams.get(prefix) === known) this.#streams.delete(prefix);
    };
  }

  /** Reports that a stream to the endpoint broke off: it may answer with another version next. */
  ended(endpoint: number): void {
    this.#safe.delete(endpoint);
  }

  /** See `Backend.requestProgress`. */
  request(prefix: string): boolean {
    const running = [...(this.#streams.get(prefix) ?? [])];
    if (running.length === 0 || !running.every(one => one.safe)) return false;
    if (!this.#requested.has(prefix)) setImmediate(this.#send, prefix);
    this.#requested.add(prefix);
    return true;
  }

  readonly #send = (prefix: string): void => {
    this.#requested.delete(prefix);
    for (const { stream } of this.#streams.get(prefix) ?? []) stream.send('progress');
  };

  async #isSafe(endpoint: number): Promise<boolean> {
    const known = this.#safe.get(endpoint);
    if (this.#trustAll || known === true) return true;
    if (known === false) return false;
    const version = await this.#client.version(endpoint);
    if (version !== undefined) this.#safe.set(endpoint, progressIsSafe(version));
    return progressIsSafe(version);
  }
}
