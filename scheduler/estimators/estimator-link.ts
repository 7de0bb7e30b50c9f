import type { Client } from '../../client/interface.js';
import type { Clock } from '../../lib/clock.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { EstimatorCallError, type ClientTls, EstimatorConnection } from './grpc/connection.js';
import { readCount } from './protocol/messages.js';
import type { EstimatorMethod } from './protocol/service.js';
import { estimatorAddresses, type ServiceSettings } from './service-address.js';

export interface LinkSettings extends ServiceSettings {
  readonly timeoutMs: number;
  /** Returns the present certificates: the same object while they stay as they are. Undefined: plain TCP. */
  readonly tls: () => Promise<ClientTls | undefined>;
}

export interface LinkDeps {
  readonly client: Pick<Client, 'get'>;
  readonly clock: Clock;
  /** Called when the estimator of a cluster cannot be reached, is lost or late, and when it is connected or in time again. */
  readonly failed: (cluster: string, error: unknown) => void;
  readonly worked: (cluster: string) => void;
}

/** A connection, with what it was opened with. */
interface Opened {
  readonly connection: EstimatorConnection;
  readonly address: string;
  readonly tls: ClientTls | undefined;
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
const interruptedMessage = 'the Service or the certificates of the estimator change before it is connected';

/**
 * The way to the estimator of one cluster. It connects by itself, and again after failures. Questions wait only for the first attempt; if renewals
 * interrupt it, for those that follow at once, until an address would have counted as unreachable. After that, an estimator that cannot be reached
 * delays nothing. One that is late several times in a row is not asked for some time; Karmada waits for it anew with each question. A lost connection is
 * opened again at once if the estimator has answered on it, and otherwise later each time, so that one that accepts connections only to end or to flood
 * them costs little.
 */
export class EstimatorLink {
  readonly #cluster: string;
  readonly #settings: LinkSettings;
  readonly #deps: LinkDeps;
  readonly #ended = new AbortController();
  #opened: Opened | undefined;
  /** Aborts when address or certificates may have changed. */
  #renewed = new AbortController();
  #firstAttempt: Promise<void>;
  /** Whether the present connection has answered a question in time. */
  #hasAnswered = false;
  /** Whether the last connection was lost for a reason that is reported, until a question is answered. */
  #isFailing = false;
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

  /** Returns the number with which the estimator answers; undefined if it does not answer in time, or refuses. Never rejects. */
  async ask({ method, message, object, signal }: Question): Promise<number | undefined> {
    const { clock } = this.#deps;
    const { timeoutMs } = this.#settings;
    const deadline = clock.now() + timeoutMs;
    if (!this.#opened && !(await this.#waitForFirstAttempt(deadline, signal))) return undefined;
    const opened = this.#opened;
    const left = deadline - clock.now();
    if (!opened || left <= 0 || clock.now() < this.#restsUntil) return undefined;
    // One question finds out whether it answers again, while the others go on without it.
    if (this.#late >= maxLate) this.#restsUntil = clock.now() + restMs;
    try {
      const count = readCount(await opened.connection.call(method, message, { object, timeoutMs: left, signal }));
      this.#answered(opened);
      return count;
    } catch (error) {
      if (error instanceof EstimatorCallError && error.isLate && ++this.#late >= maxLate) this.#rest(opened);
      return undefined;
    }
  }

  /** Connects anew if the address or the certificates have changed. The present connection is used until then. */
  renew(): void {
    this.#renewed.abort();
  }

  close(): void {
    this.#ended.abort();
    this.#opened?.connection.close();
    this.#opened = undefined;
  }

  #answered(opened: Opened): void {
    if (this.#late >= maxLate || this.#isFailing) this.#deps.worked(this.#cluster);
    [this.#late, this.#restsUntil, this.#isFailing] = [0, 0, false];
    if (opened === this.#opened) this.#hasAnswered = true;
  }

  #rest({ address }: Opened): void {
    const { clock, failed } = this.#deps;
    this.#restsUntil = clock.now() + restMs;
    failed(this.#cluster, new ExpectedError(`the estimator at ${address} does not answer in time`));
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
    const { clock, failed } = this.#deps;
    const begin = clock.now();
    let isFirst = true;
    const endsFirst = (): void => {
      isFirst = false;
      attempted();
    };
    for (let retryMs = minRetryMs; !signal.aborted;) {
      this.#renewed = new AbortController();
      const again = AbortSignal.any([signal, this.#renewed.signal]);
      try {
        const { connection } = await this.#connect(again);
        endsFirst();
        await untilAborted(AbortSignal.any([again, connection.lost]));
        if (connection.lost.aborted) this.#drop(connection);
        if (this.#hasAnswered) retryMs = minRetryMs;
      } catch (error) {
        // An attempt that a renewal interrupts has not failed; questions wait for the next attempt, unless the time of one has passed already.
        if (!again.aborted) {
          failed(this.#cluster, error);
          endsFirst();
          await clock.sleep(retryMs, again);
        } else if (isFirst && !signal.aborted && clock.now() - begin >= connectMs) {
          failed(this.#cluster, new ExpectedError(interruptedMessage, { cause: error }));
          endsFirst();
        }
        retryMs = again.aborted ? minRetryMs : Math.min(retryMs * 2, maxRetryMs);
      }
    }
    attempted();
  }

  /** Closes a lost connection. Throws the reason unless it may be opened again at once. */
  #drop(connection: EstimatorConnection): void {
    connection.close();
    this.#opened = undefined;
    if (this.#hasAnswered && !connection.hasFlooded) return;
    this.#hasAnswered = false;
    this.#isFailing = true;
    throw connection.lost.reason;
  }

  /**
   * Connects to the first address that answers, unless that is connected already. Rejects with the error of the last one, or when the signal aborts.
   */
  async #connect(signal: AbortSignal): Promise<Opened> {
    const tls = await this.#settings.tls();
    const addresses = await estimatorAddresses(this.#deps.client, this.#cluster, this.#settings);
    const before = this.#opened;
    if (before && before.tls === tls && addresses.includes(before.address)) return before;
    let failure: unknown;
    for (const address of addresses) {
      try {
        const settings = { timeoutMs: connectMs, signal };
        return this.#use({ address, tls, connection: await EstimatorConnection.open(address, tls, settings) });
      } catch (error) {
        if (signal.aborted) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** Uses a new connection from now on. */
  #use(opened: Opened): Opened {
    if (this.#ended.signal.aborted) opened.connection.close();
    else {
      this.#opened?.connection.close();
      this.#opened = opened;
      this.#hasAnswered = false;
      if (!this.#isFailing) this.#deps.worked(this.#cluster);
    }
    return opened;
  }
}

/** Resolves when the signal has aborted. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
