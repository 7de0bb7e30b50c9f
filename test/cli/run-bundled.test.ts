/** Programs run from the bundle, with and without the V8 code cache of the build. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { plainNode } from '../../tools/plain-node.js';
import { listening } from './process.js';

const dist = fileURLToPath(new URL('../..', import.meta.url));
const [command, ...node] = plainNode;

/** Logs for each thread the files of the bundle that it compiles, and whether V8 rejected their code caches. */
const spy = `
const fs = require('node:fs');
const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    const name = options?.filename?.split('/').pop();
    if (name?.endsWith('.cjs')) fs.appendFileSync(process.env.SPY_LOG, \`\${name} \${this.cachedDataRejected}\\n\`);
  }
};`;

/** Starts a server. Returns the files of the bundle that its threads have compiled until it is ready, with what V8 said of their code caches. */
async function compiledBy(t: Test, ...flags: readonly string[]): Promise<string[]> {
  const folder = t.testdir({ 'spy.cjs': spy });
  const log = path.join(folder, 'log');
  const args = [...node, '--require', path.join(folder, 'spy.cjs'), path.join(dist, 'cli/flagship.js'), 'up', ...flags];
  const child = spawn(command, [...args, '--data-dir', path.join(folder, 'data'), '--bind', '127.0.0.1:0'], {
    env: { ...process.env, SPY_LOG: log },
  });
  t.teardown(() => child.kill('SIGKILL'));
  await listening(child);
  return fs.readFileSync(log, 'utf8').trim().split('\n').sort();
}

t.test('control plane and members use the code cache', async t => {
  const compiled = await compiledBy(t, '--controllers=-*', '--members', '1');
  const programs = compiled.filter(line => line.startsWith('programs.cjs'));
  t.same(programs, ['programs.cjs false', 'programs.cjs false'], 'there is a code cache, and it is not rejected');
});

t.test('a server without members and controllers does not load the separate packages', async t => {
  t.same(await compiledBy(t, '--controllers=-*'), ['programs.cjs false']);
});

/** Copies the files that `flagship --version` needs into a folder. */
function copy(folder: string): string {
  for (const file of ['cli/flagship.js', 'cli/run-bundled.js', 'bundle/programs.cjs']) {
    fs.mkdirSync(path.join(folder, 'dist', path.dirname(file)), { recursive: true });
    fs.copyFileSync(path.join(dist, file), path.join(folder, 'dist', file));
  }
  fs.copyFileSync(path.join(dist, '../package.json'), path.join(folder, 'package.json'));
  fs.symlinkSync(fs.realpathSync(path.join(dist, '../node_modules')), path.join(folder, 'node_modules'));
  return path.join(folder, 'dist/bundle');
}

const codeCache =
  fs.readdirSync(path.join(dist, 'bundle')).find(file => /^cli-flagship-programs-.*\.code$/.test(file)) ?? '';

const cases: readonly { readonly name: string; readonly given: (bundle: string) => void; readonly args?: string[] }[] =
  [
    { name: 'no code cache', given: () => undefined },
    {
      name: 'an invalid code cache',
      given: bundle => fs.writeFileSync(path.join(bundle, codeCache), 'a'.repeat(1 << 20)),
    },
    {
      name: 'a truncated code cache',
      given: bundle => {
        const whole = fs.readFileSync(path.join(dist, 'bundle', codeCache));
        fs.writeFileSync(path.join(bundle, codeCache), whole.subarray(0, whole.length / 2));
      },
    },
    {
      name: 'other V8 flags',
      given: bundle => fs.copyFileSync(path.join(dist, 'bundle', codeCache), path.join(bundle, codeCache)),
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

t.test('the code cache of another bundle of the same length is not used', async t => {
  const folder = t.testdir({});
  const bundle = copy(folder);
  fs.copyFileSync(path.join(dist, 'bundle', codeCache), path.join(bundle, codeCache));
  const programs = path.join(bundle, 'programs.cjs');
  const text = fs.readFileSync(programs, 'latin1');
  const pattern = new RegExp([...'`flagship $'].map(each => each.replace('$', '\\$')).join('(?:\\\\\\n)?')); // the minifier may break a line anywhere
  const other = text.replace(pattern, found => found.replace('f', 'F'));
  fs.writeFileSync(programs, other, 'latin1'); // has the same length
  const { stdout } = await promisify(execFile)(command, [
    ...node,
    path.join(folder, 'dist/cli/flagship.js'),
    '--version',
  ]);
  t.match(stdout, /^Flagship \d/);
});

t.test('the bundle has no dynamic imports, whose paths could not be resolved', async t => {
  t.notMatch(fs.readFileSync(path.join(dist, 'bundle/programs.cjs'), 'latin1'), /[^.\w$]import\(/);
});
