/** A file that is rotated when it is full. Several processes may write to it. */
import { renameSync, statSync, write } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

export interface RotatingFileOptions {
  /** `-`: standard output, which is never rotated. */
  readonly path: string;
  /** Megabytes after which a new file is created. */
  readonly maxSize: number;
  /** The maximum age in days and the maximum number of old files. 0 means no limit. */
  readonly maxAge: number;
  readonly maxBackups: number;
  readonly now?: () => Date;
}

const megabyte = 1024 * 1024;
const day = 24 * 3600 * 1000;

/** Returns the name of an old file: `audit-2026-01-02T03-04-05.678.log`. */
function backupName(file: string, at: Date): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${at.toISOString().replaceAll(':', '-').replace('Z', '')}${ext}`);
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Creates an empty file with a new name, which another file is to replace: no other process uses the name. */
async function reserveName(file: string, at: Date): Promise<string> {
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
 * Renames a full file, unless another process has rotated it already: then the path has a new file. The check and the rename are in one turn of
 * the event loop; if another process rotates in between all the same, its new file is renamed early, which does no harm.
 */
async function renameFull(file: string, full: number, at: Date): Promise<void> {
  const name = await reserveName(file, at);
  try {
    if (inodeOf(file) === full) return renameSync(file, name);
    await fs.rm(name, { force: true });
  } catch (error) {
    await fs.rm(name, { force: true });
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Removes old files: the oldest ones beyond the maximum number, and those that are too old. */
async function prune({ path: file, maxAge, maxBackups }: RotatingFileOptions, now: Date): Promise<void> {
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
 * Writes to standard output without process.stdout, which blocks the process while the reader is slow, and ends it when the reader is gone.
 * Writes as much as is possible without waiting.
 */
const writeToOutput = (bytes: Buffer, at: number): Promise<{ bytesWritten: number }> =>
  new Promise((resolve, reject) =>
    write(standardOutput, bytes, at, bytes.length - at, null, (error, bytesWritten) =>
      error ? reject(error) : resolve({ bytesWritten }),
    ),
  );

/** The file to which bytes are appended, or standard output. */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  readonly #now: () => Date;
  readonly #limit: number;
  /** Undefined for standard output, and while there is no file at the path. */
  #open: OpenFile | undefined;

  private constructor(options: RotatingFileOptions, open: OpenFile | undefined) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
    this.#limit = options.maxSize * megabyte;
    this.#open = open;
  }

  /** Opens the file. Rejects with the error of the file system. */
  static async open(options: RotatingFileOptions): Promise<RotatingFile> {
    return new RotatingFile(options, options.path === '-' ? undefined : await openForAppend(options.path));
  }

  /** Writes all bytes, or rejects with the error of the file system; calls `onWritten` with the length of each written part. */
  async append(bytes: Buffer, onWritten: (bytes: number) => void): Promise<void> {
    const to = this.#options.path === '-' ? undefined : await this.#fileFor(bytes.length);
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await (to ? to.handle.write(bytes, written) : writeToOutput(bytes, written));
      written += bytesWritten;
      if (to) to.size += bytesWritten;
      onWritten(bytesWritten);
    }
  }

  async close(): Promise<void> {
    await this.#open?.handle.close();
  }

  /** Returns the file for the next bytes, after a rotation if they do not fit. */
  async #fileFor(bytes: number): Promise<OpenFile> {
    await this.#refresh();
    const open = this.#open;
    if (open && open.size > 0 && open.size + bytes > this.#limit) await this.#rotate(open);
    return (this.#open ??= await openForAppend(this.#options.path));
  }

  /** Checks the file, since other processes write to it and rotate it, too: updates its size, or closes it when the path has another file. */
  async #refresh(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    const found = await fs.stat(this.#options.path).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      return undefined;
    });
    if (found && found.ino === open.ino) open.size = found.size;
    else {
      await open.handle.close();
      this.#open = undefined;
    }
  }

  async #rotate({ handle, ino }: OpenFile): Promise<void> {
    // No other file gets its inode number while it is open.
    await renameFull(this.#options.path, ino, this.#now());
    this.#open = undefined;
    await handle.close();
    await prune(this.#options, this.#now());
  }
}
