import t from 'tap';
import { compile } from '../../../openapi/cel/environment.js';
import * as types from '../../../lib/cel/types.js';
import { cpuCost } from '../../cpu-cost.js';

const fields: Record<string, types.Type> = { n: types.int, s: types.string, l: types.list(types.string) };
const object: types.Type = { kind: 'object', name: 'Thing', field: name => fields[name] };
const variables = new Map([
  ['self', object],
  ['d', types.dyn],
]);

/** Returns the compile errors without the lines that show their position. */
function issues(expression: string): string[] {
  const compiled = compile(expression, variables);
  if ('instantiation' in compiled) return [compiled.instantiation];
  if (!('issues' in compiled)) return [];
  return compiled.issues
    .split('\n')
    .filter(line => line.startsWith('ERROR: <input>:'))
    .map(line => line.slice(15));
}

const operands = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const cases: { given: string; expect: string[] }[] = [
  { given: 'self.n > 1 && self.s.startsWith("a") && self.l.exists(x, x == "b")', expect: [] },
  { given: 'self.nope', expect: ["1:5: undefined field 'nope'"] },
  { given: 'nope + 1', expect: ["1:1: undeclared reference to 'nope' (in container '')"] },
  { given: 'nope(1)', expect: ["1:5: undeclared reference to 'nope' (in container '')"] },
  { given: 'self.n == "a"', expect: ["1:8: found no matching overload for '_==_' applied to '(int, string)'"] },
  {
    given: 'self.s.startsWith(1)',
    expect: ["1:18: found no matching overload for 'startsWith' applied to 'string.(int)'"],
  },
  { given: 'size()', expect: ["1:5: found no matching overload for 'size' applied to '()'"] },
  { given: 'self.n.x', expect: ["1:7: type 'int' does not support field selection"] },
  { given: 'self.n && true', expect: ["1:5: expected type 'bool' but found 'int'"] },
  {
    given: 'self.n.all(x, true)',
    expect: ["1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
  },
  { given: 'self.l.all(x, x)', expect: ["1:15: expected type 'bool' but found 'string'"] },
  { given: '[1, "a"]', expect: ["1:5: expected type 'int' but found 'string'"] },
  { given: '{"a": 1, "b": "c"}', expect: ["1:15: expected type 'int' but found 'string'"] },
  {
    given: '"%d".format(["a"])',
    expect: ['1:14: error during formatting: decimal clause can only be used on integers, was given string'],
  },
  {
    given: '"%s".format(["a", 1])',
    expect: ['1:12: too many arguments supplied to string.format (expected 1, got 2)'],
  },
  { given: '"%s %s".format(["a"])', expect: ['1:15: index 1 out of range'] },
  { given: 'duration("x")', expect: ['1:10: invalid duration argument'] },
  { given: 'timestamp("2024")', expect: ['1:11: invalid timestamp argument'] },
  { given: '"a".matches("(")', expect: ['1:13: invalid matches argument'] },
  { given: '"a".find("(") == ""', expect: ['error parsing regexp: missing closing ): `(`'] },
  { given: 'int("a") == 1', expect: ["type conversion error from 'string' to 'int'"] },
  { given: 'has(self)', expect: ['1:5: invalid argument to has() macro'] },
  { given: 'self.l.all(x.y, true)', expect: ['1:13: argument must be a simple name'] },
  { given: 'self.l.map(1, true)', expect: ['1:12: argument is not an identifier'] },
  { given: 'Thing{a: 1}', expect: ["1:6: undeclared reference to 'Thing' (in container '')"] },
  { given: 'for', expect: ['1:1: reserved identifier: for'] },
  { given: 'self.true', expect: ["1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER"] },
  { given: 'self.in', expect: ["1:6: Syntax error: mismatched input 'in' expecting IDENTIFIER"] },
  { given: 'self."a"', expect: [`1:6: Syntax error: no viable alternative at input '."a"'`] },
  {
    given: '1 +',
    expect: [`1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', ${operands}`],
  },
  {
    given: '[',
    expect: [
      `1:2: Syntax error: mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', ${operands}`,
    ],
  },
  {
    given: '* 1',
    expect: [`1:1: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', ${operands}`],
  },
  { given: '1 2', expect: ["1:3: Syntax error: extraneous input '2' expecting <EOF>"] },
  {
    given: '1 = 2',
    expect: [
      "1:3: Syntax error: token recognition error at: '= '",
      "1:5: Syntax error: extraneous input '2' expecting <EOF>",
    ],
  },
  {
    given: '"\\q"',
    expect: [
      `1:1: Syntax error: token recognition error at: '"\\q'`,
      `1:4: Syntax error: token recognition error at: '"'`,
      `1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', ${operands}`,
    ],
  },
  { given: '9223372036854775808', expect: ['1:1: invalid int literal'] },
  { given: '"\\ud800"', expect: ['1:1: invalid unicode code point'] },
  { given: `${'('.repeat(251)}1${')'.repeat(251)}`, expect: ['-1:0: expression recursion limit exceeded: 250'] },
  { given: `1${'+1'.repeat(251)} == 0`, expect: ['-1:0: max recursion depth exceeded'] },
  { given: `${'d.s == '.repeat(249)}d.s`, expect: [] },
  { given: `${'d.s == '.repeat(250)}d.s`, expect: ['-1:0: max recursion depth exceeded'] },
  {
    given: `'${'a'.repeat(100_000)}'`,
    expect: ['1:1: expression code point size exceeds limit: size: 100002, limit 100000'],
  },
  { given: `${'true || '.repeat(2000)} false`, expect: [] },
  { given: 'd.a.b[0].c == 1 && d.x(1)', expect: ["1:23: undeclared reference to 'x' (in container '')"] },
  { given: 'self.l[0].size() == d', expect: [] },
  { given: '(d ? 1 : d) == "a" && [d, d][0] == 1', expect: [] },
];

t.test('invalid expressions are reported as cel-go does', async t => {
  for (const { given, expect } of cases) t.same(issues(given), expect, given.slice(0, 60));
});

t.test('an error shows its position in the expression', async t => {
  const compiled = compile("self.s == 'x' &&\n  self.é", variables);
  t.match(compiled, {
    issues: /^ERROR: <input>:2:8: Syntax error: token recognition error at: 'é'\n \| {3}self\.é\n \| \.{7}\uff3e\n/,
  });
});

t.test('a long list of errors is truncated', async t => {
  const compiled = compile('@'.repeat(5000), variables);
  const lines = 'issues' in compiled ? compiled.issues.split('\n') : [];
  t.equal(lines.filter(line => line.startsWith('ERROR')).length, 100);
  t.equal(lines.at(-1), '2 more errors were truncated');
});

t.test('expressions have their declared types', async t => {
  const table: Record<string, string> = {
    '1': 'int',
    '[self.s]': 'list(string)',
    '{self.s: 1.0}': 'map(string, double)',
    'self.?n': 'optional_type(int)',
    'self.l.map(x, size(x))': 'list(int)',
    'self.l[?0].orValue("")': 'string',
    'd.x': 'dyn',
    'd ? 1 : 2u': 'dyn',
    'type(1)': 'type(int)',
    'cel.bind(v, self.n, [v])': 'list(int)',
    'quantity("1")': 'kubernetes.Quantity',
    '[]': 'list(dyn)',
  };
  for (const [given, expect] of Object.entries(table)) {
    const compiled = compile(given, variables);
    if (given === 'd ? 1 : 2u') t.ok('issues' in compiled, given);
    else t.equal('type' in compiled ? types.typeText(compiled.type) : compiled, expect, given);
  }
  const compiled = compile('self.l.all(x, x == d)', variables);
  t.same('references' in compiled ? [...compiled.references] : [], ['self', 'd']);
});

const times = (text: string, count: number, between = ''): string =>
  Array.from({ length: count }, () => text).join(between);

/** Nests an expression `levels` deep. */
function nested(levels: number, last: string, step: (inner: string, level: number) => string): string {
  let out = last;
  for (let level = levels; level > 0; level--) out = step(out, level);
  return out;
}

t.test('no expression takes long to compile', async t => {
  const sources = {
    'chains of or': times('d.s', 20_000, '||'),
    'chains of plus': times('1', 40_000, '+'),
    'chains of fields': `d${times('.a', 45_000)}`,
    'long lists': `[${times('d', 45_000, ',')}] == d`,
    'many lists': `[${times('[]', 30_000, ',')}] == d`,
    equalities: times('d==d', 12_000, '||'),
    brackets: times('(', 49_000) + times(')', 49_000),
    'many nots': `${times('!', 90_000)}true`,
    'optMap in a row': `optional.of(1)${times('.optMap(y, y)', 200)}.hasValue()`,
    'macros in macros': nested(120, 'y1', (inner, level) => `[1].map(y${level}, ${inner})`),
    'types that double': nested(
      40,
      'a40',
      (inner, i) => `cel.bind(a${i}, {a${i - 1}: a${i - 1}}, ${inner})`,
    ).replaceAll('a0', '1'),
    'many patterns': Array.from({ length: 900 }, (_, i) => `d.matches("(a?){400}b${i}")`).join('||'),
    'long texts': `"${times('a', 90_000)}" == d`,
    escapes: `"${times('\\n', 45_000)}" == d`,
    'texts that go wrong': times('"a\\q', 20_000),
    'no tokens': times('#', 90_000),
    'undeclared names': `[${times('y', 4000, ',')}]`,
    'three MiB': times('d', 3 * 1024 * 1024),
    'many scopes': nested(100, `[${times('d', 4000, ',')}].size()`, (inner, i) => `cel.bind(b${i}, 1, ${inner})`),
  };
  compile(sources.brackets, variables);
  for (const [name, source] of Object.entries(sources)) {
    const ms = await cpuCost(400, () => {
      const compiled = compile(source, variables);
      if ('estimate' in compiled) compiled.estimate(() => undefined);
      const { length } = 'issues' in compiled ? compiled.issues : '';
      t.ok(length < 3_000_000, `${name}: ${length} characters`);
    });
    t.ok(ms < 400, `${name}: ${ms} ms`);
  }
  t.match(compile(sources['long lists'], variables), { issues: 'expression has more than 10000 tokens' });
  t.match(compile(sources['types that double'], variables), { issues: 'the types of the expression are too large' });
  t.match(compile(sources['many patterns'], variables), {
    issues: 'the regular expressions of the expression are too large',
  });
});
