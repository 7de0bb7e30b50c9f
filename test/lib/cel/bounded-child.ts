/** Evaluates the expressions of its input, one per line, in a process with a small heap. Prints the largest time and memory of one expression. */
import { readFileSync } from 'node:fs';
import { compile } from '../../../openapi/cel/environment.js';
import { jsonValue } from '../../../lib/cel/json-value.js';
import { Pace } from '../../../lib/cel/interpreter/pace.js';
import { dyn } from '../../../lib/cel/types.js';

const object = {
  s: 'ab'.repeat(300_000),
  t: `${'a'.repeat(50_000)}b`,
  u: '\u{1f600}é'.repeat(50_000),
  n: 7,
  l: Array.from({ length: 2000 }, (_, i) => i),
  m: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, { name: `n${i}`, of: [i, [i]] }])),
  d: JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown,
};

const worked = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const report = { evaluated: 0, failed: 0, cancelled: 0, slowest: 0, slow: '', largest: 0, large: '' };

for (const source of readFileSync(0, 'utf8').split('\n')) {
  const before = worked();
  const compiled = compile(source, new Map([['x', dyn]]));
  const compiling = worked() - before;
  const { heapUsed, external } = process.memoryUsage();
  const started = worked();
  if ('run' in compiled) {
    report.evaluated++;
    const outcome = compiled.run(() => jsonValue(object), { pace: new Pace() });
    if (outcome.cancelled) report.cancelled++;
  } else report.failed++;
  const running = worked() - started;
  const after = process.memoryUsage();
  const grown = (after.heapUsed + after.external - heapUsed - external) / 2 ** 20;
  const ms = Math.max(compiling, running);
  if (ms > report.slowest) Object.assign(report, { slowest: ms, slow: source.slice(0, 300) });
  if (grown > report.largest) Object.assign(report, { largest: grown, large: source.slice(0, 300) });
}
process.stdout.write(JSON.stringify(report));
