/**
 * Runs a program of the bundle that `tools/bundle.mjs` makes. Compiling it takes V8 longer than running it, so the build keeps the code that V8
 * compiled in one start. When that code is missing, or was made by another version or with other options, V8 compiles again.
 */
import { createRequire } from 'node:module';
import type fs from 'node:fs';
import type { Script } from 'node:vm';

interface Bundle {
  exports: { readonly programs?: Readonly<Record<string, () => Promise<unknown>>> };
}

type Evaluate = (exports: object, require: NodeJS.Require, module: Bundle, filename: string, dirname: string) => void;

/** Not imported: an import evaluates even the rarest properties of these modules, such as the stream of standard input. */
type Builtin = typeof process.getBuiltinModule;

/** The wrapper of a CommonJS module, as Node's. */
const head = '(function (exports, require, module, __filename, __dirname) { ';
const tail = '\n})';

/** Text before and after the contents of a file. */
type Frame = readonly [head: string, tail: string];
const wrapper: Frame = [head, tail];
const unframed: Frame = ['', ''];

/** The constructor of ES2024, which Node has had since version 20, and the compiler's library does not have yet. */
const ResizableBuffer: new (length: number, options: { readonly maxByteLength: number }) => ArrayBuffer = ArrayBuffer;

/** A file of the bundle, and the program that runs it. */
interface BundledFile {
  readonly program: string;
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly source: Uint8Array;
}

/**
 * Returns the name of the file, beside the bundle, with the compiled code of a file of the bundle in a program. It depends on the file's contents,
 * since V8 checks only the length of a source, and on the version of Node. A checksum is enough, since it only has to detect a file of another build:
 * a digest of megabytes takes a noticeable part of a start.
 */
export function codeFile(builtin: Builtin, { program, name, source }: BundledFile): string {
  const { crc32 } = builtin('node:zlib');
  const checksum = crc32(process.version + process.arch, crc32(source))
    .toString(16)
    .padStart(8, '0');
  return `${program.replaceAll('/', '-')}-${name}-${source.length}-${checksum}.code`;
}

/**
 * Returns a buffer that V8 maps for itself. Memory of the C allocator would have two costs, since it is freed soon: glibc keeps up to twice the
 * size of the largest block that was ever mapped and freed at the end of each arena, so that the process would stay megabytes larger.
 */
const mappedBuffer = (length: number): Buffer => {
  const memory: ArrayBuffer = new ResizableBuffer(length, { maxByteLength: length });
  return Buffer.from(memory, 0, length);
};

/** Reads a file into a mapped buffer, between a head and a tail. */
function readMapped(
  { closeSync, fstatSync, openSync, readSync }: typeof fs,
  file: string,
  [head, tail]: Frame,
): Buffer {
  const opened = openSync(file, 'r');
  try {
    const { size } = fstatSync(opened);
    const bytes = mappedBuffer(head.length + size + tail.length);
    bytes.write(head, 'latin1');
    for (let read = 0, count = 0; read < size; read += count) {
      count = readSync(opened, bytes, head.length + read, size - read, read);
      if (count === 0) throw new Error(`${file} ended while it was read`);
    }
    bytes.write(tail, head.length + size, 'latin1');
    return bytes;
  } finally {
    closeSync(opened);
  }
}

/** Reads the code cache; undefined after any error, when the program is compiled instead. */
function readIfThere(builtin: typeof fs, file: string): Buffer | undefined {
  try {
    return readMapped(builtin, file, unframed);
  } catch {
    return undefined;
  }
}

function compile(builtin: Builtin, file: string, program: string): Script {
  const fs = builtin('node:fs');
  const path = builtin('node:path');
  const wrapped = readMapped(fs, file, wrapper);
  const source = wrapped.subarray(head.length, wrapped.length - tail.length);
  const code = path.join(path.dirname(file), codeFile(builtin, { program, name: path.parse(file).name, source }));
  const cachedData = readIfThere(fs, code);
  const { Script } = builtin('node:vm');
  // Every byte becomes one character, so that V8 keeps the source as it is.
  return new Script(wrapped.toString('latin1'), { filename: file, ...(cachedData && { cachedData }) });
}

/** Returns the exports of a file of the bundle. Other files of the bundle, which it requires by a relative path, are compiled in the same way. */
function load(require: NodeJS.Require, file: string, program: string): unknown {
  const builtin = require as Builtin;
  const path = builtin('node:path');
  const folder = path.dirname(file);
  const requireBeside = (name: string): unknown =>
    name.startsWith('./') ? load(require, path.join(folder, name), program) : require(name);
  const module: Bundle = { exports: {} };
  const evaluate = compile(builtin, file, program).runInThisContext() as Evaluate;
  evaluate(module.exports, Object.assign(requireBeside, require), module, file, folder);
  return module.exports;
}

/** Runs a program. `program`: the name of its first module. `from`: the URL of the file in `dist/` that stands in for that module. */
export function runBundled(program: string, from: string): void {
  const require = createRequire(new URL('../bundle/programs.cjs', from));
  const file = require.resolve('./programs.cjs');
  // Node applies source maps only to modules that it loads itself.
  const { programs } = (process.sourceMapsEnabled ? require(file) : load(require, file, program)) as Bundle['exports'];
  void programs?.[program]?.();
}
