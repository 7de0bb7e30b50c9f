/**
 * A log of lines. They are written in batches, off the path of requests; what does not fit into the buffer while the disk is slow or full
 * is lost, counted and told: the server goes on.
 */
import { ExpectedError } from '../../lib/logging/cause.js';
import { openTurnedFile, type TurnedFile, type TurnedFileOptions } from './turned-file.js';

export interface LogFileOptions extends TurnedFileOptions {
  /** Lines were lost, or could not be written for now. */
  readonly onTrouble: (error: Error, lost: number) => void;
  /** All that waited is written. */
  readonly onWritten?: () => void;
  /** Bytes that may wait. */
  readonly buffer?: number;
}

export interface LogFile {
  /** hot: `line` without its end. False: it is lost. */
  write(line: string): boolean;
  /** Lines that were lost so far. */
  readonly lost: number;
  /** Writes what waits, once more, and closes. */
  close(): Promise<void>;
}

const defaultBuffer = 16 * 1024 * 1024;
const retryEvery = 1000;
const soon = 20;
/** After so many of those a reader that does not read is not waited for any more, when all else has ended. */
const tries = 100;

/** The file cannot be opened; the message says which, and why. */
export class LogFileError extends Error {}

/** Rejects with LogFileError. */
export async function openLogFile(options: LogFileOptions): Promise<LogFile> {
  const { path: file, onTrouble, buffer = defaultBuffer } = options;
  let to: TurnedFile;
  try {
    to = await openTurnedFile(options);
  } catch (cause) {
    throw new LogFileError(`the audit log ${file} cannot be opened: ${(cause as Error).message}`, { cause });
  }
  let lines: string[] = [];
  let waiting = 0;
  let lost = 0;
  let told = 0;
  let closing = false;
  let lastTries = tries;
  let writing: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  const pause = (time: number): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, time);
      if (!closing) timer.unref(); // who closes is waited for
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const tell = (error: Error): void => {
    onTrouble(error, lost - told);
    told = lost;
  };

  const drain = async (): Promise<void> => {
    while (lines.length > 0) {
      const batch = Buffer.from(lines.join(''));
      lines = [];
      let rest = batch;
      for (;;) {
        let written = 0;
        try {
          await to.append(rest, bytes => (written += bytes));
          break;
        } catch (error) {
          rest = rest.subarray(written);
          const reading = (error as NodeJS.ErrnoException).code === 'EAGAIN'; // whoever reads the output, only not as fast
          if (!reading) tell(error as Error);
          if (closing && (!reading || lastTries-- === 0)) return;
          await pause(reading ? soon : retryEvery);
        }
      }
      waiting -= batch.length;
      if (lost > told) tell(new ExpectedError('the buffer was full'));
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
      await to.close();
    },
  };
}
