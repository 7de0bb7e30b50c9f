import { isExpected } from '../../lib/logging/cause.js';
import { StorageError } from '../error.js';
import type { Log } from '../log.js';

const disk = 'the disk of the data directory';

/** Messages that an operator can act on, by the system's error code. */
const texts: Readonly<Record<string, string>> = {
  ENOSPC: `no space left on ${disk}`,
  EDQUOT: `the quota of ${disk} is used up`,
  EFBIG: `${disk} takes no larger files: the limit for the size of a file is reached`,
  EIO: `${disk} reports an input/output error`,
  EROFS: 'the file system of the data directory is read-only',
};

/** Returns why a write failed, without the paths and system calls in Node.js messages. */
export function failureText(error: unknown): string {
  const { code = '', message = String(error) } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const [, words = message] = /^E[A-Z0-9]+: ([^,]*)/.exec(message) ?? [];
  return texts[code] ?? `${disk} cannot be written: ${words}`;
}

interface Problem {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly isLost: boolean;
}

interface DiskStateOptions {
  readonly directory: string;
  readonly log: Log;
  readonly now: () => number;
}

/**
 * Holds whether the store can write, and why not. There are two kinds of problems: a disk that fails, where every further write is an attempt,
 * and a folder that the store has lost, where no write may be attempted. The start and the end of a problem are logged.
 */
export class DiskState {
  readonly #options: DiskStateOptions;
  #problem: Problem | undefined;
  #failures = 0;

  constructor(options: DiskStateOptions) {
    this.#options = options;
  }

  /** Reports a failed write. Only the first failure is logged. */
  failed(error: unknown): void {
    this.#failures++;
    if (this.#problem === undefined)
      this.#begin({ text: failureText(error), since: this.#options.now(), isLost: false }, error);
  }

  /** Reports that the folder no longer belongs to the store; `text` says why. */
  lost(text: string): void {
    if (this.#problem?.isLost === true && this.#problem.text === text) return;
    this.#begin({ text, since: this.#problem?.since ?? this.#options.now(), isLost: true });
  }

  /** Reports that the folder belongs to the store. Whether the disk takes writes is not known yet. */
  found(): void {
    if (this.#problem?.isLost === true) this.#problem = { ...this.#problem, isLost: false };
  }

  /** Reports that the disk takes writes. Does nothing while the folder is lost. */
  worked(): void {
    const problem = this.#problem;
    if (problem === undefined || problem.isLost) return;
    const { directory, log, now } = this.#options;
    const seconds = Math.round((now() - problem.since) / 1000);
    const fields = { directory, cause: problem.text, seconds, failures: this.#failures };
    this.#problem = undefined;
    this.#failures = 0;
    log.info(fields, 'the data directory takes writes again');
  }

  /** Returns the error that refuses writes while there is a problem. */
  refusal(): StorageError {
    return new StorageError('unwritable', this.#problem?.text ?? `${disk} cannot be written`);
  }

  // hot: read before every write.
  /** True while no write may be attempted. */
  get isLost(): boolean {
    return this.#problem?.isLost === true;
  }

  /** True while there is no problem. */
  get isGood(): boolean {
    return this.#problem === undefined;
  }

  #begin(problem: Problem, error?: unknown): void {
    this.#problem = problem;
    const isBug = error !== undefined && !isExpected(error);
    const fields = { directory: this.#options.directory, cause: problem.text, ...(isBug && { err: error }) };
    this.#options.log.error(fields, 'writes are refused until the data directory takes them; reads and watches go on');
  }
}
