/**
 * A file of lines that is turned over when it is full. Lines are written in batches, off the path of requests; what does not fit into
 * the buffer while the disk is slow or full is lost, counted and told: the server goes on.
 */
import { renameSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

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

const toOutput = (bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => process.stdout.write(bytes, error => (error ? reject(error) : resolve())));

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
    const found = await fs.stat(file).catch(() => undefined);
    if (found && found.ino === open.ino) open.size = found.size;
    else {
      await open.handle.close();
      open = undefined;
    }
  };

  /** Writes all of it, or as much as goes: the rest is returned. */
  const append = async (bytes: Buffer): Promise<void> => {
    if (file === '-') return toOutput(bytes);
    await lookUp();
    if (open && open.size > 0 && open.size + bytes.length > limit) await turnOver(open);
    const to = (open ??= await openForAppend(file));
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await to.handle.write(bytes, at);
      at += bytesWritten;
      to.size += bytesWritten;
      written = at;
    }
  };
  const pause = (): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, retryEvery).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const drain = async (): Promise<void> => {
    while (lines.length > 0) {
      const batch = Buffer.from(lines.join(''));
      lines = [];
      written = 0;
      let rest = batch;
      for (;;) {
        try {
          written = 0;
          await append(rest);
          break;
        } catch (error) {
          rest = rest.subarray(written);
          onTrouble(error as Error, lost - told);
          told = lost;
          if (closing) return;
          await pause();
        }
      }
      waiting -= batch.length;
      if (lost > told) onTrouble(new Error('the buffer was full'), lost - told);
      told = lost;
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
