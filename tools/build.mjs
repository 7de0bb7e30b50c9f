// Brings dist/ up to date: installs packages when the lock file asks for it, compiles when a source is newer, and copies
// the data files that compiled modules read beside themselves. Does nothing, quickly, when nothing changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const skipped = new Set(['node_modules', 'dist', '.git', '.tap', '.flagship']);
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

function install() {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  const installed = path.join(root, 'node_modules', '.installed');
  if (fs.existsSync(installed) && fs.readFileSync(installed, 'utf8') === wanted) return;
  run('npm', ['ci', '--ignore-scripts', '--loglevel=error']);
  fs.writeFileSync(installed, wanted);
}

/** Files that are not compiled but read at run time: JSON tables and recorded test data. */
const isData = file =>
  /\.(json|json\.gz|yaml|lua|sh|mjs)$/.test(file) &&
  path.dirname(file) !== root &&
  !['docs', 'examples', 'tools'].some(folder => file.startsWith(path.join(root, folder) + path.sep));

function build() {
  const built = modified(stamp);
  const files = [...sources(root)];
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
  const entry = path.join(root, 'dist', 'cli', 'flagship.js');
  if (fs.existsSync(entry)) fs.chmodSync(entry, 0o755);
  fs.writeFileSync(stamp, '');
}

install();
build();
