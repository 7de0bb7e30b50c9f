/** `string.format` of gopher-lua, which formats as `fmt.Sprintf` of Go. */
import t from 'tap';
import { type FormatArgument, luaFormat } from '../../../../controllers/interpreter/lua/format.js';

const format = (text: string, ...given: FormatArgument[]): string =>
  luaFormat(text, given.length, i => given[i] ?? { type: 'nil', text: 'nil' });

t.test('verbs', async t => {
  const yes: FormatArgument = { type: 'boolean', text: 'true' };
  const table: FormatArgument = { type: 'other', text: 'table: 0x1' };
  const rows: readonly (readonly [string, readonly FormatArgument[], string])[] = [
    ['%d %i', [3, -4], '3 -4'],
    ['%5d|%-5d|%05d|%+d|% d', [42, 42, -42, 42, 42], '   42|42   |-0042|+42| 42'],
    ['%.4d', [7], '0007'],
    ['%x %X %#x %o %b', [255, 255, 255, 8, 5], 'ff FF 0xff 10 101'],
    ['%c%c', [65, 0x20ac], 'A€'],
    ['%U', [0x20ac], 'U+20AC'],
    ['%d', [3.9], '3'],
    ['%f %.1f %8.2f', [1.5, 2.25, 3.14159], '1.500000 2.2     3.14'],
    ['%.0f %.0f %.0f', [0.5, 1.5, 2.5], '0 2 2'],
    ['%.1e %.2g', [1.25, 1250], '1.2e+00 1.2e+03'],
    ['%.21g %.22f', [0.1, 1e21], '0.100000000000000005551 1000000000000000000000.0000000000000000000000'],
    ['%e %E', [1500, 1500], '1.500000e+03 1.500000E+03'],
    ['%g %.2g', [0.1, 1234], '0.1 1.2e+03'],
    ['%s|%5s|%-5s|%.2s', ['a', 'b', 'c', 'über'], 'a|    b|c    |üb'],
    ['%q %x %X', ['a"b', 'hi', 'jk'], '"a\\"b" 6869 6A6B'],
    ['%s %v', [1, 2.5], '1 2.5'],
    ['%t %s %s', [yes, yes, table], 'true true table: 0x1'],
    ['%d %d', ['12', 'x'], '12 0'],
    ['100%%', [], '100%'],
  ];
  for (const [text, given, expect] of rows) t.equal(format(text, ...given), expect, text);
});

t.test('mistakes are marked as in Go', async t => {
  const rows: readonly (readonly [string, readonly FormatArgument[], string])[] = [
    ['%d', [], '%!d(MISSING)'],
    ['%', [], '%!(NOVERB)'],
    ['%y', [1], '%!y(float64=1)'],
    ['%t', ['a'], '%!t(string=a)'],
    ['%d', [{ type: 'nil', text: 'nil' }], '%!d(*lua.LNilType=nil)'],
    ['%d', [{ type: 'boolean', text: 'true' }], '%!d(lua.LBool=true)'],
    ['%d', [{ type: 'other', text: 't' }], '%!d(*lua.LTable=t)'],
    ['%1000001d', [1], '%!(BADWIDTH)'],
    ['%.1000001d', [1], '%!(BADPREC)'],
    ['%s', ['a', 'more'], 'a'],
  ];
  for (const [text, given, expect] of rows) t.equal(format(text, ...given), expect, text);
});

t.test('a text has a bound', async t => {
  t.equal(format('%1000000d', 1).length, 1_000_000);
  t.throws(() => format('%1000000d%1000000d%1000000d', 1, 1, 1), {
    message: 'the formatted text has more than 2097152 characters',
  });
  t.throws(() => format('%.1s', 'x'.repeat(3 * 1024 * 1024)), { message: /^the formatted text has more than/ });
});
