/** The clients that use the server while a row is played. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { once } from 'node:events';
import tls from 'node:tls';
import process from 'node:process';
import { Streams, type Target } from '../conformance/fuzz/send.js';
import { waitedMs } from './process-files.js';

const everyMs = 5;

/** Milliseconds from a request to its answer. */
export interface Latency {
  readonly wall: number;
  /** Without the time in which the main thread of the server, or that of the client, waited for a CPU. */
  readonly scheduled: number;
}

/** `part`: 0 to 1. */
function percentile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** Sends a GET of `/version` every few milliseconds, one at a time. */
export class VersionClient {
  readonly #streams: Streams;
  readonly #serverPid: number;
  readonly #stopping = new AbortController();
  #latencies: Latency[] = [];
  /** The start of the pending request, by `performance.now()`; undefined without one. */
  #pendingSince: number | undefined;

  constructor(target: Target, serverPid: number) {
    this.#streams = new Streams(target);
    this.#serverPid = serverPid;
  }

  /** Returns the start of the pending request, by `performance.now()`; the current time without one. */
  get pendingSince(): number {
    return this.#pendingSince ?? performance.now();
  }

  begin(): void {
    this.#latencies = [];
  }

  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#pendingSince = performance.now();
      const waitedBefore = this.#waited;
      const succeeded = await this.#streams
        .send({ method: 'GET', path: '/version', headers: {}, body: undefined })
        .then(
          ({ status }) => status === 200,
          () => false,
        );
      const wall = performance.now() - this.#pendingSince;
      if (succeeded) this.#latencies.push({ wall, scheduled: Math.max(0, wall - (this.#waited - waitedBefore)) });
      this.#pendingSince = undefined;
      await setTimeout(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns the milliseconds for which the two main threads have waited for a CPU. */
  get #waited(): number {
    return waitedMs(this.#serverPid) + waitedMs(process.pid);
  }

  /** Returns the 99th percentiles since `begin`; NaN without any. */
  get p99(): Latency {
    const of = (name: keyof Latency): number =>
      percentile(
        this.#latencies.map(latency => latency[name]),
        0.99,
      );
    return { wall: of('wall'), scheduled: of('scheduled') };
  }

  stop(): void {
    this.#stopping.abort();
    this.#streams.close();
  }
}

const watched = '/api/v1/namespaces/default/configmaps';

/** Watches ConfigMaps. */
export class Informer {
  readonly #socket: tls.TLSSocket;
  #text = '';
  #onMarker: (() => void) | undefined;
  #mark = 0;
  /** Distinguishes its objects from those of another informer, on whose data the server was started. */
  readonly #id = randomUUID();

  constructor(target: Target) {
    this.#socket = tls.connect({ ...target, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  }

  async run(): Promise<void> {
    const socket = this.#socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#text = (this.#text + chunk.toString('latin1')).slice(-1000);
      if (this.#text.includes(this.#marker)) this.#onMarker?.();
    });
    socket.write(`GET ${watched}?watch=1 HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    if (!socket.destroyed) await once(socket, 'close');
  }

  get #marker(): string {
    return `marker-${this.#id}-${this.#mark}-end`;
  }

  /** Reports whether the watch receives a change that is made now, through `streams`, within 30 seconds. */
  async receivesChange(streams: Streams): Promise<boolean> {
    this.#mark++;
    const received = new Promise<true>(resolve => (this.#onMarker = () => resolve(true)));
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: this.#marker } };
    const body = Buffer.from(JSON.stringify(object));
    const request = { method: 'POST', path: watched, headers: { 'content-type': 'application/json' }, body };
    const { status, text } = await streams.send(request);
    if (status !== 201) throw new Error(`a ConfigMap is not created: ${status} ${text}`);
    const timeout = new AbortController();
    const late = setTimeout(30_000, false, { signal: timeout.signal, ref: false }).catch(() => false);
    const result = await Promise.race([received, late]);
    timeout.abort();
    streams.close();
    return result;
  }

  stop(): void {
    this.#socket.destroy();
  }
}
