import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ContainerFiles } from './files.js';

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** What a command of a simulated container works with. */
export interface Process {
  /** The name of the command, and its arguments. */
  readonly args: readonly string[];
  readonly environment: Map<string, string>;
  readonly files: ContainerFiles;
  folder: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Returns the size of the terminal; undefined without one. */
  readonly size: () => TerminalSize | undefined;
}

/** Resolves with the exit code. */
export type Command = (process: Process) => Promise<number>;

/** The reader of an output is gone. */
export class BrokenPipeError extends Error {
  constructor() {
    super('write error: Broken pipe');
  }
}

/** Bytes that are written at once, so that no write holds the event loop. */
const maxWriteBytes = 64 * 1024;

/** Writes to an output, at the pace of its reader. Rejects when it is gone. */
export async function write(to: Writable, data: string | Buffer, signal: AbortSignal): Promise<void> {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  for (let at = 0; at < bytes.length; at += maxWriteBytes)
    await writePart(to, bytes.subarray(at, at + maxWriteBytes), signal);
}

async function writePart(to: Writable, data: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (to.destroyed) throw new BrokenPipeError();
  if (to.write(data)) return;
  await new Promise<void>((resolve, reject) => {
    const end = (outcome: () => void) => () => {
      to.off('drain', drained).off('close', closed);
      signal.removeEventListener('abort', closed);
      outcome();
    };
    const drained = end(resolve);
    const closed = end(() => reject(new BrokenPipeError()));
    to.on('drain', drained).on('close', closed);
    signal.addEventListener('abort', closed);
  });
}

/** Returns an absolute path. */
export const pathIn = ({ folder }: Pick<Process, 'folder'>, name: string): string => {
  const full = path.posix.resolve(folder, name);
  return full.length > 1 && full.endsWith('/') ? full.slice(0, -1) : full;
};

/** Writes an error as commands do, and returns the exit code. */
export async function failWith(process: Process, text: string, code = 1): Promise<number> {
  await write(process.stderr, `${process.args[0]}: ${text}\n`, process.signal);
  return code;
}
