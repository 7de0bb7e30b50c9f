/** Tests wait for conditions: a fixed wait is either too short for a slow machine or too long for all others. */
import t from 'tap';
import { files, textOf } from './files.js';
import { fixedWaits } from './sleeps.js';

/** The fixed waits that there are, by file, and what each of them is for. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'test/conformance/consistency/faults.ts': [
    'how long a process is stopped',
    'when connections are cut again',
    'how long answers are cut',
    'how long answers are lost',
    'how long the disk is slow',
    'how long etcd is dead',
    'how long etcd is stopped',
  ],
  'test/conformance/scenarios/play.ts': ['an object that is gone stays away', 'a namespace becomes known'],
  'test/conformance/replay.ts': ['the recorded pause of a case, if it differs without'],
  'test/e2e/agnhost.ts': ['a webhook that answers too late'],
  'test/stalls/clients.ts': ['a timeout'],
  'test/stalls/rows/estimators.ts': ['stalls are measured while an estimator floods, after the deadline of its call'],
  'test/stalls/rows/kubelets.ts': [
    'stalls are measured while kubelets write, and while WebSockets and tunnels are flooded',
  ],
  'test/stalls/rows/members.ts': ['stalls are measured while an answer is read'],
  'test/stalls/rows/reverse-tunnels.ts': [
    'stalls are measured while agents flood their tunnels',
    'and while bodies are sent to a member that does not read',
  ],
  'test/stalls/rows/statuses.ts': ['stalls are measured while a status is written', 'and while it is deleted'],
  'test/storage/crash/writer.ts': ['a client that tries again'],
};

t.test('fixed waits are recognised, and pauses between looks at a condition are not', async t => {
  const imported = "import { setTimeout as pause } from 'node:timers/promises';\n";
  const rows = [
    { name: 'a pause', text: `${imported}await pause(100);`, expect: [2] },
    { name: 'a timer in a promise', text: 'await new Promise(resolve => setTimeout(resolve, 10));', expect: [1] },
    { name: 'a pause in a loop', text: `${imported}while (!(await holds())) await pause(2);`, expect: [] },
    { name: 'a function in a loop', text: `${imported}for (;;) run(async () => {\n await pause(2); });`, expect: [3] },
    { name: 'another function of the name', text: 'pause(100);', expect: [] },
    { name: 'a timer under another name', text: 'await new Promise(done => setTimeout(done, 10));', expect: [1] },
    {
      name: 'a pause of a module',
      text: "import * as timers from 'node:timers/promises';\nawait timers.setTimeout(10);",
      expect: [2],
    },
    { name: 'a pause for each element', text: `${imported}for (const x of rows) await pause(x);`, expect: [2] },
    { name: 'a timeout of a test', text: 't.setTimeout(1000);', expect: [] },
    { name: 'a timer without a wait', text: 'setTimeout(() => fail(), 1000);', expect: [] },
  ];
  for (const { name, text, expect } of rows) t.strictSame(fixedWaits(text), expect, name);
});

t.test('tests do not sleep', async t => {
  const found: Record<string, number> = {};
  for (const file of files('test', '.ts')) {
    const lines = fixedWaits(textOf(file));
    if (lines.length > 0) found[file] = lines.length;
  }
  const counts = Object.fromEntries(Object.entries(allowed).map(([file, reasons]) => [file, reasons.length]));
  t.strictSame(found, counts, 'wait for a condition, as `until` in test/storage/until.ts');
});

t.test('no file limits the time of the suite that it is imported into', async t => {
  const limiting = [...files('test', '.ts')].filter(file => /^t\.setTimeout\(/m.test(textOf(file)));
  t.strictSame(limiting, [], 'a test has an option `timeout` of its own');
});
