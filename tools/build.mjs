// Updates dist/: installs packages if the lock file requires it, compiles if a source is newer, copies the data files that are read at run
// time, and bundles the programs. Returns quickly if nothing changed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { writeDescriptions } from './descriptions.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const skipped = new Set(['node_modules', 'dist', 'bundle', '.git', '.tap', '.flagship']);
const stamp = path.join(root, 'dist', '.built');

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function* sources(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (skipped.has(entry.name)) continue;
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(file);
    else yield file;
  }
}

function modified(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Returns the packages that npm has recorded as installed; empty before the first installation. */
function installed() {
  const file = path.join(root, 'node_modules', '.package-lock.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).packages : {};
}

/** Installs missing packages. Optional ones may be missing, since they are for other platforms. */
function install() {
  if (fs.lstatSync(path.join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return; // shared with another checkout
  const has = installed();
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const missing = Object.entries(packages).some(
    ([place, wanted]) => place !== '' && !wanted.optional && has[place]?.integrity !== wanted.integrity,
  );
  if (missing) run('npm', ['ci', '--ignore-scripts', '--loglevel=error']);
}

/** Reports whether a file is read at run time and not compiled: JSON tables and recorded test data. */
const isData = file =>
  /\.(json|json\.gz|yaml|lua|sh|mjs)$/.test(file) &&
  path.dirname(file) !== root &&
  !['docs', 'examples', 'tools'].some(folder => file.startsWith(path.join(root, folder) + path.sep));

function build(files) {
  const built = modified(stamp);
  const watched = [
    ...files.filter(f => f.endsWith('.ts') || isData(f)),
    path.join(root, 'tsconfig.json'),
    path.join(root, 'package.json'),
  ];
  const folders = new Set(watched.map(f => path.dirname(f)));
  if (![...watched, ...folders].some(f => modified(f) > built)) return;
  run(process.execPath, [path.join(root, 'node_modules', 'ts7', 'bin', 'tsc'), '-p', root]);
  for (const file of files.filter(isData)) {
    const target = path.join(root, 'dist', path.relative(root, file));
    if (modified(target) >= modified(file)) continue;
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.copyFileSync(file, target);
  }
  const wanted = new Set(files.filter(f => f.endsWith('.ts')).map(f => path.relative(root, f).replace(/\.ts$/, '')));
  for (const file of sources(path.join(root, 'dist'))) {
    const name = path.relative(path.join(root, 'dist'), file);
    if (/\.js(\.map)?$/.test(name) && !wanted.has(name.replace(/\.js(\.map)?$/, ''))) fs.rmSync(file);
  }
  fs.writeFileSync(stamp, '');
}

const facts = folder => path.join(folder, 'openapi', 'facts', 'data');

/** Reports whether a file may be an input of the programs, which includes the lock file of their packages. */
function isOfPrograms(file) {
  const [folder] = path.relative(root, file).split(path.sep);
  return file.endsWith('.ts') ? !['test', 'bench', 'tools'].includes(folder) : folder === 'package-lock.json';
}

install();
const files = [...sources(root)];
build(files);
await bundle(root, files.filter(isOfPrograms));
writeDescriptions(
  root,
  path.join(facts(root), 'types.json'),
  path.join(facts(path.join(root, 'dist')), 'descriptions.json'),
  path.join(facts(path.join(root, 'dist')), 'parameter-descriptions.json'),
);
