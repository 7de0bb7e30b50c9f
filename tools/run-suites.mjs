/**
 * Runs suites, two at a time: `node tools/run-suites.mjs [--timeout=SECONDS] [--node-arg=OPTION]... [SUITE]...`, by default all. Prints a line when a
 * suite has ended, and what has failed as soon as it has. The TAP of all suites is in `.tap/suites.tap`. The suites run without tap's hooks for modules:
 * the hooks are for TypeScript, mocks and a coverage that is not used here, and make the load of a suite three times as long.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import t from 'tap';
import { stringify } from 'yaml';

/**
 * Suites by their time, from the longest, so that none is left alone at the end. A suite that mostly computes comes beside one that mostly waits.
 * Other suites come after these.
 */
const longest =
  `extension-stalls bench cli request-stalls e2e operations hostile apiserver aggregation controllers storage scenarios interpreter
  registry members openapi scheduler fuzz conformance kubernetes simulator storage-crash consistency`.split(/\s+/);
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

const print = text => process.stdout.write(`${text}\n`);

/** Prints what fails in a suite at once: the suite, the tests that contain it, and what tap knows about it. */
function printFailures(suite) {
  suite.parser.on('fail', ({ fullname, diag }) => {
    print(`not ok: ${fullname}`);
    if (diag) print(stringify(diag).trimEnd().replaceAll(/^/gm, '  '));
  });
}

/** Prints how a suite has ended, and after how many seconds. */
function printEnd(suite) {
  const { signal, exitCode } = suite.options;
  const time = `${suite.name} # time=${Math.round(suite.time / 1000)}s`;
  print(suite.passing() ? `ok - ${time}` : `not ok - ${time}, ${signal ?? `exit code ${exitCode}`}`);
}

const tapFile = path.join(root, '.tap', 'suites.tap');
fs.mkdirSync(path.dirname(tapFile), { recursive: true });
t.pipe(fs.createWriteStream(tapFile));
t.register();
t.on('subtestStart', printFailures);
t.on('subtestEnd', printEnd);
t.on('complete', ({ ok }) => print(`${ok ? 'ok' : 'not ok'}: ${JSON.stringify(t.counts)}`));
t.jobs = jobs;
t.setTimeout(0); // of the suites, each has its own
const env = { ...process.env, TAP_TIMEOUT: values.timeout };
const timeout = Number(values.timeout) * 1000;
for (const file of files) {
  // tap gives the processes that it starts its hooks by NODE_OPTIONS.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', ...values['node-arg'], file];
  t.spawn('env', command, { name: file, cwd: root, env, timeout, buffered: true, at: null, stack: '' });
}
