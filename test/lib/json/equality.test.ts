import t from 'tap';
import { semanticEqual } from '../../../lib/json/equality.js';

t.test('absent and empty values are equal, and all else is compared', async t => {
  const empty: readonly unknown[] = [undefined, null, [], {}, { a: null }, { a: {} }, { a: { b: [] } }];
  const other: readonly unknown[] = [
    ...[0, '', false, 'x', 2n ** 60n, [0], [null]],
    ...[{ a: 0 }, { a: [null] }, { b: '' }, { a: 1, b: 2 }, { a: { b: 1 } }, { toString: 1 }],
  ];
  for (const a of empty) for (const b of empty) t.ok(semanticEqual(a, b), t.name);
  for (const a of empty)
    for (const b of other) {
      t.notOk(semanticEqual(a, b));
      t.notOk(semanticEqual(b, a));
    }
  for (const [i, a] of other.entries())
    for (const [j, b] of other.entries()) t.equal(semanticEqual(a, structuredClone(b)), i === j, `${i} ${j}`);
});

t.test('members are compared regardless of their order, and of empty ones that only one object has', async t => {
  t.ok(semanticEqual({ a: 1, b: { c: [] } }, { d: null, a: 1 }));
  t.ok(semanticEqual({ d: {}, b: 2, a: 1 }, { a: 1, b: 2 }));
  t.notOk(semanticEqual({ a: 1 }, { a: 1, b: 2 }));
  t.notOk(semanticEqual({ a: 1, b: 2 }, { a: 1 }));
  t.notOk(semanticEqual({ a: [1, 2] }, { a: [2, 1] }));
  t.notOk(semanticEqual({ constructor: 1 }, {}), 'an inherited member is none');
});
