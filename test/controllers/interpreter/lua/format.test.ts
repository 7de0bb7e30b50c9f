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
    ['%t %s %s %#v', [yes, yes, table, yes], 'true true table: 0x1 true'],
    ['%06t|%6t|%-6t|', [yes, yes, yes], '00true|  true|true  |'],
    ['%d %d', ['12', 'x'], '12 0'],
    ['% 05d|%.0d|%O|%X', [42, 0, 8, 255], ' 0042||0o10|FF'],
    ['%q', ['a\n\u2028\x7f"é😀'], '"a\\n\\u2028\\x7f\\"é😀"'],
    ['%.3q|%.3x|%.2X', ['abcdef', 'abcdef', 'abc'], '"abc"|616263|6162'],
    ['% x|%#x|% X|%#x', ['hi', 'hi', 'hi', ''], '68 69|0x6869|68 69|'],
    ['100%%', [], '100%'],
  ];
  for (const [text, given, expect] of rows) t.equal(format(text, ...given), expect, text);
});

t.test('flags and precisions of numbers', async t => {
  const rows: readonly (readonly [string, readonly FormatArgument[], string])[] = [
    ['%+.0d|% .0d|%#.0x|%.0O|%+06.0b|%-3.0d|', [0, 0, 0, 0, 0.5, 0], '||||      |   |'],
    ['%#06x|%#04X|%#+06x|%-#06x|', [10, 255, 10, 10], '0x00000a|0X00FF|+0x0000a|0xa   |'],
    ['%#06o|%#o|%#.3o|%#O|%06O', [8, 0, 8, 8, 8], '000010|0|010|0o010|0o000010'],
    ['%.3v|%.7v|%06v|% v|%+v|%#v|%.2v', [12345, 12345, -3, 3, 3, 3, 1234.5], '12345|0012345|-00003| 3|3|3|1.2e+03'],
    ['%06c|%U|%.6U', [65, -10, 0x20ac], '00000A|U+FFFFFFFFFFFFFFF6|U+0020AC'],
    ['%f|% f|%06f|%G|%G', [Infinity, Infinity, -Infinity, NaN, 1e20], '+Inf| Inf|  -Inf|NaN|1E+20'],
    ['%#.0f|%#g|%#.2g|%#.0e|%#g', [-10, 65, 1e20, 1e20, 0], '-10.|65.0000|1.0e+20|1.e+20|0.00000'],
    ['%06s|%.2s|%5q', [-1.5, 12345, 1], '00-1.5|12|  "1"'],
    ['%06s|%#v|%.1d|%4d', ['-a', 'a', '12', '12'], '0000-a|"a"|1|  12'],
  ];
  for (const [text, given, expect] of rows) t.equal(format(text, ...given), expect, text);
});

t.test('mistakes are marked as in Go', async t => {
  const nil: FormatArgument = { type: 'nil', text: 'nil' };
  const rows: readonly (readonly [string, readonly FormatArgument[], string])[] = [
    ['%d', [], '%!d(MISSING)'],
    ['%', [], '%!(NOVERB)'],
    ['%y %5y %y', [1, 1, 1.5], '%!y(int64=1) %!y(int64=    1) %!y(float64=1.5)'],
    ['%t', ['a'], '%!t(string=a)'],
    ['%O %5O', [1.5, -0.5], '%!O(float64=1.5) %!O(float64= -0.5)'],
    ['%.8y %+y %.1y %4y', [12345, 1, 'abc', 'abc'], '%!y(int64=00012345) %!y(int64=+1) %!y(string=a) %!y(string= abc)'],
    ['%d %t', [nil, nil], '&{} &{}'],
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
