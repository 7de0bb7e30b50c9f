/** Turns failures that repeat into states: one line when a state is there, one when it is over, whatever happens in between. */
import { causeText, isExpected } from './cause.js';
import type { Logger } from './interface.js';

/** Lines of states are never told at `debug`. */
type Lines = Pick<Logger, 'info' | 'warn' | 'error'>;

export interface TroubleOptions {
  readonly log: Lines;
  /** Wall-clock milliseconds. */
  readonly now: () => number;
  /** Told at `warn` when the state is there. */
  readonly fails: string;
  /** Told at `info` when a state that was told is over. */
  readonly works: string;
  /** Milliseconds for which expected failures have to go on before they are told: most retries succeed. */
  readonly graceMs?: number;
  /** Milliseconds after which a state that goes on is told again, with the number of its failures. */
  readonly remindMs?: number;
  /** Milliseconds without a failure after which the next one begins a new state. For what fails without ever being said to work. Absent: never. */
  readonly staleMs?: number;
}

const defaultGraceMs = 10_000;
const defaultRemindMs = 30 * 60_000;
/** Milliseconds between two lines of one state whose cause changes. */
const anotherCauseMs = 60_000;

/** Says whether a line may be written now. */
type MayTell = () => boolean;

/** One thing that works or fails. */
export class Trouble {
  readonly #options: TroubleOptions;
  readonly #mayTell: MayTell;
  #failures = 0;
  #since = 0;
  #lastAt = 0;
  #toldAt: number | undefined;
  #toldCause = '';
  #fields: object = {};

  constructor(options: TroubleOptions, mayTell: MayTell = () => true) {
    this.#options = options;
    this.#mayTell = mayTell;
  }

  /** It failed (again). A bug is told at once, with its stack; the same bug again only counts. `graceMs`: for this failure. */
  failed(error: unknown, fields: object = {}, graceMs = this.#options.graceMs ?? defaultGraceMs): void {
    const { now, staleMs = Infinity } = this.#options;
    const at = now();
    if (at - this.#lastAt > staleMs) this.#forget();
    this.#lastAt = at;
    if (this.#failures++ === 0) this.#since = at;
    this.#fields = fields;
    const cause = causeText(error);
    const isBug = !isExpected(error);
    if (this.#toldAt === undefined ? !isBug && at - this.#since < graceMs : !this.#isNews(cause, at, isBug)) return;
    if (!this.#mayTell()) return;
    this.#toldAt = at;
    this.#toldCause = cause;
    this.#tell(error, cause, isBug);
  }

  /** It works. Only a state that was told is told to be over. */
  worked(): void {
    if (this.#failures === 0) return;
    const { log, now, works } = this.#options;
    if (this.#toldAt !== undefined)
      log.info({ ...this.#fields, failures: this.#failures, seconds: seconds(now() - this.#since) }, works);
    this.#forget();
  }

  #forget(): void {
    this.#failures = 0;
    this.#toldAt = undefined;
  }

  #isNews(cause: string, at: number, isBug: boolean): boolean {
    const { remindMs = defaultRemindMs } = this.#options;
    const silentMs = at - (this.#toldAt ?? at);
    if (cause === this.#toldCause) return silentMs >= remindMs;
    return isBug || silentMs >= anotherCauseMs;
  }

  #tell(error: unknown, cause: string, isBug: boolean): void {
    const { log, fails } = this.#options;
    const state = { since: new Date(this.#since).toISOString(), failures: this.#failures };
    if (isBug) log.error({ ...this.#fields, ...state, err: error }, fails);
    else log.warn({ ...this.#fields, cause, ...state }, fails);
  }
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;

/** States that are kept at once; the oldest one is forgotten for a new one. */
const maxStates = 4096;
/** Lines a minute of all keys together; further keys are only counted. */
const linesPerMinute = 20;

/** The same by key: objects of one controller, members. Bounded in memory and in lines. */
export class Troubles {
  readonly #options: TroubleOptions;
  readonly #states = new Map<string, Trouble>();
  #minute = -Infinity;
  #lines = 0;
  #untold = 0;

  constructor(options: TroubleOptions) {
    this.#options = options;
  }

  /** `fields`: what the key stands for, shown with every line of its state. */
  failed(key: string, error: unknown, fields: object, graceMs?: number): void {
    let state = this.#states.get(key);
    if (!state) {
      if (this.#states.size >= maxStates)
        for (const oldest of this.#states.keys()) {
          this.#states.delete(oldest);
          break;
        }
      this.#states.set(key, (state = new Trouble(this.#options, () => this.#mayTell())));
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

  #mayTell(): boolean {
    const { log, now, fails } = this.#options;
    const at = now();
    if (at - this.#minute >= 60_000) {
      if (this.#untold > 0) log.warn({ untold: this.#untold, failing: this.#states.size }, fails);
      this.#minute = at;
      this.#lines = 0;
      this.#untold = 0;
    }
    if (this.#lines++ < linesPerMinute) return true;
    this.#untold++;
    return false;
  }
}

/** One state that several parties meet, such as the watches of one store: it is over when none of them fails any more. */
export class SharedTrouble {
  readonly #trouble: Trouble;
  readonly #failing = new Set<string>();

  constructor(options: TroubleOptions) {
    this.#trouble = new Trouble(options);
  }

  /** The number of parties is the caller's to bound. */
  failed(party: string, error: unknown, fields: object = {}): void {
    this.#failing.add(party);
    this.#trouble.failed(error, { ...fields, watches: this.#failing.size });
  }

  // hot: with every change of a watch.
  worked(party: string): void {
    if (this.#failing.size === 0) return;
    this.#failing.delete(party);
    if (this.#failing.size === 0) this.#trouble.worked();
  }
}

/** Milliseconds between two tries of what is tried for ever, at most, with some to spare. */
const betweenTriesMs = 120_000;
/** Milliseconds that such a thing may fail before it is told. */
const triesMs = 5_000;

/**
 * For loops that only say when they fail: each failure of `key` is passed on, the state is told once, and ends without a line when there are no
 * more failures.
 */
export function repeatedly(
  log: Lines,
  fails: string,
  graceMs = triesMs,
): (error: unknown, key?: string, fields?: object) => void {
  const options = { log, now: Date.now, fails, works: `no more: ${fails}`, graceMs, staleMs: betweenTriesMs };
  const troubles = new Troubles(options);
  return (error, key = '', fields = {}) => troubles.failed(key, error, fields);
}
