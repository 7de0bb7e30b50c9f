import t from 'tap';
import { selectControllers } from '../../cli/controller-selection.js';

t.test('the controllers that a list enables', async t => {
  const known = ['a', 'b', 'off'];
  const rows: Readonly<Record<string, readonly string[]>> = {
    '*': ['a', 'b'],
    '*,off': ['a', 'b', 'off'],
    '*,-a': ['b'],
    a: ['a'],
    'a,-a': ['a'],
    '-a': [],
    '-*': [],
    '-*,a': ['a'],
    '': [],
  };
  for (const [given, expect] of Object.entries(rows)) {
    const enabled = selectControllers(given.split(',').filter(Boolean), known, new Set(['off']));
    t.same(known.filter(enabled), expect, given);
  }
  t.throws(() => selectControllers(['*', '-aa'], ['aaa']), {
    message: 'unknown controller "aa" in --controllers; did you mean aaa?',
  });
});
