import t from 'tap';
import { parseQuery } from '../../../apiserver/http/query.js';

t.test('parameters are read as Go reads them', async t => {
  const rows: readonly { given: string; name: string; expect: readonly string[] }[] = [
    { given: 'a=1', name: 'a', expect: ['1'] },
    { given: 'a=1&a=2', name: 'a', expect: ['1', '2'] },
    { given: 'a', name: 'a', expect: [''] },
    { given: 'a=', name: 'a', expect: [''] },
    { given: 'a=b=c', name: 'a', expect: ['b=c'] },
    { given: 'a=x+y', name: 'a', expect: ['x y'] },
    { given: 'a=x%2By', name: 'a', expect: ['x+y'] },
    { given: 'a+b=1', name: 'a b', expect: ['1'] },
    { given: 'a=%zz&b=1', name: 'a', expect: [] },
    { given: 'a=1;b=2', name: 'a', expect: [] },
    { given: '&&a=1&', name: 'a', expect: ['1'] },
    { given: 'b=1', name: 'a', expect: [] },
    { given: '__proto__=1', name: '__proto__', expect: ['1'] },
  ];
  for (const { given, name, expect } of rows) {
    t.same(parseQuery(given).all(name), expect, given);
    t.equal(parseQuery(given).get(name), expect[0], given);
  }
  t.ok(parseQuery('').empty);
  t.notOk(parseQuery('a').empty);
});
