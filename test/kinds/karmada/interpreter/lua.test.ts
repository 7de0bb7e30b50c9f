import t from 'tap';
import { luaSyntaxError } from '../../../../kinds/karmada/interpreter/lua/syntax.js';

t.test('valid Lua is accepted', async t => {
  const scripts = [
    '',
    '-- [[ a comment',
    '--[[ a\nlonger one ]] x = 1',
    '--[==[ ]] ]==] x = 1;',
    'f{a=1,b;[3]=4}("x").y:z "q"',
    'a.b, c[1] = f(), 2',
    '(f)()',
    '((f()))',
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
  for (const script of scripts) t.equal(luaSyntaxError(script), undefined, script.slice(0, 60));
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
    { given: 'a, f() = 1', expect: "<string> line:1(column:8) near '=':   syntax error\n" },
    { given: 'return x y', expect: "<string> line:1(column:10) near 'y':   syntax error\n" },
    { given: 'x = {a.b = 1}', expect: "<string> line:1(column:10) near '=':   syntax error\n" },
    { given: 'x = {', expect: '<string> at EOF:   syntax error\n' },
    { given: 'x = "abc\ny"', expect: "<string> line:2(column:0) near 'abc':   unterminated string\n" },
    { given: 'x = [[a', expect: '<string> at EOF:   unterminated multiline string\n' },
    { given: 'x = 0x', expect: "<string> line:1(column:6) near '0x':   illegal hexadecimal number\n" },
    { given: 'x = $', expect: "<string> line:1(column:5) near '$':   Invalid token\n" },
    { given: 'x ~ y', expect: "<string> line:1(column:3) near '~':   Invalid '~' token\n" },
    { given: 'do goto x end', expect: /goto and labels are not supported: scripts run in Lua 5\.1/ },
    { given: '::x::', expect: /goto and labels are not supported/ },
    { given: 'break', expect: 'compile error near line(1) <string>: no loop to break' },
    {
      given: '\nfunction f() return ... end',
      expect: "compile error near line(2) <string>: cannot use '...' outside a vararg function",
    },
    { given: `x=${'('.repeat(100_000)}`, expect: /chunk has too many syntax levels/ },
  ];
  for (const { given, expect } of table) t.match(luaSyntaxError(given), expect, given.slice(0, 60));
});
