/** A file that is turned over when it is full. Several processes may write to it. */
import { renameSync, statSync, write } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

export interface TurnedFileOptions {
  /** `-`: standard output, which is never turned over. */
  readonly path: string;
  /** Megabytes after which a new file is begun. */
  readonly maxSize: number;
  /** Days and number of old files that are kept. 0: all. */
  readonly maxAge: number;
  readonly maxBackups: number;
  readonly now?: () => Date;
}

export interface TurnedFile {
  /** Writes all of it, or rejects; `onWritten` hears of every part that is written. */
  append(bytes: Buffer, onWritten: (bytes: number) => void): Promise<void>;
  close(): Promise<void>;
}

const megabyte = 1024 * 1024;
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
async function prune({ path: file, maxAge, maxBackups }: TurnedFileOptions, now: Date): Promise<void> {
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

/** Rejects with the error of the file system when it cannot be opened. */
export async function openTurnedFile(options: TurnedFileOptions): Promise<TurnedFile> {
  const { path: file, maxSize, now = () => new Date() } = options;
  const limit = maxSize * megabyte;
  let open = file === '-' ? undefined : await openForAppend(file);

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

  return {
    async append(bytes, onWritten) {
      const to = file === '-' ? undefined : await fileFor(bytes.length);
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await (to ? to.handle.write(bytes, written) : toOutput(bytes, written));
        written += bytesWritten;
        if (to) to.size += bytesWritten;
        onWritten(bytesWritten);
      }
    },
    close: async () => open?.handle.close(),
  };
}
