import t from 'tap';
import { goJson, goNumber, goQuote, sortKeys } from '../../../lib/go/go-text.js';

t.test('strings are quoted as by strconv.Quote', async t => {
  const cases: { given: string; expect: string }[] = [
    { given: 'plain', expect: '"plain"' },
    { given: 'a"b\\c', expect: '"a\\"b\\\\c"' },
    { given: 'a\n\t\r\v\f\b\x07', expect: '"a\\n\\t\\r\\v\\f\\b\\a"' },
    { given: '\x00\x7f', expect: '"\\x00\\x7f"' },
    { given: 'héé 世界 🙂', expect: '"héé 世界 🙂"' },
    { given: '\u00a0\u200b\ufeff', expect: '"\\u00a0\\u200b\\ufeff"' },
    { given: '\u{e0001}', expect: '"\\U000e0001"' },
  ];
  for (const { given, expect } of cases) t.equal(goQuote(given), expect, expect);
});

t.test('floats are formatted as Go does', async t => {
  const cases: [number, string][] = [
    [0, '0'],
    [-5, '-5'],
    [1.5, '1.5'],
    [0.1, '0.1'],
    [100.5, '100.5'],
    [0.0001, '0.0001'],
    [0.00001234, '1.234e-05'],
    [1234567.5, '1.2345675e+06'],
    [1e300, '1e+300'],
    [-0.25, '-0.25'],
  ];
  for (const [given, expect] of cases) t.equal(goNumber(given), expect, expect);
});

t.test('values are formatted as JSON as by encoding/json', async t => {
  t.equal(goJson({ b: '<a&b>', a: [1, null] }), '{"b":"\\u003ca\\u0026b\\u003e","a":[1,null]}');
  t.equal(goJson(sortKeys({ b: 1, a: { d: 1, c: 2 } })), '{"a":{"c":2,"d":1},"b":1}');
  t.equal(goJson(undefined), 'null');
});
