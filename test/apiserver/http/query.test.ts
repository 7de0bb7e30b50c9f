import t from 'tap';
import { hasTooManyParameters, parseQuery } from '../../../apiserver/http/query.js';

t.test('query parameters are parsed as in Go', async t => {
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
    { given: 'a=1&a=2&a=3', name: 'a', expect: ['1', '2', '3'] },
    { given: 'a=1&b=x+y', name: 'a', expect: ['1'] },
    { given: '=1', name: '', expect: ['1'] },
    { given: '=', name: '', expect: [''] },
    { given: 'a&=b', name: 'a', expect: [''] },
    { given: 'b=1;c&a==', name: 'a', expect: ['='] },
    { given: 'a%3Db=1', name: 'a=b', expect: ['1'] },
    { given: `a=${'+x++'.repeat(5001)}`, name: 'a', expect: [' x  '.repeat(5001)] },
    { given: `a=${'+%2B'.repeat(5001)}`, name: 'a', expect: [' +'.repeat(5001)] },
    { given: '__proto__=1', name: '__proto__', expect: ['1'] },
  ];
  for (const { given, name, expect } of rows) {
    t.same(parseQuery(given).all(name), expect, given);
    t.equal(parseQuery(given).get(name), expect[0], given);
  }
  t.ok(parseQuery('').empty);
  t.notOk(parseQuery('a').empty);
});

t.test('a query of more parameters than Go reads has none', async t => {
  const most = `${'a=1&'.repeat(9999)}b=2`;
  t.equal(hasTooManyParameters(most), false);
  t.equal(parseQuery(most).get('b'), '2');
  t.equal(hasTooManyParameters(`${most}&`), true);
  t.ok(parseQuery(`${most}&`).empty);
});
