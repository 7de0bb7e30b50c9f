/**
 * Runs a program of the bundle that `tools/bundle.mjs` makes. To compile it takes the engine longer than to run it, so the build keeps what
 * the engine compiled in a start. Where that is missing, or was made by another engine or with other options, the engine compiles again.
 */
import { createRequire } from 'node:module';
import type fs from 'node:fs';
import type { Script } from 'node:vm';

interface Bundle {
  exports: { readonly programs?: Readonly<Record<string, () => Promise<unknown>>> };
}

type Evaluate = (exports: object, require: NodeJS.Require, module: Bundle, filename: string, dirname: string) => void;

/** Not imported: that costs as much as the rarest properties of these modules do, such as a stream for the standard input. */
type Builtin = typeof process.getBuiltinModule;

/** As Node wraps a CommonJS module. */
const head = '(function (exports, require, module, __filename, __dirname) { ';
const tail = '\n})';

/** Every byte of the bundle is a character, so that the engine keeps it as it is. */
function wrapped(bundle: Buffer): string {
  return Buffer.concat([Buffer.from(head), bundle, Buffer.from(tail)]).toString('latin1');
}

/**
 * The file, beside the bundle, of compiled code of a program of this very bundle, of whose text the engine itself looks at no more than its
 * length, for this version of Node.
 */
export function codeFile(builtin: Builtin, program: string, bundle: Buffer): string {
  const digest = builtin('node:crypto')
    .createHash('sha256')
    .update(bundle)
    .update(process.version + process.arch)
    .digest('hex');
  return `${program.replaceAll('/', '-')}-${digest.slice(0, 32)}.code`;
}

/** A cache: whatever stands in the way of reading it, the long way is there. */
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

/** `program`: the name of its first module. `from`: the address of the file in `dist/` that takes the place of that module. */
export function runBundled(program: string, from: string): void {
  const require = createRequire(new URL('../bundle/programs.cjs', from));
  const file = require.resolve('./programs.cjs');
  const module: Bundle = { exports: {} };
  // Node knows source maps of what it loads itself.
  if (process.sourceMapsEnabled) module.exports = require(file) as Bundle['exports'];
  else {
    const builtin = require as Builtin;
    const evaluate = compile(builtin, file, program).runInThisContext() as Evaluate;
    evaluate(module.exports, require, module, file, builtin('node:path').dirname(file));
  }
  void module.exports.programs?.[program]?.();
}
