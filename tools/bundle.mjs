// Puts the programs' modules and packages together, in one file: to find, read and link a thousand files takes Node longer than all else
// that a start does. Then keeps what the engine compiles in a start, which takes it most of what remains.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What Node is started with. Files that run the bundle take the places of these compiled modules. */
const entries = ['cli/flagship', 'cli/karmadactl', 'simulator/fleet-worker'];

/**
 * Modules that threads are started with while a server runs. Each becomes one file with all that it imports, in the place of its compiled
 * module: a thread starts in a quarter of the time that the bundle of the programs would take it, and with a small part of its memory.
 */
const threadEntries = ['server/offload-worker'];

/** What we use of it. The rest, what a browser has, is five times as much, and would be run at every start. */
const undici = `
  Object.assign(require('./lib/dispatcher/dispatcher').prototype, require('./lib/api'));
  module.exports = {
    Agent: require('./lib/dispatcher/agent'),
    ProxyAgent: require('./lib/dispatcher/proxy-agent'),
    buildConnector: require('./lib/core/connect'),
  };`;

const partOfUndici = {
  name: 'undici',
  setup: build =>
    build.onLoad({ filter: /node_modules[/\\]undici[/\\]index\.js$/ }, () => ({ contents: undici, loader: 'js' })),
};

/** Programs await at their top level, which a bundle that is no ECMAScript module cannot: what follows their imports becomes a function. */
const asFunction = source => {
  const imports = /^(?:(?:#!|\/\/|\/\*\*|import )[^\n]*\n)*/.exec(source)[0];
  return `${imports}void (async () => {${source.slice(imports.length)}\n})();`; // in the lines where it was
};

const awaiting = root => ({
  name: 'await',
  setup: build =>
    build.onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
      entries.some(entry => path.join(root, `${entry}.ts`) === file)
        ? { contents: asFunction(fs.readFileSync(file, 'utf8')), loader: 'ts' }
        : undefined,
    ),
});

/** Milliseconds for what takes one second, on a machine that does much else. */
const patience = 120_000;

const helper = name => fileURLToPath(new URL(name, import.meta.url));
/** What makes the bundle, and what stands beside it. */
const ourselves = [helper('bundle.mjs'), helper('prepare.mjs'), helper('keep-code.cjs')];

/** Options of the engine decide about what it compiles. */
const plain = { ...process.env, NODE_OPTIONS: '' };

const changed = file => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const inPlaceOf = entry => `#!/usr/bin/env node
import { runBundled } from '${path.posix.relative(path.posix.dirname(entry), 'cli/run-bundled.js').replace(/^(?!\.)/, './')}';
runBundled('${entry}', import.meta.url);
`;

/** In regular expressions, which esbuild leaves as they are; elsewhere it has done so. */
const inAscii = text => text.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

async function writeBundle(root, file) {
  const { build } = await import('esbuild'); // which may have been installed just now
  const { outputFiles } = await build({
    write: false,
    absWorkingDir: root,
    stdin: {
      contents: `export const programs = { ${entries.map(entry => `'${entry}': () => import('./${entry}.ts')`).join(', ')} };`,
      resolveDir: root,
    },
    outfile: file,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    charset: 'ascii',
    supported: { 'dynamic-import': false }, // `require` instead: the engine would not know where to look
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    plugins: [partOfUndici, awaiting(root)],
    define: { 'import.meta.resolve': 'resolveUrl' },
    banner: { js: "const resolveUrl = name => require('node:url').pathToFileURL(require.resolve(name)).href;" },
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  for (const { path: place, text } of outputFiles) fs.writeFileSync(place, place === file ? inAscii(text) : text);
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

/** Has new servers write what all of them write first, for those who start next. */
function keepFirstObjects(root, folder) {
  for (const file of fs.readdirSync(folder)) if (file.endsWith('.objects')) fs.rmSync(path.join(folder, file));
  const { status } = spawnSync(process.execPath, [helper('prepare.mjs')], {
    stdio: 'inherit',
    env: plain,
    timeout: patience,
  });
  if (status !== 0)
    process.stderr.write('New stores will be filled more slowly, since that could not be prepared now.\n');
}

/** Starts the control plane with a member, ends it, and keeps what was compiled of the bundle for those who start next. */
async function keepCode(root, bundle) {
  const { codeFile } = await import('../dist/cli/run-bundled.js');
  const folder = path.dirname(bundle);
  const source = fs.readFileSync(bundle);
  const codeOf = program => path.join(folder, codeFile(createRequire(import.meta.url), program, source));
  const kept = { main: codeOf('cli/flagship'), thread: codeOf('simulator/fleet-worker') };
  for (const file of fs.readdirSync(folder)) {
    const old = path.join(folder, file);
    if (file.endsWith('.code') && !Object.values(kept).includes(old)) fs.rmSync(old);
  }
  if (Object.values(kept).every(file => fs.existsSync(file))) return;
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
    const hook = helper('keep-code.cjs');
    const child = spawn(process.execPath, ['--require', hook, path.join(root, 'dist', 'cli', 'flagship.js'), ...up], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...plain, FLAGSHIP_CODE: work },
      timeout: patience,
      killSignal: 'SIGKILL',
    });
    child.stdout.once('data', () => child.kill('SIGINT')); // it is ready
    await once(child, 'exit');
    for (const [name, file] of Object.entries(kept)) {
      fs.copyFileSync(path.join(work, name), `${file}.tmp`);
      fs.renameSync(`${file}.tmp`, file);
    }
  } catch (error) {
    process.stderr.write(`The programs will start more slowly, since one could not be started now: ${error.message}\n`);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** What compiled code is for. */
const engine = `${process.version} ${process.arch}\n`;

/**
 * Bundles the programs when one of `sources`, all that they may be made of, is newer than the bundle, or the compiler took their places. For
 * another version of Node only the compiled code is made anew.
 */
export async function bundle(root, sources) {
  const dist = path.join(root, 'dist');
  const folder = path.join(dist, 'bundle');
  const stamp = path.join(folder, '.bundled');
  const programs = entries.map(entry => path.join(dist, `${entry}.js`));
  const targets = [...programs, ...threadEntries.map(entry => path.join(dist, `${entry}.js`))];
  const made = changed(stamp);
  const file = path.join(folder, 'programs.cjs');
  if ([...sources, ...targets, ...ourselves].some(source => changed(source) > made)) {
    fs.rmSync(path.join(dist, 'chunks'), { recursive: true, force: true }); // of former builds
    await writeBundle(root, file);
    for (const entry of entries) fs.writeFileSync(path.join(dist, `${entry}.js`), inPlaceOf(entry));
    for (const program of programs) fs.chmodSync(program, 0o755);
    await writeThreads(root, dist);
    keepFirstObjects(root, folder);
  } else if (fs.readFileSync(stamp, 'utf8') === engine) return;
  await keepCode(root, file);
  fs.writeFileSync(stamp, engine);
}
