import t from 'tap';
import { readYaml } from '../../../lib/yaml/read-yaml.js';

const errorOf = (text: string, limits = {}): string => {
  const read = readYaml(text, limits);
  return read.type === 'error' ? read.text : 'none';
};

t.test('the depth is limited', async t => {
  const forms: Readonly<Record<string, (levels: number) => string>> = {
    'flow lists': n => '['.repeat(n) + ']'.repeat(n),
    'flow maps': n => '{a: '.repeat(n) + '}'.repeat(n),
    'block lists': n => `${'- '.repeat(n)}x`,
    'block maps': n => Array.from({ length: n }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    pairs: n => '[a: '.repeat(n / 2) + ']'.repeat(n / 2),
  };
  for (const [name, form] of Object.entries(forms)) {
    t.equal(errorOf(form(300)), 'none', name);
    for (const levels of [302, 3000])
      t.match(errorOf(form(levels)), /^yaml: line \d+: exceeded max depth of 300$/, `${levels} ${name}`);
  }
  const halves = `a: &a ${'['.repeat(200)}${']'.repeat(200)}\nb: ${'['.repeat(200)}*a${']'.repeat(200)}`;
  t.equal(errorOf(halves), 'yaml: exceeded max depth of 300', 'the depth of an aliased value counts');
  const shallow = `a: &a ${'['.repeat(200)}${']'.repeat(200)}\nb: ${'['.repeat(90)}*a${']'.repeat(90)}`;
  t.equal(errorOf(shallow), 'none');
});

t.test('excessive aliasing is refused', async t => {
  const lists = [`a0: &a0 [${'x,'.repeat(9)}]`];
  for (let i = 1; i < 20; i++) lists.push(`a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]`);
  t.match(errorOf(lists.join('\n')), /^yaml: (?:document contains excessive aliasing|exceeded max number)/);
  const merged = ['a0: &a0 {k: x}'];
  for (let i = 1; i < 40; i++) merged.push(`a${i}: &a${i} {p: *a${i - 1}, q: *a${i - 1}}`);
  t.match(errorOf(merged.join('\n')), /^yaml: (?:document contains excessive aliasing|exceeded max number)/);
  const text = `a: &a ${'x'.repeat(100_000)}\nb: [${'*a,'.repeat(100)}]`;
  t.equal(errorOf(text), 'yaml: document contains excessive aliasing', 'an alias of a long text');
  t.equal(errorOf(`a: &a ${'x'.repeat(100)}\nb: [${'*a,'.repeat(50)}]`), 'none');
  t.equal(errorOf('a: &a [*a]'), "yaml: anchor 'a' value contains itself");
  t.same(readYaml('- &a 1\n- *a\n- &a 2\n- *a\n'), { type: 'value', value: [1, 1, 2, 2], repeated: [] });
});

t.test('the number of nodes is limited', async t => {
  t.equal(errorOf('[1, 2, 3]', { nodes: 4 }), 'none');
  t.equal(errorOf('[1, 2, 3]', { nodes: 3 }), 'yaml: exceeded max number of nodes of 3');
});

t.test('only the first document is read', async t => {
  const rows: Readonly<Record<string, unknown>> = {
    '': null,
    '# nothing\n': null,
    '---\n': null,
    '---\n---\na: 1\n': null,
    '--- 5\n': 5,
    '...\na: 1\n': { a: 1 },
    'a: 1\n...\n@\n': { a: 1 },
    'a: 1\n---\nb: [\n': { a: 1 },
    '%YAML 1.1\n---\na: 1\n': { a: 1 },
    '%TAG !s! tag:yaml.org,2002:\n--- !s!str 5\n': '5',
  };
  for (const [given, value] of Object.entries(rows))
    t.same(readYaml(given), { type: 'value', value, repeated: [] }, given);
  t.equal(errorOf('%YAML 1.2\n---\n'), 'yaml: line 1: found incompatible YAML document');
  t.equal(errorOf('%FOO\n---\n'), 'yaml: line 1: found unknown directive name');
  t.equal(errorOf('%YAML 1.1\na: 1\n'), 'yaml: line 1: did not find expected <document start>');
});

/** Returns the text in ASCII, since some of the characters would end a line of the test report. */
const nameOf = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '.');

t.test('control characters are refused, all other characters are read', async t => {
  const rows: Readonly<Record<string, unknown>> = {
    '\ufeffa: 1': { a: 1 },
    '\ufeff{"a": 1}': { a: 1 },
    'a: é😀\r\nb: |\r\n  x\r\n  y\r\n': { a: 'é😀', b: 'x\ny\n' },
    'a: 1\rb: 2\r': { a: 1, b: 2 },
    'a: x\u2028b: 2': { a: 'x', b: 2 },
    'a: "x\u0085y"': { a: 'x y' },
    'é: 1\n"\\U0001F600": 2': { é: 1, '😀': 2 },
    'a: \ufffd': { a: '\ufffd' },
    '__proto__: {a: 1}\nconstructor: 2': JSON.parse('{"__proto__":{"a":1},"constructor":2}') as unknown,
  };
  for (const [given, value] of Object.entries(rows)) {
    const read = readYaml(given);
    t.equal(JSON.stringify(read), JSON.stringify({ type: 'value', value, repeated: [] }), nameOf(given));
  }
  for (const given of ['a: \0', '\0', 'a: "\x07"', '# \x1b', 'a: \x7f', '\ud800'])
    t.equal(errorOf(given), 'yaml: control characters are not allowed', nameOf(given));
  t.equal(
    errorOf(`a: ${Buffer.from([0xc3, 0x28]).toString()}`),
    'none',
    'bytes that are not UTF-8 are replaced, as in JSON',
  );
});

t.test('repeated keys are reported up to a limit', async t => {
  const read = readYaml('k: v\n'.repeat(1000));
  t.equal(read.type === 'value' && read.repeated.length, 100);
});
