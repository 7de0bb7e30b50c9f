import t from 'tap';
import { restoredInts } from '../../../apimachinery/patch/restore-ints.js';
import { restoreFault } from '../../../apimachinery/patch/restore-fault.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

const int32: Schema = { type: 'integer', format: 'int32' };
const int64: Schema = { type: 'integer', format: 'int64' };
const schema: Schema = {
  type: 'object',
  properties: {
    small: int32,
    large: int64,
    list: { type: 'array', items: int64 },
    map: { type: 'object', additionalProperties: int32 },
    either: { scalar: 'intOrString' },
    float: { type: 'number' },
  },
};

t.test('integers that are too large lose their upper bits', async t => {
  const rows: readonly { readonly given: object; readonly expect: object }[] = [
    { given: { small: 7, large: 7 }, expect: { small: 7, large: 7 } },
    { given: { small: 4294967297 }, expect: { small: 1 } },
    { given: { small: 2147483648 }, expect: { small: -2147483648 } },
    { given: { small: 9007199254740993n }, expect: { small: 1 } },
    { given: { large: 9007199254740993n }, expect: { large: 9007199254740993n } },
    { given: { large: 2 ** 63 }, expect: { large: -9223372036854775808n } },
    { given: { large: 1e18 }, expect: { large: 1000000000000000000n } },
    { given: { list: [1e300, -1e300, 1] }, expect: { list: [-9223372036854775808n, -9223372036854775808n, 1] } },
    { given: { map: { a: 4294967298 } }, expect: { map: { a: 2 } } },
    {
      given: { either: 4294967297, float: 1e300, other: 1e300 },
      expect: { either: 4294967297, float: 1e300, other: 1e300 },
    },
  ];
  for (const { given, expect } of rows) {
    const before = structuredClone(given);
    t.strictSame(restoredInts(given, schema), expect, JSON.stringify(Object.keys(given)));
    t.strictSame(given, before, 'what was given stays');
    t.equal(restoreFault(given, schema), undefined);
  }
  t.equal(restoreFault({ large: 1.5 }, schema), 'cannot convert float64 to int64');
});
