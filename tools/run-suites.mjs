/**
 * Runs suites, two at a time: `node tools/run-suites.mjs [--timeout=SECONDS] [--node-arg=OPTION]... [SUITE]...`, by default all. In a terminal, tap's
 * runner shows the progress. Elsewhere the output is the TAP of all suites, which run without tap's hooks for modules: the hooks are for TypeScript,
 * mocks and a coverage that is not used here, and make the load of a suite three times as long.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import t from 'tap';

/**
 * Suites by their time, from the longest, so that none is left alone at the end. A suite that mostly computes comes beside one that mostly waits.
 * Other suites come after these.
 */
const longest =
  `extension-stalls bench cli request-stalls e2e operations hostile apiserver aggregation controllers storage scenarios interpreter
  members fuzz conformance kubernetes scheduler consistency`.split(/\s+/);
const jobs = 2;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = path.join('dist', 'test', 'suites');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    timeout: { type: 'string', default: '3600' },
    'node-arg': { type: 'string', multiple: true, default: [] },
  },
});

const all = fs
  .readdirSync(path.join(root, folder))
  .flatMap(file => (file.endsWith('.js') ? [path.parse(file).name] : []));
for (const name of [...longest, ...positionals]) if (!all.includes(name)) throw new Error(`there is no suite ${name}`);
const wanted = positionals.length > 0 ? positionals : all;
const files = [...new Set([...longest, ...all])]
  .filter(name => wanted.includes(name))
  .map(name => path.join(folder, `${name}.js`));

function runInTerminal() {
  const options = [`--timeout=${values.timeout}`, ...values['node-arg'].map(option => `--node-arg=${option}`)];
  const tap = path.join(root, 'node_modules', '.bin', 'tap');
  const { status, error } = spawnSync(tap, [...options, ...files], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  process.exit(status ?? 1);
}

if (process.stdout.isTTY) runInTerminal();
t.jobs = jobs;
t.setTimeout(0); // of the suites, each has its own
const env = { ...process.env, TAP_TIMEOUT: values.timeout };
const timeout = Number(values.timeout) * 1000;
for (const file of files) {
  // tap gives the processes that it starts its hooks by NODE_OPTIONS.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', ...values['node-arg'], file];
  t.spawn('env', command, { name: file, cwd: root, env, timeout, buffered: true, at: null, stack: '' });
}
