/** Who uses the server meanwhile. */
import { setTimeout } from 'node:timers/promises';
import { once } from 'node:events';
import tls from 'node:tls';
import { Streams, type Target } from '../conformance/fuzz/send.js';

const everyMs = 5;

/** Asks for `/version` every few milliseconds, one at a time. */
export class VersionAsker {
  readonly #streams: Streams;
  readonly #stopping = new AbortController();
  #took: number[] = [];
  /** When the question was asked that has no answer yet; now when there is none. */
  #asked: number | undefined;

  constructor(target: Target) {
    this.#streams = new Streams(target);
  }

  get askedAt(): number {
    return this.#asked ?? performance.now();
  }

  begin(): void {
    this.#took = [];
  }

  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#asked = performance.now();
      const answered = await this.#streams.send({ method: 'GET', path: '/version', headers: {}, body: undefined }).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (answered) this.#took.push(performance.now() - this.#asked);
      this.#asked = undefined;
      await setTimeout(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Milliseconds. */
  percentile(part: number): number {
    const sorted = this.#took.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
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
  #heard: (() => void) | undefined;
  #mark = 0;

  constructor(target: Target) {
    this.#socket = tls.connect({ ...target, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  }

  async run(): Promise<void> {
    const socket = this.#socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#text = (this.#text + chunk.toString('latin1')).slice(-1000);
      if (this.#text.includes(this.#marker)) this.#heard?.();
    });
    socket.write(`GET ${watched}?watch=1 HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    if (!socket.destroyed) await once(socket, 'close');
  }

  get #marker(): string {
    return `marker-${this.#mark}-end`;
  }

  /** Whether a change that is made now, through `streams`, comes to it within a while. */
  async hears(streams: Streams): Promise<boolean> {
    this.#mark++;
    const heard = new Promise<true>(resolve => (this.#heard = () => resolve(true)));
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: this.#marker } };
    const body = Buffer.from(JSON.stringify(object));
    await streams.send({ method: 'POST', path: watched, headers: { 'content-type': 'application/json' }, body });
    const patience = new AbortController();
    const late = setTimeout(30_000, false, { signal: patience.signal, ref: false }).catch(() => false);
    const result = await Promise.race([heard, late]);
    patience.abort();
    streams.close();
    return result;
  }

  stop(): void {
    this.#socket.destroy();
  }
}
