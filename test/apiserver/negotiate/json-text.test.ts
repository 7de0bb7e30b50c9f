import t from 'tap';
import { duplicateFields, parseJson } from '../../../apiserver/negotiate/json-text.js';

t.test('faults in the words of encoding/json', async t => {
  const rows: Readonly<Record<string, string>> = {
    '': 'unexpected end of JSON input',
    '{': 'unexpected end of JSON input',
    '{"a"': 'unexpected end of JSON input',
    '{"a":': 'unexpected end of JSON input',
    '"abc': 'unexpected end of JSON input',
    tru: 'unexpected end of JSON input',
    x: "invalid character 'x' looking for beginning of value",
    '{} x': "invalid character 'x' after top-level value",
    '{a:1}': "invalid character 'a' looking for beginning of object key string",
    '{"a" 1}': "invalid character '1' after object key",
    '{"a":1 "b"}': `invalid character '"' after object key:value pair`,
    '{"a":1,}': "invalid character '}' looking for beginning of object key string",
    '[1 2]': "invalid character '2' after array element",
    '[1,]': "invalid character ']' looking for beginning of value",
    '"a\nb"': "invalid character '\\n' in string literal",
    '"\\x"': "invalid character 'x' in string escape code",
    '"\\u12x4"': "invalid character 'x' in \\u hexadecimal character escape",
    trux: "invalid character 'x' in literal true (expecting 'e')",
    '-x': "invalid character 'x' in numeric literal",
    '1.x': "invalid character 'x' after decimal point in numeric literal",
    '1ex': "invalid character 'x' in exponent of numeric literal",
    '01': "invalid character '1' after top-level value",
    "{'a':1}": "invalid character '\\'' looking for beginning of object key string",
  };
  for (const [given, text] of Object.entries(rows)) t.same(parseJson(given), { type: 'error', text }, given);
  t.match(parseJson('['.repeat(200_000)), { type: 'error' }, 'deep nesting is an answer, not a crash');
  t.same(parseJson('{"a":[1,{"b":null}]}'), { type: 'value', value: { a: [1, { b: null }] } });
});

t.test('fields that are given twice', async t => {
  const twice = (text: string) => duplicateFields(text, JSON.parse(text));
  t.same(twice('{"a":1,"b":{"a":2}}'), []);
  t.same(twice('{"a":"x:y","b:c":1}'), [], 'colons in strings are no fields');
  t.same(twice('{"metadata":{"labels":{"x":"1","x":"2"}},"data":{"k":"1","k":"2"},"data":{"z":"3"}}'), [
    'metadata.labels.x',
    'data.k',
    'data',
  ]);
  t.same(twice('{"l":[{"a":1},{"a":1,"a":2}],"q":{"\\u0061":1,"a":2}}'), ['l[1].a', 'q.a']);
  t.same(twice('{"a":1,"a":2,"a":3}'), ['a'], 'each is named once');
  const many = `{${Array.from({ length: 150 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',')}}`;
  t.equal(twice(many).length, 100, 'and not more than a hundred');
});
