/**
 * Runs a program of the bundle that `tools/bundle.mjs` makes. To compile it takes the engine longer than to run it, so the build keeps what
 * the engine compiled in a start. Where that is missing, or was made by another engine or with other options, the engine compiles again.
 *
 * Node's modules are asked for by name: to import them costs as much as their rarest properties do, such as a stream for the standard input.
 */
import type { Script } from 'node:vm';

const builtin = globalThis.process.getBuiltinModule;

interface Bundle {
  exports: { readonly programs?: Readonly<Record<string, () => Promise<unknown>>> };
}

type Evaluate = (exports: object, require: NodeJS.Require, module: Bundle, filename: string, dirname: string) => void;

/** As Node wraps a CommonJS module. */
const head = '(function (exports, require, module, __filename, __dirname) { ';
const tail = '\n})';

/** Every byte of the bundle is a character, so that the engine keeps it as it is. */
function wrapped(bundle: Buffer): string {
  return Buffer.concat([Buffer.from(head), bundle, Buffer.from(tail)]).toString('latin1');
}

/** Where compiled code of a program of this very bundle is kept: the engine itself looks at no more than the length of its source. */
export function codeFile(folder: string, program: string, bundle: Buffer): string {
  const digest = builtin('node:crypto').createHash('sha256').update(bundle).digest('hex');
  return builtin('node:path').join(folder, `${program.replaceAll('/', '-')}-${digest.slice(0, 32)}.code`);
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return builtin('node:fs').readFileSync(file);
  } catch {
    return undefined;
  }
}

function compile(file: string, program: string): Script {
  const bundle = builtin('node:fs').readFileSync(file);
  const cachedData = readIfThere(codeFile(builtin('node:path').dirname(file), program, bundle));
  const { Script } = builtin('node:vm');
  return new Script(wrapped(bundle), { filename: file, ...(cachedData && { cachedData }) });
}

/** `program`: the name of its first module. `from`: the address of the file in `dist/` that takes the place of that module. */
export function runBundled(program: string, from: string): void {
  const file = builtin('node:url').fileURLToPath(new URL('../bundle/programs.cjs', from));
  const require = builtin('node:module').createRequire(file);
  const module: Bundle = { exports: {} };
  // Node knows source maps of what it loads itself.
  if (process.sourceMapsEnabled) module.exports = require(file) as Bundle['exports'];
  else {
    const evaluate = compile(file, program).runInThisContext() as Evaluate;
    evaluate(module.exports, require, module, file, builtin('node:path').dirname(file));
  }
  void module.exports.programs?.[program]?.();
}
