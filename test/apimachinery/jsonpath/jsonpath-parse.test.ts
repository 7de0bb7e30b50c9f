import t from 'tap';
import { JsonPathError, parseTemplate } from '../../../apimachinery/jsonpath/jsonpath-parse.js';

const action = (text: string): unknown => {
  const [node] = parseTemplate(text);
  return node?.type === 'list' ? node.nodes : node;
};
const field = (name: string) => ({ type: 'field', name });
const known = (value: number) => ({ known: true, value, derived: false });
const unknown = { known: false, value: 0, derived: false };

t.test('text around actions is kept', async t => {
  t.strictSame(parseTemplate('a{.b}c'), [
    { type: 'text', text: 'a' },
    { type: 'list', nodes: [{ type: 'field', name: 'b' }] },
    { type: 'text', text: 'c' },
  ]);
  t.strictSame(parseTemplate(''), []);
  t.strictSame(parseTemplate('plain } text'), [{ type: 'text', text: 'plain } text' }]);
});

const paths = [
  { given: '{}', expect: [] },
  { given: '{$.a}', expect: [{ type: 'field', name: 'a' }] },
  { given: '{ @ }', expect: [] },
  { given: String.raw`{.a\.b/c}`, expect: [{ type: 'field', name: 'a.b/c' }] },
  { given: String.raw`{['a\.b']}`, expect: [{ type: 'field', name: 'a.b' }] },
  // As kubectl does: a dot inside of quotes separates fields, too.
  { given: "{['a.b']}", expect: [field('a'), field('b')] },
  { given: '{.*}', expect: [{ type: 'wildcard' }] },
  { given: '{..a}', expect: [{ type: 'recursive' }, { type: 'field', name: 'a' }] },
  { given: '{[*]}', expect: [{ type: 'slice', bounds: [unknown, unknown, unknown] }] },
  { given: '{[2]}', expect: [{ type: 'slice', bounds: [known(2), { ...known(3), derived: true }, unknown] }] },
  { given: '{[-1:]}', expect: [{ type: 'slice', bounds: [known(-1), unknown, unknown] }] },
  { given: '{[:4:2]}', expect: [{ type: 'slice', bounds: [unknown, known(4), known(2)] }] },
  { given: '{"a\\n\\""}', expect: [{ type: 'text', text: 'a\n"' }] },
  { given: "{'\\u0041\\x42\\103'}", expect: [{ type: 'text', text: 'ABC' }] },
  { given: '{12}', expect: [{ type: 'literal', value: 12 }] },
  { given: '{-1.5}', expect: [{ type: 'literal', value: -1.5 }] },
  { given: '{true}', expect: [{ type: 'literal', value: true }] },
  { given: '{range}', expect: [{ type: 'word', name: 'range' }] },
];

t.test('paths', async t => {
  for (const { given, expect } of paths) t.strictSame(action(given), expect, given);
});

t.test('a union has a list per part', async t => {
  t.match(action("{['a', 'b']}"), [
    {
      type: 'union',
      parts: [{ nodes: [{ type: 'field', name: 'a' }] }, { nodes: [{ type: 'field', name: 'b' }] }],
    },
  ]);
});

t.test('filters', async t => {
  const list = (...nodes: readonly unknown[]) => ({ type: 'list', nodes });
  const text = (text: string) => ({ type: 'text', text });
  t.strictSame(action('{[?(@.a)]}'), [{ type: 'filter', left: list(field('a')), right: list(), operator: 'exists' }]);
  t.strictSame(action('{[?(@.a=="x)")].b}'), [
    { type: 'filter', left: list(field('a')), right: list(text('x)')), operator: '==' },
    field('b'),
  ]);
  t.match(action('{[?(@.n>=3)]}'), [{ operator: '>=', right: list({ type: 'literal', value: 3 }) }]);
});

const refused = [
  { given: '{', expect: 'unclosed action' },
  { given: '{.a', expect: 'unclosed action' },
  { given: '{.a\n}', expect: 'unclosed action' },
  { given: '{[1}', expect: 'unterminated array' },
  { given: '{[1.5]}', expect: 'invalid array index 1.5' },
  { given: '{[-]}', expect: 'array index - is not a number' },
  { given: '{"a}', expect: 'unterminated quoted string' },
  { given: '{"\\q"}', expect: 'unquote string "\\q" error invalid syntax' },
  { given: '{[?(@.a]}', expect: 'unterminated filter' },
  { given: '{[?(@.a)}', expect: 'unclosed array expect ]' },
  { given: '{#}', expect: "unrecognized character in action: U+0023 '#'" },
  { given: '{....a}', expect: 'invalid multiple recursive descent' },
  { given: '{1.2.3}', expect: 'cannot parse number 1.2.3' },
];

t.test('templates that cannot be parsed are refused with the text of kubectl', async t => {
  for (const { given, expect } of refused) t.throws(() => parseTemplate(given), new JsonPathError(expect), given);
});
