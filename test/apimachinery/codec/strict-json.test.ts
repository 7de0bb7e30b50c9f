import t from 'tap';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { ObjectNode, parseStrict, valueOf } from '../../../apimachinery/codec/strict-json.js';
import { maxDepth } from '../../../lib/json/depth.js';
import { Literal } from '../../../lib/json/literal.js';

const refused = [
  { given: '{"a" 1}', expect: "invalid character '1' after object key" },
  { given: '{"a":1 "b":2}', expect: `invalid character '"' after object key:value pair` },
  { given: '{"a":1,}', expect: "invalid character '}' looking for beginning of object key string" },
  { given: '[1 2]', expect: "invalid character '2' after array element" },
  { given: '"\\x"', expect: "invalid character 'x' in string escape code" },
  { given: '-a', expect: "invalid character 'a' in numeric literal" },
  { given: '01', expect: "invalid character '1' after top-level value" },
  { given: '1.', expect: 'unexpected end of JSON input' },
  { given: '1.e3', expect: "invalid character 'e' after decimal point in numeric literal" },
  { given: '1e+x', expect: "invalid character 'x' in exponent of numeric literal" },
  { given: '{"a":', expect: 'unexpected end of JSON input' },
  { given: "'a'", expect: String.raw`invalid character '\'' looking for beginning of value` },
  { given: '  ', expect: 'unexpected end of JSON input' },
];

t.test('syntax errors name the character and what was expected', async t => {
  for (const { given, expect } of refused) t.throws(() => parseStrict(given), new DecodeError(expect), given);
});

t.test('an error shows the first byte of a character', async t => {
  const text = '{"a":é}';
  t.throws(() => parseStrict(text), { message: "invalid character 'Ã' looking for beginning of value" });
  const bytes = Buffer.from(text).toString('latin1');
  t.throws(() => parseStrict(bytes, { isLatin1: true }), {
    message: "invalid character 'Ã' looking for beginning of value",
  });
});

t.test('the depth is limited', async t => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  t.doesNotThrow(() => parseStrict(nested(maxDepth)));
  t.throws(() => parseStrict(nested(maxDepth + 1)), { message: "invalid character '[' exceeded max depth" });
});

t.test('objects keep all their entries, and numbers their notation', async t => {
  const node = parseStrict(' { "a" : 1.0 , "b" : [ ] , "a" : { } } ');
  t.type(node, ObjectNode);
  const { entries } = node as ObjectNode;
  t.strictSame(
    entries.map(([name]) => name),
    ['a', 'b', 'a'],
  );
  t.strictSame(entries[0]?.[1], new Literal('1.0'));
  t.strictSame(entries[1]?.[1], []);
  t.strictSame(entries[2]?.[1], new ObjectNode([]));
});

t.test('strings whose escapes are not those of Go are kept if that is asked for', async t => {
  t.strictSame(parseStrict('"\\u0041\\/"'), 'A/');
  t.strictSame(parseStrict('"\\u0041"', { keepsTexts: true }), new Literal('"\\u0041"'));
  t.strictSame(parseStrict('"A"', { keepsTexts: true }), 'A');
});

const text: Schema = { type: 'string' };
const struct: Schema = { type: 'object', properties: { a: text, b: text } };

t.test('duplicate fields of structs are merged, and the last value of others counts', async t => {
  const decoded = (given: string, schema?: Schema): unknown => valueOf(parseStrict(given), schema);
  const inner: Schema = { type: 'object', properties: { of: struct } };
  t.strictSame(decoded('{"of":{"a":"1"},"of":{"b":"2"}}', inner), { of: { a: '1', b: '2' } });
  t.strictSame(decoded('{"of":{"a":"1"},"of":{"b":"2"}}'), { of: { b: '2' } }, 'without a schema');
  t.strictSame(decoded('{"of":{"a":"1"},"of":null}', inner), { of: null });
  const map: Schema = { type: 'object', additionalProperties: struct };
  t.strictSame(decoded('{"x":{"a":"1"},"x":{"b":"2"}}', map), { x: { b: '2' } }, 'keys of a map');
  const list: Schema = { type: 'object', properties: { l: { type: 'array', items: struct } } };
  t.strictSame(
    decoded('{"l":[{"a":"1"},{"a":"2"}],"l":[{"b":"3"}]}', list),
    { l: [{ a: '1', b: '3' }] },
    'a list has the length of the last one',
  );
  const plain: Schema = { type: 'object', properties: { l: { type: 'array', items: text } } };
  t.strictSame(decoded('{"l":["1","2"],"l":["3"]}', plain), { l: ['3'] });
});

t.test('names of Object.prototype are ordinary names', async t => {
  const value = valueOf(parseStrict('{"__proto__":{"a":"1"},"constructor":"2"}'), struct) as object;
  t.strictSame(Object.keys(value), ['__proto__', 'constructor']);
  t.equal(Object.getPrototypeOf(value), Object.prototype);
});

t.test('a quantity keeps the notation of a number', async t => {
  const schema: Schema = { type: 'object', properties: { q: { type: 'string', scalar: 'quantity' } } };
  t.strictSame(valueOf(parseStrict('{"q":1.50}'), schema), { q: '1.50' });
  t.strictSame(valueOf(parseStrict('{"n":1.50}'), schema), { n: 1.5 });
});
