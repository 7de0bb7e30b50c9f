// Runs the suites that take a minute or two together and need only Node.js. They start whole servers, and so run code of every layer.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// Two run at once: the longest come first, so that none is left alone at the end. Each of the other suites takes a minute or more, or needs etcd.
const suites = ['registry', 'scheduler', 'docs', 'rules', 'authn', 'kinds', 'karmada'];
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const files = suites.map(name => path.join('dist', 'test', 'suites', `${name}.js`));
const tap = path.join(root, 'node_modules', '.bin', 'tap');
const { status, error } = spawnSync(tap, [...files, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
if (error) throw error;
process.exit(status ?? 1);
