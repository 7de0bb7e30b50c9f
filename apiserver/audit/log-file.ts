/**
 * A log of lines. They are written in batches, outside of the path of requests. Lines that do not fit into the buffer while the disk is slow or
 * full are lost, counted and reported; requests continue.
 */
import { ExpectedError } from '../../lib/logging/cause.js';
import { openRotatingFile, type RotatingFile, type RotatingFileOptions } from './rotating-file.js';

export interface LogFileOptions extends RotatingFileOptions {
  /** Called when lines were lost, or cannot be written for now. `lost`: lines that were lost since the last call. */
  readonly onTrouble: (error: Error, lost: number) => void;
  /** Called when all waiting lines are written. */
  readonly onWritten?: () => void;
  /** The maximum bytes of waiting lines. */
  readonly buffer?: number;
}

interface LogFile {
  /** hot: writes a line, passed without its end. Returns false when the line is lost. */
  write(line: string): boolean;
  /** The number of lines that were lost so far. */
  readonly lost: number;
  /** Tries once more to write the waiting lines, and closes the file. */
  close(): Promise<void>;
}

const defaultBuffer = 16 * 1024 * 1024;
/** Milliseconds between two attempts after an error, and while the reader of standard output is slow. */
const retryMs = 1000;
const slowReaderRetryMs = 20;
/** The number of attempts for a slow reader of standard output after `close`. */
const maxLastAttempts = 100;

/** The file cannot be opened; the message has its path and the cause. */
export class LogFileError extends Error {}

/** Rejects with LogFileError when the file cannot be opened. */
export async function openLogFile(options: LogFileOptions): Promise<LogFile> {
  const { path: file, onTrouble, buffer = defaultBuffer } = options;
  let target: RotatingFile;
  try {
    target = await openRotatingFile(options);
  } catch (cause) {
    throw new LogFileError(`the audit log ${file} cannot be opened: ${(cause as Error).message}`, { cause });
  }
  let lines: string[] = [];
  let waiting = 0;
  let lost = 0;
  let reported = 0;
  let closing = false;
  let lastAttempts = maxLastAttempts;
  let writing: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  const pause = (time: number): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, time);
      if (!closing) timer.unref(); // The process stays alive until the log is closed.
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const report = (error: Error): void => {
    onTrouble(error, lost - reported);
    reported = lost;
  };

  const drain = async (): Promise<void> => {
    while (lines.length > 0) {
      const batch = Buffer.from(lines.join(''));
      lines = [];
      let remaining = batch;
      for (;;) {
        let written = 0;
        try {
          await target.append(remaining, bytes => (written += bytes));
          break;
        } catch (error) {
          remaining = remaining.subarray(written);
          const isSlowReader = (error as NodeJS.ErrnoException).code === 'EAGAIN'; // The pipe of standard output is full.
          if (!isSlowReader) report(error as Error);
          if (closing && (!isSlowReader || lastAttempts-- === 0)) return;
          await pause(isSlowReader ? slowReaderRetryMs : retryMs);
        }
      }
      waiting -= batch.length;
      if (lost > reported) report(new ExpectedError('the buffer was full'));
    }
    options.onWritten?.();
  };

  const start = (): void => {
    writing ??= Promise.resolve()
      .then(drain)
      .finally(() => (writing = undefined));
  };

  return {
    write(line) {
      const size = Buffer.byteLength(line) + 1;
      if (waiting + size > buffer || closing) {
        lost++;
        return false;
      }
      waiting += size;
      lines.push(`${line}\n`);
      start();
      return true;
    },
    get lost() {
      return lost;
    },
    async close() {
      closing = true;
      wake?.();
      await writing;
      await target.close();
    },
  };
}
