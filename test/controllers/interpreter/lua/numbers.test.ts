/** Numbers as texts, and texts as numbers, as in gopher-lua. */
import t from 'tap';
import { luaNumberOf } from '../../../../controllers/interpreter/lua/number-syntax.js';
import { luaNumberText } from '../../../../controllers/interpreter/lua/number-text.js';
import { cpuCost } from '../../../cpu-cost.js';

t.test('texts of numbers', async t => {
  const table = [
    [0, '0'],
    [-0, '0'],
    [-1, '-1'],
    [2 ** 53, '9007199254740992'],
    [-(2 ** 63), '-9223372036854775808'],
    [2 ** 63, '9.223372036854776e+18'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
    [123_456.5, '123456.5'],
    [1_234_567.5, '1.2345675e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [5e-324, '5e-324'],
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ] as const;
  for (const [value, text] of table) t.equal(luaNumberText(value), text);
});

t.test('numbers of texts', async t => {
  const table: readonly (readonly [string, number | undefined, number?])[] = [
    ['12', 12],
    [' \t\n-12\n', -12],
    ['+7', 7],
    ['0010', 10],
    ['0xFf', 255],
    ['0Xff', 255],
    ['0x', undefined],
    ['-0x10', undefined],
    ['0x10', undefined, 16],
    ['1.', 1],
    ['.5', 0.5],
    ['-1.5e-3', -0.0015],
    ['1.5', 1.5, 16],
    ['.', undefined],
    ['1e3', undefined],
    ['1e3', 483, 16],
    ['1.0e400', undefined],
    ['inf', undefined],
    ['nan', undefined],
    ['1_000', undefined],
    ['1 2', undefined],
    ['1\r', undefined],
    ['\u00a01', undefined],
    ['', undefined],
    [' ', undefined],
    ['-', undefined],
    ['z', 35, 36],
    ['10', 2, 2],
    ['2', undefined, 2],
    ['1', undefined, 1],
    ['1', undefined, 37],
    ['1', undefined, -2],
    ['9223372036854775807', 2 ** 63],
    ['9223372036854775808', undefined],
    ['-9223372036854775808', -(2 ** 63)],
    ['1'.repeat(101), undefined],
    ['0'.repeat(99) + '7', 7],
  ];
  for (const [text, value, base] of table) t.equal(luaNumberOf(text, base), value, JSON.stringify([text, base]));
});

t.test('a long text takes no time that grows with its square', async t => {
  const ms = await cpuCost(2000, () => {
    t.equal(luaNumberOf(`1${' '.repeat(1_000_000)}2`), undefined);
    t.equal(luaNumberOf('9'.repeat(1_000_000)), undefined);
    t.equal(luaNumberOf(`${'0'.repeat(1_000_000)}.x`), undefined);
  });
  t.ok(ms < 2000, `${ms} ms`);
});
