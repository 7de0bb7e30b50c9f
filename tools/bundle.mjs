// Puts the programs' modules and packages together, in few files: to find, read and link a thousand files takes Node longer than all else
// that a start does. What is imported dynamically stays apart until it is asked for, in dist/chunks.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What Node is started with; the bundles take the places of the compiled modules. */
const entries = ['cli/flagship', 'cli/karmadactl', 'simulator/fleet-worker'];

/** Looks for files beside itself, and is loaded only with etcd. */
const apart = ['etcd3', '@grpc/grpc-js'];

/** Packages that are no ECMAScript modules ask for Node's own modules with `require`. */
const requireInModules = `import { createRequire as requirerOf } from 'node:module'; const require = requirerOf(import.meta.url);`;

const changed = file => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Bundles the programs when one of `sources`, all that they may be made of, is newer than the bundles, or the compiler took their places. */
export async function bundle(root, sources) {
  const dist = path.join(root, 'dist');
  const chunks = path.join(dist, 'chunks');
  const stamp = path.join(chunks, '.bundled');
  const targets = entries.map(entry => path.join(dist, `${entry}.js`));
  const made = changed(stamp);
  if (![...sources, ...targets, fileURLToPath(import.meta.url)].some(file => changed(file) > made)) return;
  const { build } = await import('esbuild'); // which may have been installed just now
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map(entry => `${entry}.ts`),
    outdir: 'dist',
    outbase: '.',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: apart,
    banner: { js: requireInModules },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  const current = new Set(Object.keys(metafile.outputs).map(file => path.join(root, file)));
  for (const file of fs.readdirSync(chunks))
    if (!current.has(path.join(chunks, file))) fs.rmSync(path.join(chunks, file));
  for (const target of targets) fs.chmodSync(target, 0o755);
  fs.writeFileSync(stamp, '');
}
