import t from 'tap';
import { deepEqual } from '../../../lib/json/equality.js';
import {
  type LargeIntegers,
  isInt64,
  jsonText,
  mayContainLargeInteger,
  narrowed,
  numberValue,
  parseJson,
} from '../../../lib/json/json.js';

const max = 9223372036854775807n;
const odd = 9007199254740993n;

t.test('number literals are parsed without loss', async t => {
  const rows: readonly { readonly given: string; readonly expect: unknown; readonly exact?: unknown }[] = [
    { given: '0', expect: 0 },
    { given: '-7', expect: -7 },
    { given: '9007199254740991', expect: 9007199254740991 },
    { given: '9007199254740992', expect: 9007199254740992n },
    { given: '9007199254740993', expect: odd },
    { given: '-9007199254740993', expect: -odd },
    { given: '9223372036854775807', expect: max },
    { given: '-9223372036854775808', expect: -max - 1n },
    { given: '9223372036854775808', expect: 9223372036854775808, exact: max + 1n },
    { given: '-9223372036854775809', expect: -9223372036854775808, exact: -max - 2n },
    { given: '123456789012345678901234567890', expect: 1.2345678901234568e29, exact: 123456789012345678901234567890n },
    { given: '1e18', expect: 1e18 },
    { given: '9007199254740993.0', expect: 9007199254740992 },
    { given: '1234567890.1234567890', expect: 1234567890.123456789 },
    { given: '1e400', expect: Infinity },
    { given: '9'.repeat(400), expect: Infinity },
  ];
  for (const { given, expect, exact = expect } of rows) {
    t.equal(numberValue(given), expect, given);
    t.equal(numberValue(given, 'exact'), exact, `${given} with all digits`);
    for (const [text, of] of [
      [given, (v: unknown) => v],
      [`[1, ${given}]`, (v: unknown) => [1, v]],
      [`{"a":${given},"b":"\\"${given}"}`, (v: unknown) => ({ a: v, b: `"${given}` })],
      [`{"a":[\n${given}\n]\n}`, (v: unknown) => ({ a: [v] })],
    ] as const) {
      t.strictSame(parseJson(text), of(expect), text);
      t.strictSame(parseJson(text, 'exact'), of(exact), text);
    }
  }
});

t.test('a number literal with many digits is found in a text', async t => {
  const rows: readonly (readonly [text: string, expect: boolean])[] = [
    ['{"a":"1234567890123456789"}', false],
    ['{"a":123456789012345}', false],
    ['{"a":1234567890123456}', true],
    ['{"a":-1234567890123456}', true],
    ['{"a":0.1234567890123456789}', false],
    ['{"a":1234567890123456789.5}', false],
    ['{"a":"sha256:1234567890123456789012345678901234567890"}', false],
    ['1234567890123456', true],
    ['[\t1234567890123456\r]', true],
    ['', false],
  ];
  for (const [text, expect] of rows) t.equal(mayContainLargeInteger(text), expect, text);
  // The position in the text does not matter.
  for (let before = 0; before < 40; before++)
    for (const digits of [16, 17, 19, 33]) {
      const text = `["${'x'.repeat(before)}",${'1'.repeat(digits)}]`;
      t.equal(mayContainLargeInteger(text), true, text);
    }
});

t.test('a text with a long number is read like any other', async t => {
  const rows: readonly string[] = [
    '{}',
    '[]',
    '{"a":{},"b":[],"c":[[],{}],"d":null,"e":true,"f":false,"g":"","h":"\\u00e9\\n\\\\","i":"ü𝄞"}',
    '{ "a" : [ 1 , 2.5 , -0.5e-3 , "x" ] , "__proto__" : { "x" : 1 } }',
    '{"a":1,"a":{"b":2},"2":"y","1":"x"}',
    '{"a\\"b":"c\\\\","d\\\\":"\\"e"}',
    '\n[\t{\r\n"a":1}\n]\n',
  ];
  for (const text of rows) {
    const [found, long] = parseJson(`[${text},12345678901234567]`) as [unknown, unknown];
    const expect = JSON.parse(text) as unknown;
    t.strictSame(found, expect, text);
    t.equal(JSON.stringify(found), JSON.stringify(expect), 'the order of keys is the same');
    t.equal(long, 12345678901234567n);
  }
  t.throws(() => parseJson('[12345678901234567'), SyntaxError);
});

t.test('values with long numbers are written with all digits', async t => {
  const rows: readonly unknown[] = [
    { a: undefined, b: [undefined, null], c: {}, d: [], e: { f: [1, 'x\n"', true, 1e21, 1e-7] }, '"': 0 },
    [[], {}],
    [],
  ];
  for (const value of rows)
    for (const indent of [0, 1, 2]) {
      const text = jsonText([value, max], indent);
      t.equal(text, JSON.stringify([value, 'LONG'], undefined, indent).replace('"LONG"', String(max)));
      t.equal(jsonText(value, indent), JSON.stringify(value, undefined, indent));
    }
  t.equal(jsonText(-max - 1n), '-9223372036854775808');
  t.equal(jsonText(undefined), undefined);
});

t.test('a written value is read back unchanged', async t => {
  const modes: readonly LargeIntegers[] = ['float64', 'exact'];
  for (const largeIntegers of modes)
    for (const value of [max, -max - 1n, odd, 9007199254740991, 0, 1.5, 1e300, 9223372036854775808]) {
      const again = parseJson(jsonText({ value }), largeIntegers) as { value: unknown };
      if (largeIntegers === 'float64' || value !== 9223372036854775808) t.strictSame(again, { value });
    }
});

t.test('integers are recognised, and numbers compare by value', async t => {
  for (const [value, expect] of [
    [1, true],
    [1.5, false],
    [max, true],
    [max + 1n, false],
    [1e18, false],
    ['1', false],
    [NaN, false],
  ] as const)
    t.equal(isInt64(value), expect, String(value));
  t.ok(deepEqual({ a: [odd] }, { a: [9007199254740993n] }));
  t.notOk(deepEqual(odd, 9007199254740992n));
  t.notOk(deepEqual(odd, 9007199254740992));
  t.ok(deepEqual(1e18, 1000000000000000000n), 'an integer equals a float of the same value');
  t.notOk(deepEqual(max, '9223372036854775807'));
});

t.test('whole numbers beyond int64 become floats, nothing else is touched', async t => {
  const value = { a: [1, 'x', null, { b: max }], c: {} };
  t.equal(narrowed(value), value);
  t.strictSame(narrowed({ a: [{ b: max + 1n }, max], c: 1.5 }), { a: [{ b: 9223372036854775808 }, max], c: 1.5 });
});
