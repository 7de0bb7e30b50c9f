import type { Client } from '../../client/interface.js';
import type { Clock } from '../../lib/clock.js';
import { EstimatorCallError, type ClientTls, EstimatorConnection } from './grpc/connection.js';
import { readCount } from './protocol/messages.js';
import type { EstimatorMethod } from './protocol/service.js';
import { estimatorAddresses, type ServiceSettings } from './service-address.js';

export interface LinkSettings extends ServiceSettings {
  readonly timeoutMs: number;
  /** Reads the certificates at each attempt to connect, so that renewed ones are used. Undefined: plain TCP. */
  readonly tls: () => Promise<ClientTls | undefined>;
}

export interface LinkDeps {
  readonly client: Pick<Client, 'get'>;
  readonly clock: Clock;
  /** Called when the estimator of a cluster cannot be reached, and when it is connected. */
  readonly failed: (cluster: string, error: unknown) => void;
  readonly worked: (cluster: string) => void;
}

interface Question {
  readonly method: EstimatorMethod;
  readonly message: Buffer;
  readonly object: string;
  readonly signal: AbortSignal;
}

/** Milliseconds until an address counts as unreachable. as pkg/estimator/client EstablishConnection */
const connectMs = 5_000;
/** Milliseconds between two attempts to connect: at first, and at most. */
const minRetryMs = 1_000;
const maxRetryMs = 60_000;
/** The number of late answers in a row after which an estimator is left alone, and for how many milliseconds. */
const maxLate = 3;
const restMs = 10_000;

/**
 * The way to the estimator of one cluster. It connects by itself, and again after failures. Questions wait only for the first attempt: after that,
 * an estimator that cannot be reached delays nothing. One that is late several times in a row is not asked for some time; Karmada waits for it anew
 * with each question.
 */
export class EstimatorLink {
  readonly #cluster: string;
  readonly #settings: LinkSettings;
  readonly #deps: LinkDeps;
  readonly #ended = new AbortController();
  #connection: EstimatorConnection | undefined;
  #firstAttempt: Promise<void>;
  /** The number of late answers since the last one in time. */
  #late = 0;
  /** Before this time, nothing is asked. */
  #restsUntil = 0;

  constructor(cluster: string, settings: LinkSettings, deps: LinkDeps) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#deps = deps;
    this.#firstAttempt = new Promise(resolve => void this.#keepConnecting(resolve));
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Returns the number with which the estimator answers; undefined if it does not answer in time, or refuses. Never rejects. */
  async ask({ method, message, object, signal }: Question): Promise<number | undefined> {
    const { clock } = this.#deps;
    const { timeoutMs } = this.#settings;
    const deadline = clock.now() + timeoutMs;
    if (!this.#connection && !(await this.#waitForFirstAttempt(deadline, signal))) return undefined;
    const connection = this.#connection;
    const left = deadline - clock.now();
    if (!connection || left <= 0 || clock.now() < this.#restsUntil) return undefined;
    // One question finds out whether it answers again, while the others go on without it.
    if (this.#late >= maxLate) this.#restsUntil = clock.now() + restMs;
    try {
      const count = readCount(await connection.call(method, message, { object, timeoutMs: left, signal }));
      [this.#late, this.#restsUntil] = [0, 0];
      return count;
    } catch (error) {
      if (error instanceof EstimatorCallError && error.isLate && ++this.#late >= maxLate)
        this.#restsUntil = clock.now() + restMs;
      return undefined;
    }
  }

  close(): void {
    this.#ended.abort();
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Returns whether the first attempt has ended before the deadline. */
  async #waitForFirstAttempt(deadline: number, signal: AbortSignal): Promise<boolean> {
    const waiting = new AbortController();
    const either = AbortSignal.any([signal, waiting.signal]);
    const late = this.#deps.clock.sleep(deadline - this.#deps.clock.now(), either).then(() => false);
    const ended = await Promise.race([this.#firstAttempt.then(() => true), late]);
    waiting.abort();
    return ended;
  }

  async #keepConnecting(attempted: () => void): Promise<void> {
    const { signal } = this.#ended;
    const { clock, failed, worked } = this.#deps;
    for (let retryMs = minRetryMs; !signal.aborted; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
      try {
        const connection = await this.#connect();
        if (signal.aborted) return connection.close();
        this.#connection = connection;
        worked(this.#cluster);
        return; // the connection is kept by gRPC from now on
      } catch (error) {
        if (!signal.aborted) failed(this.#cluster, error);
      } finally {
        attempted();
      }
      await clock.sleep(retryMs, signal);
    }
  }

  /** Connects to the first address that answers. Rejects with the error of the last one. */
  async #connect(): Promise<EstimatorConnection> {
    const tls = await this.#settings.tls();
    const addresses = await estimatorAddresses(this.#deps.client, this.#cluster, this.#settings);
    let failure: unknown;
    for (const address of addresses) {
      try {
        return await EstimatorConnection.open(address, tls, { timeoutMs: connectMs, signal: this.#ended.signal });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}
