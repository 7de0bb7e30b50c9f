/** Programs run from the bundle with the code that the build has kept, and without it. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { plainNode } from '../plain-node.js';
import { listening } from './process.js';

const dist = fileURLToPath(new URL('../..', import.meta.url));
const [command, ...node] = plainNode;

/** Says what becomes of the code that was kept for the bundle, once for each thread. */
const spy = `
const fs = require('node:fs');
const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (options?.filename?.endsWith('programs.cjs')) fs.appendFileSync(process.env.SPY_LOG, \`\${this.cachedDataRejected}\\n\`);
  }
};`;

t.test('control plane and members take the code that was kept', async t => {
  const folder = t.testdir({ 'spy.cjs': spy });
  const log = path.join(folder, 'log');
  const flags = ['up', '--controllers=-*', '--members', '1', '--data-dir', path.join(folder, 'data')];
  const args = [...node, '--require', path.join(folder, 'spy.cjs'), path.join(dist, 'cli/flagship.js')];
  const child = spawn(command, [...args, ...flags, '--bind', '127.0.0.1:0'], { env: { ...process.env, SPY_LOG: log } });
  t.teardown(() => child.kill('SIGKILL'));
  await listening(child);
  t.same(
    fs.readFileSync(log, 'utf8').trim().split('\n'),
    ['false', 'false'],
    'there was some, and it was not rejected',
  );
});

/** A copy of what runs `flagship --version`, in a folder of its own. */
function copy(folder: string): string {
  for (const file of ['cli/flagship.js', 'cli/run-bundled.js', 'bundle/programs.cjs']) {
    fs.mkdirSync(path.join(folder, 'dist', path.dirname(file)), { recursive: true });
    fs.copyFileSync(path.join(dist, file), path.join(folder, 'dist', file));
  }
  fs.copyFileSync(path.join(dist, '../package.json'), path.join(folder, 'package.json'));
  fs.symlinkSync(fs.realpathSync(path.join(dist, '../node_modules')), path.join(folder, 'node_modules'));
  return path.join(folder, 'dist/bundle');
}

const kept = fs.readdirSync(path.join(dist, 'bundle')).find(file => /^cli-flagship-.*\.code$/.test(file)) ?? '';

const cases: readonly { readonly name: string; readonly given: (bundle: string) => void; readonly args?: string[] }[] =
  [
    { name: 'none was kept', given: () => undefined },
    { name: 'what was kept is none', given: bundle => fs.writeFileSync(path.join(bundle, kept), 'a'.repeat(1 << 20)) },
    {
      name: 'half of it was kept',
      given: bundle => {
        const whole = fs.readFileSync(path.join(dist, 'bundle', kept));
        fs.writeFileSync(path.join(bundle, kept), whole.subarray(0, whole.length / 2));
      },
    },
    {
      name: 'with other options of the engine',
      given: bundle => fs.copyFileSync(path.join(dist, 'bundle', kept), path.join(bundle, kept)),
      args: ['--no-lazy-feedback-allocation'],
    },
    { name: 'with source maps', given: () => undefined, args: ['--enable-source-maps'] },
  ];

for (const { name, given, args = [] } of cases)
  t.test(name, async t => {
    const folder = t.testdir({});
    given(copy(folder));
    const program = path.join(folder, 'dist/cli/flagship.js');
    const { stdout } = await promisify(execFile)(command, [...node, ...args, program, '--version']);
    t.match(stdout, /^flagship \d/);
  });

t.test('what was kept is of this very bundle', async t => {
  const folder = t.testdir({});
  const bundle = copy(folder);
  fs.copyFileSync(path.join(dist, 'bundle', kept), path.join(bundle, kept));
  const programs = path.join(bundle, 'programs.cjs');
  const text = fs.readFileSync(programs, 'latin1');
  const said = new RegExp([...'`flagship $'].map(each => each.replace('$', '\\$')).join('(?:\\\\\\n)?')); // a line may end anywhere
  const other = text.replace(said, found => found.replace('f', 'F'));
  fs.writeFileSync(programs, other, 'latin1'); // of the same length
  const { stdout } = await promisify(execFile)(command, [
    ...node,
    path.join(folder, 'dist/cli/flagship.js'),
    '--version',
  ]);
  t.match(stdout, /^Flagship \d/);
});

t.test('nothing is imported out of the bundle, where nobody could say from what place', async t => {
  t.notMatch(fs.readFileSync(path.join(dist, 'bundle/programs.cjs'), 'latin1'), /[^.\w$]import\(/);
});
