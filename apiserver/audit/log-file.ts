/**
 * A log of lines. They are written in batches, outside of the path of requests. Lines that do not fit into the buffer while the disk is slow or
 * full are lost, counted and reported; requests continue.
 */
import { ExpectedError } from '../../lib/logging/cause.js';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.js';

export interface LogFileOptions extends RotatingFileOptions {
  /** Called when lines were lost, or cannot be written for now. `lost`: lines that were lost since the last call. */
  readonly onFailure: (error: Error, lost: number) => void;
  /** Called when all waiting lines are written. */
  readonly onWritten?: () => void;
  /** The maximum bytes of waiting lines. */
  readonly buffer?: number;
}

const defaultBuffer = 16 * 1024 * 1024;
/** Milliseconds between two attempts after an error, and while the reader of standard output is slow. */
const retryMs = 1000;
const slowReaderRetryMs = 20;
/** The number of attempts for a slow reader of standard output after `close`. */
const maxLastAttempts = 100;

/** The file cannot be opened; the message has its path and the cause. */
export class LogFileError extends Error {}

class LogFile {
  readonly #target: RotatingFile;
  readonly #onFailure: LogFileOptions['onFailure'];
  readonly #onWritten: LogFileOptions['onWritten'];
  readonly #maxWaiting: number;
  #lines: string[] = [];
  /** Bytes of lines that are not written yet, with those of the current batch. */
  #waiting = 0;
  #lost = 0;
  /** The part of `#lost` that `onFailure` was told. */
  #reported = 0;
  #closing = false;
  #lastAttempts = maxLastAttempts;
  #writing: Promise<void> | undefined;
  /** Ends the pause between two attempts. */
  #wake: (() => void) | undefined;

  constructor(target: RotatingFile, { onFailure, onWritten, buffer = defaultBuffer }: LogFileOptions) {
    this.#target = target;
    this.#onFailure = onFailure;
    this.#onWritten = onWritten;
    this.#maxWaiting = buffer;
  }

  /** The number of lines that were lost so far. */
  get lost(): number {
    return this.#lost;
  }

  /** hot: writes a line, passed without its end. Returns false when the line is lost. */
  write(line: string): boolean {
    const size = Buffer.byteLength(line) + 1;
    if (this.#waiting + size > this.#maxWaiting || this.#closing) {
      this.#lost++;
      return false;
    }
    this.#waiting += size;
    this.#lines.push(`${line}\n`);
    this.#writing ??= Promise.resolve()
      .then(() => this.#drain())
      .finally(() => (this.#writing = undefined));
    return true;
  }

  /** Tries once more to write the waiting lines, and closes the file. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake?.();
    await this.#writing;
    await this.#target.close();
  }

  async #drain(): Promise<void> {
    while (this.#lines.length > 0) {
      const batch = Buffer.from(this.#lines.join(''));
      this.#lines = [];
      if (!(await this.#append(batch))) return;
      this.#waiting -= batch.length;
      if (this.#lost > this.#reported) this.#report(new ExpectedError('the buffer was full'));
    }
    this.#onWritten?.();
  }

  /** Writes a batch, in as many attempts as it takes. Returns false when the log is closed before one succeeds. */
  async #append(batch: Buffer): Promise<boolean> {
    let remaining = batch;
    for (;;) {
      let written = 0;
      try {
        await this.#target.append(remaining, bytes => (written += bytes));
        return true;
      } catch (error) {
        remaining = remaining.subarray(written);
        const isSlowReader = (error as NodeJS.ErrnoException).code === 'EAGAIN'; // The pipe of standard output is full.
        if (!isSlowReader) this.#report(error as Error);
        if (this.#closing && (!isSlowReader || this.#lastAttempts-- === 0)) return false;
        await this.#pause(isSlowReader ? slowReaderRetryMs : retryMs);
      }
    }
  }

  #report(error: Error): void {
    this.#onFailure(error, this.#lost - this.#reported);
    this.#reported = this.#lost;
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      if (!this.#closing) timer.unref(); // The process stays alive until the log is closed.
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Rejects with LogFileError when the file cannot be opened. */
export async function openLogFile(options: LogFileOptions): Promise<LogFile> {
  let target: RotatingFile;
  try {
    target = await RotatingFile.open(options);
  } catch (cause) {
    const message = `the audit log ${options.path} cannot be opened: ${(cause as Error).message}`;
    throw new LogFileError(message, { cause });
  }
  return new LogFile(target, options);
}
