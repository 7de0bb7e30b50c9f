import t from 'tap';
import { parseDuration } from '../../../apiserver/http/duration.js';

t.test('Go durations', async t => {
  const rows: Readonly<Record<string, number | string>> = {
    '0': 0,
    '5s': 5000,
    '1m30s': 90_000,
    '1.5h': 5_400_000,
    '.5s': 500,
    '-2s': -2000,
    '10ms': 10,
    '1us': 0.001,
    '': 'time: invalid duration ""',
    '5': 'time: missing unit in duration "5"',
    x: 'time: invalid duration "x"',
    '5x': 'time: unknown unit "x" in duration "5x"',
  };
  for (const [given, expect] of Object.entries(rows)) t.equal(parseDuration(given), expect, given);
});
