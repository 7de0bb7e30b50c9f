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

/** Returns the source of the module. Every byte of the bundle becomes one character, so that V8 keeps it as it is. */
function wrapped(bundle: Buffer): string {
  return Buffer.concat([Buffer.from(head), bundle, Buffer.from(tail)]).toString('latin1');
}

/**
 * Returns the name of the file, beside the bundle, with the compiled code of a program. It depends on the bundle's contents, since V8 checks
 * only the length of a source, and on the version of Node.
 */
export function codeFile(builtin: Builtin, program: string, bundle: Buffer): string {
  const digest = builtin('node:crypto')
    .createHash('sha256')
    .update(bundle)
    .update(process.version + process.arch)
    .digest('hex');
  return `${program.replaceAll('/', '-')}-${digest.slice(0, 32)}.code`;
}

/** Reads the code cache; undefined after any error, when the program is compiled instead. */
function readIfThere({ readFileSync }: typeof fs, file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function compile(builtin: Builtin, file: string, program: string): Script {
  const fs = builtin('node:fs');
  const bundle = fs.readFileSync(file);
  const code = builtin('node:path').join(builtin('node:path').dirname(file), codeFile(builtin, program, bundle));
  const cachedData = readIfThere(fs, code);
  const { Script } = builtin('node:vm');
  return new Script(wrapped(bundle), { filename: file, ...(cachedData && { cachedData }) });
}

/** Runs a program. `program`: the name of its first module. `from`: the URL of the file in `dist/` that stands in for that module. */
export function runBundled(program: string, from: string): void {
  const require = createRequire(new URL('../bundle/programs.cjs', from));
  const file = require.resolve('./programs.cjs');
  const module: Bundle = { exports: {} };
  // Node applies source maps only to modules that it loads itself.
  if (process.sourceMapsEnabled) module.exports = require(file) as Bundle['exports'];
  else {
    const builtin = require as Builtin;
    const evaluate = compile(builtin, file, program).runInThisContext() as Evaluate;
    evaluate(module.exports, require, module, file, builtin('node:path').dirname(file));
  }
  void module.exports.programs?.[program]?.();
}
