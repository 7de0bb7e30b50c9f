/** Turns repeated failures into states: one line when a state begins, and one when it ends. */
import { causeText, isExpected, isReportedElsewhere } from './cause.js';
import type { Logger } from './interface.js';

/** States are never logged at `debug`. */
type Lines = Pick<Logger, 'info' | 'warn' | 'error'>;

interface FailureStateOptions {
  readonly log: Lines;
  /** Returns wall-clock milliseconds. */
  readonly now: () => number;
  /** The message at `warn` when a state begins. */
  readonly fails: string;
  /** The message at `info` when a logged state ends. */
  readonly works: string;
  /** Milliseconds for which expected failures have to last before they are logged: most retries succeed. */
  readonly graceMs?: number;
  /** Milliseconds after which a lasting state is logged again, with the number of its failures. */
  readonly remindMs?: number;
  /** Milliseconds without a failure after which the next one begins a new state, for work whose success is not reported. Absent: never. */
  readonly staleMs?: number;
}

const defaultGraceMs = 10_000;
const defaultRemindMs = 30 * 60_000;
/** Milliseconds between two lines of a state whose cause changes. */
const anotherCauseMs = 60_000;

/** Returns whether a line may be logged now. */
type MayLog = () => boolean;

/** The state of one thing that works or fails. */
export class FailureState {
  readonly #options: FailureStateOptions;
  readonly #mayLog: MayLog;
  #failures = 0;
  #since = 0;
  #lastAt = 0;
  #loggedAt: number | undefined;
  #loggedCause = '';
  #fields: object = {};

  constructor(options: FailureStateOptions, mayLog: MayLog = () => true) {
    this.#options = options;
    this.#mayLog = mayLog;
  }

  /**
   * Reports a failure. A bug is logged at once, with its stack; its repetitions are only counted. What is reported elsewhere is ignored.
   * `graceMs`: for this failure.
   */
  failed(error: unknown, fields: object = {}, graceMs = this.#options.graceMs ?? defaultGraceMs): void {
    if (isReportedElsewhere(error)) return;
    const { now, staleMs = Infinity } = this.#options;
    const at = now();
    if (at - this.#lastAt > staleMs) this.#forget();
    this.#lastAt = at;
    if (this.#failures++ === 0) this.#since = at;
    this.#fields = fields;
    const cause = causeText(error);
    const isBug = !isExpected(error);
    if (this.#loggedAt === undefined ? !isBug && at - this.#since < graceMs : !this.#isNews(cause, at, isBug)) return;
    if (!this.#mayLog()) return;
    this.#loggedAt = at;
    this.#loggedCause = cause;
    this.#write(error, cause, isBug);
  }

  /** Reports success. The end of a state is logged if its beginning was. */
  worked(): void {
    if (this.#failures === 0) return;
    const { log, now, works } = this.#options;
    if (this.#loggedAt !== undefined)
      log.info({ ...this.#fields, failures: this.#failures, seconds: seconds(now() - this.#since) }, works);
    this.#forget();
  }

  #forget(): void {
    this.#failures = 0;
    this.#loggedAt = undefined;
  }

  #isNews(cause: string, at: number, isBug: boolean): boolean {
    const { remindMs = defaultRemindMs } = this.#options;
    const silentMs = at - (this.#loggedAt ?? at);
    if (cause === this.#loggedCause) return silentMs >= remindMs;
    return isBug || silentMs >= anotherCauseMs;
  }

  #write(error: unknown, cause: string, isBug: boolean): void {
    const { log, fails } = this.#options;
    const state = { since: new Date(this.#since).toISOString(), failures: this.#failures };
    if (isBug) log.error({ ...this.#fields, ...state, err: error }, fails);
    else log.warn({ ...this.#fields, cause, ...state }, fails);
  }
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;

/** States that are kept; beyond that the oldest one is dropped. */
const maxStates = 4096;
/** Lines per minute for all keys together; further ones are only counted. */
const linesPerMinute = 20;

/** The states of many keys, such as the objects of a controller, or members. Memory and lines are limited. */
export class FailureStates {
  readonly #options: FailureStateOptions;
  readonly #states = new Map<string, FailureState>();
  #minute = -Infinity;
  #lines = 0;
  #suppressed = 0;

  constructor(options: FailureStateOptions) {
    this.#options = options;
  }

  /** `fields` describe the key, and are in every line of its state. What is reported elsewhere is ignored. */
  failed(key: string, error: unknown, fields: object, graceMs?: number): void {
    // Before the states: one such failure for each of many keys would displace the states of others.
    if (isReportedElsewhere(error)) return;
    let state = this.#states.get(key);
    if (!state) {
      if (this.#states.size >= maxStates)
        for (const oldest of this.#states.keys()) {
          this.#states.delete(oldest);
          break;
        }
      this.#states.set(key, (state = new FailureState(this.#options, () => this.#mayLog())));
    }
    state.failed(error, fields, graceMs);
  }

  // hot: after every reconciliation.
  worked(key: string): void {
    if (this.#states.size === 0) return;
    const state = this.#states.get(key);
    if (!state) return;
    this.#states.delete(key);
    state.worked();
  }

  #mayLog(): boolean {
    const { log, now, fails } = this.#options;
    const at = now();
    if (at - this.#minute >= 60_000) {
      if (this.#suppressed > 0) log.warn({ suppressed: this.#suppressed, failing: this.#states.size }, fails);
      this.#minute = at;
      this.#lines = 0;
      this.#suppressed = 0;
    }
    if (this.#lines++ < linesPerMinute) return true;
    this.#suppressed++;
    return false;
  }
}

/** One state with several parties, such as the watches of one store: it ends when none of them fails any more. */
export class SharedFailureState {
  readonly #failureState: FailureState;
  readonly #failing = new Set<string>();

  constructor(options: FailureStateOptions) {
    this.#failureState = new FailureState(options);
  }

  /** Reports a failure of one party. The caller limits the number of parties. What is reported elsewhere is ignored. */
  failed(party: string, error: unknown, fields: object = {}): void {
    if (isReportedElsewhere(error)) return;
    this.#failing.add(party);
    this.#failureState.failed(error, { ...fields, watches: this.#failing.size });
  }

  // hot: with every change of a watch.
  worked(party: string): void {
    if (this.#failing.size === 0) return;
    this.#failing.delete(party);
    if (this.#failing.size === 0) this.#failureState.worked();
  }
}

/** Milliseconds: an upper bound of the time between two retries. */
const betweenTriesMs = 120_000;
/** Milliseconds for which failures have to last before they are logged. */
const triesMs = 5_000;

/** Returns a function for loops that report only failures: the state of `key` is logged once, and ends silently when there are no more failures. */
export function repeatedly(
  log: Lines,
  fails: string,
  graceMs = triesMs,
): (error: unknown, key?: string, fields?: object) => void {
  const options = { log, now: Date.now, fails, works: `no more: ${fails}`, graceMs, staleMs: betweenTriesMs };
  const failureStates = new FailureStates(options);
  return (error, key = '', fields = {}) => failureStates.failed(key, error, fields);
}
