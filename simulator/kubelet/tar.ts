/** Reads and writes archives of tar, in the formats that `kubectl cp` uses: ustar, and the long names of pax and GNU. */
import path from 'node:path';
import type { ContainerFiles } from './files.js';
import { type Command, failWith, pathIn, type Process, write } from './process.js';

const blockBytes = 512;
/** Bytes of one archived file. */
const maxFileBytes = 16 * 1024 * 1024;

const padding = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;

/** Returns text up to its first zero byte. */
const textOf = (bytes: Buffer): string => {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
};

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

function readHead(block: Buffer): Entry {
  const prefix = block.toString('latin1', 257, 262) === 'ustar' ? textOf(block.subarray(345, 500)) : '';
  const name = textOf(block.subarray(0, 100));
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    size: parseInt(textOf(block.subarray(124, 136)).trim() || '0', 8),
  };
}

/** Returns the path in a pax header. */
function paxPath(text: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];
}

/** Reads exact numbers of bytes from a stream. */
class Reader {
  readonly #parts: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#parts = stream[Symbol.asyncIterator]();
  }

  /** Resolves with fewer bytes at the end. */
  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    while (length < size) {
      if (this.#rest.length === 0) {
        const next = await this.#parts.next();
        if (next.done === true) break;
        this.#rest = next.value;
      }
      const part = this.#rest.subarray(0, size - length);
      this.#rest = this.#rest.subarray(part.length);
      parts.push(part);
      length += part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }
}

async function extract(process: Process, folder: string): Promise<number> {
  const { files, stdin } = process;
  const reader = new Reader(stdin as AsyncIterable<Buffer>);
  let longName: string | undefined;
  for (;;) {
    const block = await reader.read(blockBytes);
    if (block.length < blockBytes || block.every(byte => byte === 0)) break;
    const entry = readHead(block);
    if (!(entry.size <= maxFileBytes)) return failWith(process, 'File too large', 2);
    const content = await reader.read(entry.size + padding(entry.size));
    if (content.length < entry.size) return failWith(process, 'short read', 1);
    const data = content.subarray(0, entry.size);
    if (entry.type === 'x' || entry.type === 'g') longName = paxPath(data.toString()) ?? longName;
    else if (entry.type === 'L') longName = textOf(data);
    else {
      place(files, path.posix.join(folder, longName ?? entry.name), entry.type, data);
      longName = undefined;
    }
  }
  // The client writes the padding of the archive, too.
  stdin.resume();
  return 0;
}

function place(files: ContainerFiles, name: string, type: string, data: Buffer): void {
  const at = name.length > 1 && name.endsWith('/') ? name.slice(0, -1) : name;
  if (type === '5') files.makeFolder(at);
  else if (type === '0' || type === '\0') {
    files.makeFolder(path.posix.dirname(at));
    files.write(at, Buffer.from(data));
  }
}

function headOf(name: string, type: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number): void =>
    void block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(name, 0, 100, 'utf8');
  octal(type === '5' ? 0o755 : 0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.fill(' ', 148, 156);
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Returns the head of an entry; a long name is in an entry of its own. */
function entryHead(name: string, type: string, size: number): Buffer {
  const bytes = Buffer.from(`${name}\0`);
  if (bytes.length <= 100) return headOf(name, type, size);
  const long = [headOf('././@LongLink', 'L', bytes.length), bytes, Buffer.alloc(padding(bytes.length))];
  return Buffer.concat([...long, headOf(name, type, size)]);
}

async function archive(process: Process, names: readonly string[]): Promise<number> {
  const { files, stdout, signal } = process;
  let code = 0;
  for (const name of names) {
    const root = pathIn(process, name);
    if (!files.exists(root)) code = await failWith(process, `${name}: No such file or directory`, 1);
    for (const each of files.below(root)) {
      const content = files.read(each);
      const shown = path.posix.join(name, path.posix.relative(root, each)).replace(/^\/+/, '');
      const head = content ? entryHead(shown, '0', content.length) : entryHead(`${shown}/`, '5', 0);
      await write(stdout, head, signal);
      if (content) await write(stdout, Buffer.concat([content, Buffer.alloc(padding(content.length))]), signal);
    }
  }
  await write(stdout, Buffer.alloc(2 * blockBytes), signal);
  return code;
}

/** `tar xf - [-C FOLDER]` and `tar cf - [-C FOLDER] NAME...`; further options of one letter are ignored. */
export const tar: Command = async process => {
  const [, first = '', ...rest] = process.args;
  const letters = first.replace(/^-/, '');
  const names: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    if (word === '-C') process.folder = pathIn(process, rest[++i] ?? '.');
    else if (word !== '-' && !word.startsWith('--')) names.push(word);
  }
  if (!files(process).isFolder(process.folder))
    return failWith(process, `can't change directory to '${process.folder}'`);
  try {
    if (letters.includes('x')) return await extract(process, process.folder);
    if (letters.includes('c')) return await archive(process, names);
  } catch (error) {
    return failWith(process, error instanceof Error ? error.message : String(error));
  }
  return failWith(process, 'want c or x');
};

const files = (process: Process): ContainerFiles => process.files;
