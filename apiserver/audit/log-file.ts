/**
 * A file of lines that is turned over when it is full. Lines are written in batches, off the path of requests; what does not fit into
 * the buffer while the disk is slow or full is lost, counted and told: the server goes on.
 */
import { renameSync, statSync, write } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

export interface LogFileOptions {
  /** `-`: standard output, which is never turned over. */
  readonly path: string;
  /** Megabytes after which a new file is begun. */
  readonly maxSize: number;
  /** Days and number of old files that are kept. 0: all. */
  readonly maxAge: number;
  readonly maxBackups: number;
  /** Lines were lost, or could not be written for now. */
  readonly onTrouble: (error: Error, lost: number) => void;
  readonly now?: () => Date;
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

const megabyte = 1024 * 1024;
const usualBuffer = 16 * megabyte;
const retryEvery = 1000;
const soon = 20;
/** After so many of those a reader that does not read is not waited for any more, when all else has ended. */
const tries = 100;
const day = 24 * 3600 * 1000;

/** `audit-2026-01-02T03-04-05.678.log` */
function backupName(file: string, at: Date): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${at.toISOString().replaceAll(':', '-').replace('Z', '')}${ext}`);
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** A name that is now taken for one process alone: to be renamed over. */
async function takeName(file: string, at: Date): Promise<string> {
  for (let ms = at.getTime(); ; ms++) {
    const name = backupName(file, new Date(ms));
    try {
      await (await fs.open(name, 'wx', 0o600)).close();
      return name;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;

/**
 * Gives a full file another name, unless another process was faster: what stands there then is its new one. In one turn, so that little can
 * come between the look and the deed; should it all the same, a new file is set aside early.
 */
async function setAside(file: string, full: number, at: Date): Promise<void> {
  const name = await takeName(file, at);
  try {
    if (inodeOf(file) === full) return renameSync(file, name);
    await fs.rm(name, { force: true });
  } catch (error) {
    await fs.rm(name, { force: true });
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Removes old files: the oldest beyond the number, and those that are too old. */
async function prune({ path: file, maxAge, maxBackups }: LogFileOptions, now: Date): Promise<void> {
  if (maxAge === 0 && maxBackups === 0) return;
  const { dir, name, ext } = path.parse(file);
  const stamp = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}$/;
  const old = (await fs.readdir(dir || '.'))
    .filter(entry => entry.startsWith(`${name}-`) && entry.endsWith(ext))
    .map(entry => ({ entry, at: entry.slice(name.length + 1, entry.length - ext.length) }))
    .filter(({ at }) => stamp.test(at))
    .sort((a, b) => (a.at < b.at ? 1 : -1));
  const timeOf = (at: string): number => Date.parse(`${at.replace(/T(\d+)-(\d+)-/, 'T$1:$2:')}Z`);
  const tooOld = ({ at }: { at: string }): boolean => maxAge > 0 && now.getTime() - timeOf(at) > maxAge * day;
  const gone = old.filter((each, i) => (maxBackups > 0 && i >= maxBackups) || tooOld(each));
  await Promise.all(gone.map(({ entry }) => fs.rm(path.join(dir, entry), { force: true })));
}

/** The file cannot be opened; the message says which, and why. */
export class LogFileError extends Error {}

interface OpenFile {
  readonly handle: fs.FileHandle;
  readonly ino: number;
  size: number;
}

async function openForAppend(file: string): Promise<OpenFile> {
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await fs.open(file, 'a', 0o600);
  const { ino, size } = await handle.stat();
  return { handle, ino, size };
}

const standardOutput = 1;

/**
 * Not over process.stdout, which holds up the process while nobody reads, and ends it when the reader is gone. Written is as much as goes
 * without waiting.
 */
const toOutput = (bytes: Buffer, at: number): Promise<{ bytesWritten: number }> =>
  new Promise((resolve, reject) =>
    write(standardOutput, bytes, at, bytes.length - at, null, (error, bytesWritten) =>
      error ? reject(error) : resolve({ bytesWritten }),
    ),
  );

/** Rejects with LogFileError. */
export async function openLogFile(options: LogFileOptions): Promise<LogFile> {
  const { path: file, maxSize, onTrouble, now = () => new Date(), buffer = usualBuffer } = options;
  const limit = maxSize * megabyte;
  let open: OpenFile | undefined;
  try {
    if (file !== '-') open = await openForAppend(file);
  } catch (cause) {
    throw new LogFileError(`the audit log ${file} cannot be opened: ${(cause as Error).message}`, { cause });
  }
  let lines: string[] = [];
  let waiting = 0;
  let lost = 0;
  let told = 0;
  /** Of the batch at hand. */
  let written = 0;
  let closing = false;
  let lastTries = tries;
  let writing: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  const turnOver = async ({ handle, ino }: OpenFile): Promise<void> => {
    // While it is open no other file has its number.
    await setAside(file, ino, now());
    open = undefined;
    await handle.close();
    await prune(options, now());
  };

  /** Other processes write to the file, and turn it over, too: is it still the one that is open, and how long is it? */
  const lookUp = async (): Promise<void> => {
    if (!open) return;
    const found = await fs.stat(file).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      return undefined;
    });
    if (found && found.ino === open.ino) open.size = found.size;
    else {
      await open.handle.close();
      open = undefined;
    }
  };

  /** The file that so many bytes go to. */
  const fileFor = async (bytes: number): Promise<OpenFile> => {
    await lookUp();
    if (open && open.size > 0 && open.size + bytes > limit) await turnOver(open);
    return (open ??= await openForAppend(file));
  };

  /** Writes all of it, or rejects when `written` is as much as goes. */
  const append = async (bytes: Buffer): Promise<void> => {
    const to = file === '-' ? undefined : await fileFor(bytes.length);
    while (written < bytes.length) {
      const { bytesWritten } = await (to ? to.handle.write(bytes, written) : toOutput(bytes, written));
      written += bytesWritten;
      if (to) to.size += bytesWritten;
    }
  };
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
        try {
          written = 0;
          await append(rest);
          break;
        } catch (error) {
          rest = rest.subarray(written);
          const reading = codeOf(error) === 'EAGAIN'; // whoever reads the output, only not as fast
          if (!reading) tell(error as Error);
          if (closing && (!reading || lastTries-- === 0)) return;
          await pause(reading ? soon : retryEvery);
        }
      }
      waiting -= batch.length;
      if (lost > told) tell(new Error('the buffer was full'));
    }
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
      await open?.handle.close();
    },
  };
}
