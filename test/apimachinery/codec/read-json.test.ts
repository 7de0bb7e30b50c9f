import t from 'tap';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import { readJson } from '../../../apimachinery/codec/read-json.js';

// V8's own texts for these differ between versions.
const refused = [
  { given: '', expect: 'unexpected end of JSON input' },
  { given: '{', expect: 'unexpected end of JSON input' },
  { given: '{a', expect: "invalid character 'a' looking for beginning of object key string" },
  { given: '{"a":1}x', expect: "invalid character 'x' after top-level value" },
  { given: '[1,]', expect: "invalid character ']' looking for beginning of value" },
  { given: '"\u0001"', expect: String.raw`invalid character '\x01' in string literal` },
  { given: String.raw`"\u12"`, expect: String.raw`invalid character '"' in \u hexadecimal character escape` },
  { given: 'no', expect: "invalid character 'o' in literal null (expecting 'u')" },
];

t.test('syntax errors have the texts of Go', async t => {
  for (const { given, expect } of refused) t.throws(() => readJson(given), new DecodeError(expect), given);
});

t.test('whole numbers are exact', async t => {
  t.strictSame(readJson('{"a":9223372036854775807,"b":1}'), { a: 9223372036854775807n, b: 1 });
});
