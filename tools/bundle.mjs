// Bundles the modules and packages of the programs into one file, since Node.js needs most of its start time to resolve, read and link a
// thousand files. Then stores V8's code cache of a start, which saves most of the remaining time.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The entry points of Node.js. These compiled modules are replaced by files that run the bundle. */
const entries = ['cli/flagship', 'cli/karmadactl', 'simulator/fleet-worker'];

/**
 * Entry points of threads that a running server starts. Each is bundled with its imports into one file that replaces the compiled module:
 * a thread starts in a quarter of the time that the bundle of the programs would take, and with a small part of its memory.
 */
const threadEntries = ['server/offload-worker', 'controllers/interpreter/lua/worker'];

/** Packages that many starts do not need. Each is a file beside the bundle, which is read when one of the package's exports is first used. */
const separatePackages = ['undici', '@opensearch-project/opensearch', '@grpc/grpc-js', 'pino-pretty'];

const fileOfPackage = name => `${name.replace('@', '').replaceAll('/', '-')}.cjs`;

/** The files that have a code cache, by the kind of thread. */
const cachedFiles = { main: ['programs.cjs', fileOfPackage('undici')], thread: ['programs.cjs'] };
const programOfThread = { main: 'cli/flagship', thread: 'simulator/fleet-worker' };

/** Wraps the code after the imports in an async function, since a CommonJS bundle does not support top-level await. */
const inAsyncFunction = source => {
  const imports = /^(?:(?:#!|\/\/|\/\*\*|import )[^\n]*\n)*/.exec(source)[0];
  return `${imports}void (async () => {${source.slice(imports.length)}\n})();`; // keeps the line numbers
};

const topLevelAwait = root => ({
  name: 'top-level await',
  setup: build =>
    build.onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
      entries.some(entry => path.join(root, `${entry}.ts`) === file)
        ? { contents: inAsyncFunction(fs.readFileSync(file, 'utf8')), loader: 'ts' }
        : undefined,
    ),
});

/** Returns a module with the exports of a separate package, which loads the package when one of them is first read. */
function deferred(root, name) {
  const names = Object.keys(createRequire(path.join(root, 'package.json'))(name)).filter(each => each !== 'default');
  const load = `let loaded; const load = () => (loaded ??= require('./${fileOfPackage(name)}'));`;
  return `${load} for (const name of ${JSON.stringify(names)}) Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] });`;
}

const separate = root => ({
  name: 'separate packages',
  setup(build) {
    build.onResolve({ filter: /^[@a-z]/ }, ({ path: name }) =>
      separatePackages.includes(name) ? { path: name, namespace: 'separate' } : undefined,
    );
    build.onResolve({ filter: /^\.\//, namespace: 'separate' }, ({ path: file }) => ({ path: file, external: true }));
    build.onLoad({ filter: /^/, namespace: 'separate' }, ({ path: name }) => ({
      contents: deferred(root, name),
      loader: 'js',
    }));
  },
});

/** Gives all modules of the bundle one namespace object for each module of Node.js. esbuild makes one for each import, with a getter for each export. */
const sharedBuiltins = {
  name: 'shared builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path: name, kind, namespace }) =>
      namespace !== 'builtin' && kind === 'import-statement' ? { path: name, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path: name }) => ({
      contents: `export * from '${name}'; export default require('${name}');`,
      loader: 'js',
    }));
  },
};

/** Timeout in milliseconds for steps that take one second on an idle machine. */
const timeoutMs = 120_000;

const toolFile = name => fileURLToPath(new URL(name, import.meta.url));
/** The bundler itself: a change of it makes a new bundle. */
const bundlerFiles = [toolFile('bundle.mjs'), toolFile('prepare.mjs'), toolFile('keep-code.cjs')];

/** Environment without NODE_OPTIONS, since V8's options affect the code cache. */
const plainEnvironment = { ...process.env, NODE_OPTIONS: '' };

const changed = file => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const entryFile = entry => `#!/usr/bin/env node
import { runBundled } from '${path.posix.relative(path.posix.dirname(entry), 'cli/run-bundled.js').replace(/^(?!\.)/, './')}';
runBundled('${entry}', import.meta.url);
`;

