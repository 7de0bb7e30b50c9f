import t from 'tap';
import { goQuote } from '../../../lib/go/go-text.js';
import { compareKeys, writeYaml } from '../../../lib/yaml/write-yaml.js';
import { readYaml } from '../../../lib/yaml/read-yaml.js';

const value = (text: string): unknown => {
  const parsed = readYaml(text);
  return parsed.type === 'value' ? parsed.value : parsed;
};

t.test('scalars are read as by Go', async t => {
  const rows: Readonly<Record<string, unknown>> = {
    'a: 0644': 420,
    'a: 0x10': 16,
    'a: yes': true,
    'a: "yes"': 'yes',
    'a: off': false,
    'a: ~': null,
    'a: 2020-01-01': '2020-01-01',
    'a: 2020-01-01T00:00:00Z': '2020-01-01T00:00:00Z',
    'a: 1:30': '1:30',
    'a: 1e3': 1000,
    'a: 1_000': 1000,
    'a: 1.5': 1.5,
    'a: 9007199254740993': 9007199254740993n,
    'a: -9223372036854775808': -9223372036854775808n,
    'a: 0x7fffffffffffffff': 9223372036854775807n,
    'a: 18446744073709551615': 18446744073709551615n,
    'a: 18446744073709551616': 18446744073709552000,
    'a: 1e400': '1e400',
    'a: |\n  x\n  y\n': 'x\ny\n',
  };
  for (const [given, expect] of Object.entries(rows)) t.same(value(given), { a: expect }, given);
  t.same(value('.: 1\n-.: 2\na: .5'), { '.': 1, '-.': 2, a: 0.5 }, 'a dot is not a number');
  t.same(value('5: x\ntrue: z'), { '5': 'x', true: 'z' }, 'keys become strings');
  t.same(value('a: &x {q: 1}\nb:\n  <<: *x\n  z: 2\n'), { a: { q: 1 }, b: { q: 1, z: 2 } }, 'maps are merged');
  t.same(value('a: 1\n---\nb: 2\n'), { a: 1 }, 'only the first document is read');
  t.same(value(''), null);
});

t.test('of repeated keys the last counts, and they are reported', async t => {
  const rows: readonly { readonly given: string; readonly expect: readonly (readonly [string, number])[] }[] = [
    { given: 'data:\n  k: "1"\n  k: "2"\n', expect: [['"k"', 3]] },
    {
      given: 'a: {x: 1, x: 2}\na: {y: 1}\n',
      expect: [
        ['"x"', 1],
        ['"a"', 2],
      ],
    },
    {
      given: 'a:\n  x: 1\n  x: 2\nb: 1\na:\n  z: 1\n  z: 2\n',
      expect: [
        ['"x"', 3],
        ['"z"', 7],
        ['"a"', 6],
      ],
    },
    {
      given: 'a:\n- b: 1\n  b: 2\n- c: 1\na:\n- 1\n',
      expect: [
        ['"b"', 3],
        ['"a"', 6],
      ],
    },
    { given: 'a: 1\na:\nb: 1\n', expect: [['"a"', 2]] },
    {
      given: '1: x\n1: y\ntrue: x\nyes: y\n',
      expect: [
        ['1', 2],
        ['true', 4],
      ],
    },
    { given: '1: x\n"1": y\n', expect: [] },
  ];
  for (const { given, expect } of rows) {
    const parsed = readYaml(given);
    t.same(
      parsed.type === 'value' &&
        parsed.repeated.map(({ key, line }) => [typeof key === 'string' ? goQuote(key) : String(key), line]),
      expect,
      given,
    );
  }
  t.same(value('data:\n  k: "1"\n  k: "2"\n'), { data: { k: '2' } });
});

t.test('invalid YAML is refused', async t => {
  const rows: Readonly<Record<string, string>> = {
    'a: b: c': 'yaml: line 1: mapping values are not allowed in this context',
    'a: [': 'yaml: line 1: did not find expected node content',
    'a: "x': 'yaml: line 1: found unexpected end of stream',
    'a: @x': 'yaml: line 1: found character that cannot start any token',
    'a: *x': "yaml: unknown anchor 'x' referenced",
  };
  for (const [given, text] of Object.entries(rows)) t.same(readYaml(given), { type: 'error', text }, given);
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 9; i++)
    bomb.push(
      `${'abcdefghi'[i]}: &${'abcdefghi'[i]} [${Array(9)
        .fill(`*${'abcdefghi'[i - 1]}`)
        .join()}]`,
    );
  t.match(readYaml(bomb.join('\n')), { type: 'error', text: /^yaml: / }, 'nested aliases are refused');
});

