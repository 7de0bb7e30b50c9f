import t from 'tap';
import { mismatch, zeroWalk, type TypeCodec, type Walk } from '../../../apimachinery/codec/codec.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { doubleCodec, int32Codec, stringCodec } from '../../../apimachinery/codec/scalar-codecs.js';
import { structCodec } from '../../../apimachinery/codec/struct-codec.js';
import { jsonText } from '../../../lib/json/json.js';

/** Counts how often the codecs of fields convert a value. */
let reads = 0;

function codecOf(schema: Schema): TypeCodec {
  if (schema.properties) return structCodec(schema, codecOf);
  if (schema.type === 'number') return doubleCodec;
  const codec = schema.type === 'integer' ? int32Codec : stringCodec;
  return { ...codec, read: (value, walk) => (reads++, codec.read(value, walk)) };
}

const text = (presence: NonNullable<Schema['presence']>, more: Schema = {}): Schema => ({
  type: 'string',
  presence,
  ...more,
});
const schema: Schema = {
  type: 'object',
  properties: {
    a: text('always'),
    b: text('omitempty'),
    c: text('pointer'),
    d: { type: 'integer', presence: 'always' },
    e: text('always', { nullable: true }),
  },
};

function read(value: object | null, options: Partial<Walk> = {}) {
  const walk: Walk = { ...zeroWalk, ...options };
  return { written: structCodec(schema, codecOf).read(value, walk), unknown: walk.unknown };
}
const shown = (value: object | null): string => jsonText(read(value).written);

t.test('fields are written by their presence, in the order of declaration', async t => {
  t.equal(shown({}), '{"a":"","d":0,"e":null}');
  t.equal(shown(null), '{"a":"","d":0,"e":null}');
  t.equal(shown({ e: 'e', c: 'c', a: 'a', d: 1, b: 'b' }), '{"a":"a","b":"b","c":"c","d":1,"e":"e"}');
  t.equal(shown({ a: '', b: '', c: '', d: 0, e: '' }), '{"a":"","c":"","d":0,"e":""}');
  t.equal(shown({ b: 'b', d: 1 }), '{"a":"","b":"b","d":1,"e":null}');
  t.equal(shown({ a: undefined, c: null, d: 2 }), '{"a":"","d":2,"e":null}');
});

t.test('unknown fields are left out and reported, in any order', async t => {
  const sound = { a: '', d: 0, e: null };
  t.strictSame(read({ a: '', x: 1 }), { written: sound, unknown: true });
  t.strictSame(read({ d: 0, x: 1, a: '' }), { written: sound, unknown: true });
  t.strictSame(read({ d: 0, a: '', constructor: 1 }), { written: sound, unknown: true });
  t.equal(read({ d: 0, a: '' }).unknown, false);
});

t.test('a canonical object is shared if that is asked for', async t => {
  const canonical = { a: 'a', d: 1, e: null };
  t.equal(read(canonical, { shareCanonical: true }).written, canonical);
  t.not(read(canonical).written, canonical);
  const other = { a: 'a', d: 1 };
  t.strictSame(read(other, { shareCanonical: true }).written, canonical);
  t.strictSame(other, { a: 'a', d: 1 }, 'the object itself is never changed');
});

t.test('what is no object does not fit', async t => {
  for (const value of [[], 'a', 1]) t.throws(() => structCodec(schema, codecOf).read(value, { ...zeroWalk }), mismatch);
  t.throws(() => read({ d: 'x' }), mismatch);
  t.throws(() => read({ d: 2 ** 31 }), mismatch);
});

t.test('-0 is written as by Go, only in floats', async t => {
  const floats = structCodec(
    { type: 'object', properties: { f: { type: 'number', presence: 'pointer' }, s: text('pointer') } },
    codecOf,
  );
  t.equal(jsonText(floats.read({ f: -0, s: 'x' }, { ...zeroWalk })), '{"f":-0,"s":"x"}');
  t.equal(jsonText(floats.read({ f: 0 }, { ...zeroWalk })), '{"f":0}');
});

t.test('nested objects in another order are converted once per field', async t => {
  interface Nested {
    [field: string]: Nested | string;
  }
  const depth = 20;
  const recursive: Schema = {
    type: 'object',
    properties: {
      first: text('pointer'),
      get inner() {
        return recursive;
      },
      last: text('pointer'),
    },
  };
  const codec: TypeCodec = structCodec(recursive, inner => (inner === recursive ? codec : codecOf(inner)));
  let value: Nested = { first: 'x' };
  for (let i = 0; i < depth; i++) value = { last: 'z', inner: value, first: 'a' };
  reads = 0;
  codec.read(value, { ...zeroWalk });
  t.equal(reads, 2 * depth + 1);
});