/** Escapes non-ASCII characters in regular expressions, where esbuild does not. */
const inAscii = text => text.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Packages that others require for what is not used here: services of @grpc/grpc-js, and schemas of routes of fastify. */
const unusedPackages = ['@grpc/proto-loader', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'];

/** Options of the bundle of the programs, and of the packages beside it. */
const commonJs = root => ({
  absWorkingDir: root,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  external: unusedPackages,
  target: 'node20',
  charset: 'ascii',
  supported: { 'dynamic-import': false }, // `require` instead, since a compiled script cannot resolve dynamic imports
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
});

async function write(options) {
  const { build } = await import('esbuild'); // imported here, since it may have just been installed
  const { outputFiles } = await build({ ...options, write: false });
  fs.mkdirSync(path.dirname(options.outfile), { recursive: true });
  for (const { path: place, text } of outputFiles)
    fs.writeFileSync(place, place === options.outfile ? inAscii(text) : text);
}

async function writeBundle(root, file) {
  const common = commonJs(root);
  await write({
    ...common,
    stdin: {
      contents: `export const programs = { ${entries.map(entry => `'${entry}': () => import('./${entry}.ts')`).join(', ')} };`,
      resolveDir: root,
    },
    outfile: file,
    plugins: [topLevelAwait(root), separate(root), sharedBuiltins],
    define: { 'import.meta.resolve': 'resolveUrl' },
    banner: { js: "const resolveUrl = name => require('node:url').pathToFileURL(require.resolve(name)).href;" },
  });
  for (const name of separatePackages)
    await write({ ...common, entryPoints: [name], outfile: path.join(path.dirname(file), fileOfPackage(name)) });
}

async function writeThreads(root, dist) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: threadEntries.map(entry => `${entry}.ts`),
    outbase: root,
    outdir: dist,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
}

/** Stores the first objects that every new server writes, for the prepared store (docs/decisions/0007-prepared-store.md). */
function storeFirstObjects(root, folder) {
  for (const file of fs.readdirSync(folder)) if (file.endsWith('.objects')) fs.rmSync(path.join(folder, file));
  const { status } = spawnSync(process.execPath, [toolFile('prepare.mjs')], {
    stdio: 'inherit',
    env: plainEnvironment,
    timeout: timeoutMs,
  });
  if (status !== 0)
    process.stderr.write('New stores will be filled more slowly, since that could not be prepared now.\n');
}

/** Starts the control plane with a member, stops it, and stores the code caches of the bundle for the next starts. */
async function storeCodeCache(root, folder) {
  const { codeFile } = await import('../dist/cli/run-bundled.js');
  const builtin = createRequire(import.meta.url);
  const caches = Object.entries(cachedFiles).flatMap(([thread, files]) =>
    files.map(name => {
      const source = fs.readFileSync(path.join(folder, name));
      const code = codeFile(builtin, { program: programOfThread[thread], name: path.parse(name).name, source });
      return { name: `${thread}-${name}`, file: path.join(folder, code) };
    }),
  );
  for (const name of fs.readdirSync(folder)) {
    const old = path.join(folder, name);
    if (name.endsWith('.code') && !caches.some(({ file }) => file === old)) fs.rmSync(old);
  }
  if (caches.every(({ file }) => fs.existsSync(file))) return;
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'flagship-build-'));
  try {
    const up = [
      'up',
      '--members',
      '1',
      '--data-dir',
      path.join(work, 'data'),
      '--bind',
      '127.0.0.1:0',
      '--log-level',
      'error',
    ];
    const hook = toolFile('keep-code.cjs');
    const child = spawn(process.execPath, ['--require', hook, path.join(root, 'dist', 'cli', 'flagship.js'), ...up], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...plainEnvironment, FLAGSHIP_CODE: work },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    child.stdout.once('data', () => child.kill('SIGINT')); // the first output means ready
    await once(child, 'exit');
    for (const { name, file } of caches) {
      if (!fs.existsSync(path.join(work, name))) continue; // The start has not used the package.
      fs.copyFileSync(path.join(work, name), `${file}.tmp`);
      fs.renameSync(`${file}.tmp`, file);
    }
  } catch (error) {
    process.stderr.write(`The programs will start more slowly, since one could not be started now: ${error.message}\n`);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** The engine for which a code cache is valid. */
const engine = `${process.version} ${process.arch}\n`;

/**
 * Bundles the programs if one of `sources`, their possible inputs, is newer than the bundle, or if the compiler has overwritten the entry
 * files. For another version of Node.js, only the code cache is renewed.
 */
export async function bundle(root, sources) {
  const dist = path.join(root, 'dist');
  const folder = path.join(dist, 'bundle');
  const stamp = path.join(folder, '.bundled');
  const programs = entries.map(entry => path.join(dist, `${entry}.js`));
  const targets = [...programs, ...threadEntries.map(entry => path.join(dist, `${entry}.js`))];
  const made = changed(stamp);
  const file = path.join(folder, 'programs.cjs');
  if ([...sources, ...targets, ...bundlerFiles].some(source => changed(source) > made)) {
    fs.rmSync(path.join(dist, 'chunks'), { recursive: true, force: true }); // left over from earlier builds
    await writeBundle(root, file);
    for (const entry of entries) fs.writeFileSync(path.join(dist, `${entry}.js`), entryFile(entry));
    for (const program of programs) fs.chmodSync(program, 0o755);
    await writeThreads(root, dist);
    storeFirstObjects(root, folder);
  } else if (fs.readFileSync(stamp, 'utf8') === engine) return;
  await storeCodeCache(root, folder);
  fs.writeFileSync(stamp, engine);
}