// Dates are not read back, since tap changes how the yaml package parses them.
t.test('values are written as by sigs.k8s.io/yaml', async t => {
  const rows: readonly { readonly given: unknown; readonly expect: string }[] = [
    {
      given: { b: 'yes', a: ['x', { q: 1, r: [] }, [1, [2]]], e: {}, f: null, g: '', h: true, i: { j: { k: 1.5 } } },
      expect: `a:\n- x\n- q: 1\n  r: []\n- - 1\n  - - 2\nb: "yes"\ne: {}\nf: null\ng: ""\nh: true\ni:\n  j:\n    k: 1.5\n`,
    },
    {
      given: { a: 'multi\nline\n', b: 'x\ny', c: 'x\n\n', d: ' x\n' },
      expect: 'a: |\n  multi\n  line\nb: |-\n  x\n  y\nc: |+\n  x\n\nd: |2\n   x\n',
    },
    { given: { a: 'x \ny', b: 'x\ty\nz', c: 'a\nb ' }, expect: 'a: "x \\ny"\nb: "x\\ty\\nz"\nc: "a\\nb "\n' },
    {
      given: {
        a: 'a: b',
        b: '# x',
        c: '- x',
        d: "it's",
        e: "'q'",
        f: '*',
        g: 'x #y',
        h: 'x:',
        i: ' x',
        j: '@x',
        k: '%',
      },
      expect: `a: 'a: b'\nb: '# x'\nc: '- x'\nd: it's\ne: '''q'''\nf: '*'\ng: 'x #y'\nh: 'x:'\ni: ' x'\nj: '@x'\nk: '%'\n`,
    },
    {
      given: {
        a: '5',
        b: '0644',
        c: '1e3',
        d: '1:30',
        e: '2026-01-01T00:00:00Z',
        f: '~',
        g: 'off',
        h: '0x1f',
        i: '.5',
        j: '1_0',
      },
      expect: `a: "5"\nb: "0644"\nc: "1e3"\nd: "1:30"\ne: "2026-01-01T00:00:00Z"\nf: "~"\ng: "off"\nh: "0x1f"\ni: ".5"\nj: "1_0"\n`,
    },
    {
      given: {
        a: '1.2.3',
        b: 'v1',
        c: 'f:data',
        d: '-x',
        e: '10.0.0.1/8',
        f: 'a-b_c',
        g: '1m',
        h: 'ä',
        i: 'a,b',
        j: '1:x',
      },
      expect: 'a: 1.2.3\nb: v1\nc: f:data\nd: -x\ne: 10.0.0.1/8\nf: a-b_c\ng: 1m\nh: ä\ni: a,b\nj: 1:x\n',
    },
    {
      given: { a: '\u0001', b: 'x\ty', c: '😀', d: '\u00a0' },
      expect: 'a: "\\x01"\nb: "x\\ty"\nc: "\\U0001F600"\nd: \u00a0\n',
    },
    {
      given: { 'k:{"name":"c"}': 1, '.': {}, 'a b': 1, true: 1, '1': 1 },
      expect: '.: {}\n"1": 1\na b: 1\nk:{"name":"c"}: 1\n"true": 1\n',
    },
    {
      given: { a: 1234567.5, b: 1e21, c: 0.00001, d: -3, e: 9007199254740991 },
      expect: 'a: 1.2345675e+06\nb: 1e+21\nc: 1e-05\nd: -3\ne: 9007199254740991\n',
    },
    {
      given: { m: `${'word '.repeat(17)}end of it`, q: [`it is: ${'word '.repeat(16)}end`] },
      expect: `m: ${'word '.repeat(15)}word\n  word end of it\nq:\n- 'it is: ${'word '.repeat(14)}word\n  word end'\n`,
    },
    { given: {}, expect: '{}\n' },
    { given: { x: undefined, z: 1 }, expect: 'z: 1\n' },
  ];
  for (const { given, expect } of rows) {
    t.equal(writeYaml(given), expect);
    if (!expect.includes('2026')) t.same(value(expect), JSON.parse(JSON.stringify(given)), 'is read back unchanged');
  }
});

t.test('keys are sorted with letters last and numbers by their value', async t => {
  const keys = ['a10', 'a2', 'b', 'B', '.', '1', '10', '2', 'a', 'ab', 'a.b', 'a/b', 'f:x', 'k:{"a":1}', 'a02', 'a002'];
  t.same([...keys].sort(compareKeys), [
    '.',
    '1',
    '2',
    '10',
    'B',
    'a',
    'a.b',
    'a/b',
    'a2',
    'a02',
    'a002',
    'a10',
    'ab',
    'b',
    'f:x',
    'k:{"a":1}',
  ]);
});

t.test('long numbers are written as Go writes them', async t => {
  const rows: readonly (readonly [unknown, string])[] = [
    [9007199254740993n, '9007199254740993'],
    [-9223372036854775808n, '-9223372036854775808'],
    [1e18, '1000000000000000000'],
    [2 ** 63, '9223372036854776000'],
    [1e20, '1e+20'],
    [-1e19, '-1e+19'],
  ];
  for (const [given, expect] of rows) t.equal(writeYaml({ a: given }), `a: ${expect}\n`);
});
