import t from 'tap';
import { parseYaml, writeYaml } from '../../../apiserver/negotiate/yaml.js';

const value = (text: string): unknown => {
  const parsed = parseYaml(text);
  return parsed.type === 'value' ? parsed.value : parsed;
};

t.test('scalars as Go reads them', async t => {
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
    'a: |\n  x\n  y\n': 'x\ny\n',
  };
  for (const [given, expect] of Object.entries(rows)) t.same(value(given), { a: expect }, given);
  t.same(value('5: x\ntrue: z'), { '5': 'x', true: 'z' }, 'keys become strings');
  t.same(value('a: &x {q: 1}\nb:\n  <<: *x\n  z: 2\n'), { a: { q: 1 }, b: { q: 1, z: 2 } }, 'maps are merged');
  t.same(value('a: 1\n---\nb: 2\n'), { a: 1 }, 'the first document counts');
  t.same(value(''), null);
});

t.test('keys that are given twice: the last counts, and they are told', async t => {
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
    const parsed = parseYaml(given);
    t.same(parsed.type === 'value' && parsed.duplicates.map(({ key, line }) => [key, line]), expect, given);
  }
  t.same(value('data:\n  k: "1"\n  k: "2"\n'), { data: { k: '2' } });
});

t.test('what cannot be read', async t => {
  const rows: Readonly<Record<string, string>> = {
    'a: b: c': 'yaml: line 1: mapping values are not allowed in this context',
    'a: [': 'yaml: line 1: did not find expected node content',
    'a: "x': 'yaml: line 1: found unexpected end of stream',
    'a: @x': 'yaml: line 1: found character that cannot start any token',
    'a: *x': "yaml: unknown anchor 'x' referenced",
  };
  for (const [given, text] of Object.entries(rows)) t.same(parseYaml(given), { type: 'error', text }, given);
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 9; i++)
    bomb.push(
      `${'abcdefghi'[i]}: &${'abcdefghi'[i]} [${Array(9)
        .fill(`*${'abcdefghi'[i - 1]}`)
        .join()}]`,
    );
  t.match(parseYaml(bomb.join('\n')), { type: 'error', text: /^yaml: / }, 'aliases that multiply are refused');
});

// Dates are not among these: tap itself changes how the yaml package takes them.
t.test('writing', async t => {
  const text = writeYaml({
    b: 'yes',
    a: ['x', { q: 1 }],
    d: 'multi\nline\n',
    e: '0644',
    f: null,
    g: '',
  });
  t.equal(text, 'a:\n- x\n- q: 1\nb: "yes"\nd: |\n  multi\n  line\ne: "0644"\nf: null\ng: ""\n');
  const odd = { a: 'null', b: 'on', c: '~', d: '1:30', e: 'a: b', f: '# x', g: '1e3', h: ' x', i: 'y', j: '- x' };
  t.same(value(writeYaml(odd)), odd, 'strings stay strings');
});
