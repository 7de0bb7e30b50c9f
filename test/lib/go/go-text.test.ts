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

t.test('numbers are int64 if they are integers, and otherwise float64', async t => {
  const cases: [number | bigint, string][] = [
    [-5, '-5'],
    [1_000_000, '1000000'],
    [2n ** 62n, '4611686018427387904'],
    [1234567.5, '1.2345675e+06'],
  ];
  for (const [given, expect] of cases) t.equal(goNumber(given), expect, expect);
});

t.test('values are formatted as JSON as by encoding/json', async t => {
  t.equal(goJson({ b: '<a&b>', a: [1, null] }), '{"b":"\\u003ca\\u0026b\\u003e","a":[1,null]}');
  t.equal(goJson(sortKeys({ b: 1, a: { d: 1, c: 2 } })), '{"a":{"c":2,"d":1},"b":1}');
  t.equal(goJson(undefined), 'null');
});
