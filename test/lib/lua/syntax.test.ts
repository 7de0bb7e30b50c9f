import t from 'tap';
import { loadLuaBinary } from '../../../lib/lua/engine.js';
import { luaSyntaxError } from '../../../lib/lua/syntax.js';

const binary = loadLuaBinary();
/** The time does not pass: the search for a column ends only if it compiles too much. */
const faultOf = (script: string, elapsed = () => 0): string | undefined =>
  luaSyntaxError(binary, Buffer.from(script), elapsed);

t.test('valid Lua is accepted', async t => {
  const scripts = [
    '',
    '-- [[ a comment',
    '--[[ a\nlonger one ]] x = 1',
    '--[==[ ]] ]==] x = 1;',
    'f{a=1,b;[3]=4}("x").y:z "q"',
    'a.b, c[1] = f(), 2',
    '(f)()',
    'x = -#a.b^-2 .. "a\\"b\\065\\\nc" and not nil',
    'x = {a, b.c, d = 1,}',
    'x = 0xFF + .5 + 1e-3 + 3.',
    'x = [==[\n]]]==]',
    'for i = 1, 2 do break end for k, v in pairs(t) do end',
    'repeat local a, b = 1 until a while true do end',
    'if a then elseif b then else end do end',
    'function a.b.c:d(e, ...) return ... end',
    'local function f() return end',
    'return function(a, b, ...) return ... end;',
    `x = {${'{},'.repeat(1000)}}`,
    '-- a line\n'.repeat(50_000),
  ];
  for (const script of scripts) t.equal(faultOf(script), undefined, script.slice(0, 60));
});

t.test('invalid Lua is refused', async t => {
  const table = [
    { given: 'if then', expect: "<string> line:1(column:7) near 'then':   syntax error\n" },
    { given: 'x = = 1', expect: "<string> line:1(column:5) near '=':   syntax error\n" },
    { given: 'function (', expect: "<string> line:1(column:10) near '(':   syntax error\n" },
    { given: 'function f(a,) end', expect: "<string> line:1(column:14) near ')':   syntax error\n" },
    { given: 'a b', expect: "<string> line:1(column:3) near 'b':   parse error\n" },
    { given: 'a', expect: '<string> at EOF:   parse error\n' },
    { given: '(a) = 1', expect: "<string> line:1(column:5) near '=':   parse error\n" },
    { given: 'f() = 1', expect: "<string> line:1(column:5) near '=':   syntax error\n" },
    { given: 'a, f() = 1', expect: "<string> line:1(column:8) near '=':   parse error\n" },
    { given: 'return x y', expect: "<string> line:1(column:10) near 'y':   syntax error\n" },
    { given: 'x = {a.b = 1}', expect: "<string> line:1(column:10) near '=':   syntax error\n" },
    { given: 'x = {', expect: '<string> at EOF:   syntax error\n' },
    { given: 'x = "abc\ny"', expect: "<string> line:2(column:0) near 'abc':   unterminated string\n" },
    { given: 'x = [[a', expect: '<string> at EOF:   unterminated multiline string\n' },
    { given: '((f()))', expect: '<string> at EOF:   parse error\n' },
    { given: 'x = 1\n  y = 3x', expect: "<string> line:2(column:8) near '3x':   malformed number\n" },
    { given: 'x = 1 --[[ a', expect: '<string> at EOF:   invalid multiline comment\n' },
    { given: 'x = "ä" "b"', expect: "<string> line:1(column:11) near 'b':   syntax error\n" },
    { given: 'x = $', expect: "<string> line:1(column:5) near '$':   Invalid token\n" },
    { given: 'x = 1\r\ny z\r\n', expect: "<string> line:2(column:3) near 'z':   parse error\n" },
    { given: 'x = 1\n\ry z\n\n', expect: "<string> line:2(column:3) near 'z':   parse error\n" },
    { given: 'x = 1\n\ny = "a\r\n"', expect: "<string> line:4(column:0) near 'a':   unterminated string\n" },
    { given: 'x = {\na\n\nb}', expect: "<string> line:4(column:1) near 'b':   syntax error\n" },
    { given: 'x = [[\n\ufeff]] y z', expect: "<string> line:2(column:7) near 'z':   parse error\n" },
    { given: 'x ~ y', expect: "<string> line:1(column:3) near '~':   Invalid '~' token\n" },
    { given: 'do goto x end', expect: "<string> line:1(column:9) near 'x':   parse error\n" },
    { given: '::x::', expect: "<string> line:1(column:1) near ':':   syntax error\n" },
    { given: '\x1bLua', expect: "<string> line:1(column:1) near 'char(27)':   Invalid token\n" },
    { given: 'break', expect: 'compile error near line(1) <string>: no loop to break' },
    {
      given: '\nfunction f() return ... end',
      expect: "compile error near line(2) <string>: cannot use '...' outside a vararg function",
    },
    { given: `x=${'('.repeat(100_000)}`, expect: /chunk has too many syntax levels/ },
  ];
  for (const { given, expect } of table) t.match(faultOf(given), expect, given.slice(0, 60));
});

t.test('large and deep scripts', async t => {
  const million = 1_000_000;
  const table = [
    { given: 'x '.repeat(million / 2), expect: "<string> line:1(column:3) near 'x':   parse error\n" },
    {
      given: `x=1 ${'\n'.repeat(million)}x y`,
      expect: `<string> line:${million + 1}(column:3) near 'y':   parse error\n`,
    },
    {
      given: `x = ${'a'.repeat(million)} b c`,
      expect: "<string> line:1 near 'c':   parse error\n",
    },
    {
      given: `${'x = f(1, "a")\n'.repeat(million / 14)}x y`,
      expect: `<string> line:${Math.floor(million / 14) + 1}(column:3) near 'y':   parse error\n`,
    },
    { given: `return ${'{'.repeat(million)}`, expect: /chunk has too many syntax levels/ },
    { given: `return ${'not '.repeat(million / 4)} x`, expect: /chunk has too many syntax levels/ },
    { given: 'do '.repeat(million / 3), expect: /chunk has too many syntax levels/ },
    { given: `local a${',a'.repeat(300)}`, expect: /has more than 200 local variables/ },
    { given: `x = [[${'ä'.repeat(million / 2)}`, expect: '<string> at EOF:   unterminated multiline string\n' },
  ];
  for (const { given, expect } of table) t.match(faultOf(given), expect, given.slice(0, 60));
});

t.test('a fault whose column takes long to find is reported without it', async t => {
  const script = `${'x = 1 '.repeat(1_000)} x y`;
  t.equal(faultOf(script), "<string> line:1(column:6004) near 'y':   parse error\n");
  let looks = 0;
  t.equal(
    faultOf(script, () => 800 * looks++),
    "<string> line:1 near 'y':   parse error\n",
  );
  t.ok(looks < 6, `${looks} looks at the clock: no more than one for each compilation`);
});
