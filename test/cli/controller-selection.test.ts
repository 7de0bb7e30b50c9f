import t from 'tap';
import { selectControllers } from '../../cli/controller-selection.js';
import { parseControllers } from '../../cli/parts/names.js';

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

t.test('former names of Kubernetes controllers', t => {
  const without = parseControllers(['*', '-garbagecollector', '-ttl-after-finished']);
  t.notOk(without('garbage-collector-controller'));
  t.notOk(without('ttl-after-finished-controller'));
  t.ok(without('namespace-controller'));
  const only = parseControllers(['serviceaccount-token', 'namespace']);
  t.ok(only('serviceaccount-token-controller'));
  t.ok(only('namespace'), 'the controller of Karmada');
  t.notOk(only('namespace-controller'));
  t.throws(() => parseControllers(['toString']), /unknown controller "toString"/);
  t.end();
});
