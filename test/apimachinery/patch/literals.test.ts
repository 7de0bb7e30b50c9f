/** Information of a patch that its parsed value does not have. */
import t from 'tap';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { jsonText } from '../../../lib/json/json.js';
import { Literal } from '../../../lib/json/literal.js';
import { goType, goValue } from '../../../apimachinery/patch/go-value.js';
import { applyJsonPatch, decodeJsonPatch } from '../../../apimachinery/patch/json-patch.js';
import {
  readAsType,
  readPatch,
  readUntyped,
  readValues,
  type Reading,
  withTexts,
} from '../../../apimachinery/patch/literals.js';
import { applyMergePatch } from '../../../apimachinery/patch/merge-patch.js';
import { restoreFault } from '../../../apimachinery/patch/restore-fault.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import { patchRejected } from '../../../apimachinery/errors/status.js';
import { frozen } from './support.js';

const rejected = patchRejected();

const literal = (text: string): Literal => new Literal(text);

t.test('numbers and strings in other notations than that of Go become Literals', async t => {
  const rows: readonly { readonly reading: Reading; readonly given: string; readonly expect: unknown }[] = [
    { reading: 'text', given: '{"a":1.0}', expect: { a: literal('1.0') } },
    {
      reading: 'text',
      given: '[1,1.5,-0,1e21,1e+21,[1E3]]',
      expect: [1, 1.5, literal('-0'), literal('1e21'), 1e21, [literal('1E3')]],
    },
    {
      reading: 'text',
      given: '{"a":9223372036854775808,"b":1e400}',
      expect: { a: 9223372036854775808n, b: literal('1e400') },
    },
    { reading: 'text', given: '{"a":"1.0","b":" : -0"}', expect: { a: '1.0', b: ' : -0' } },
    { reading: 'text', given: '[{"op":"test","value":"<"}]', expect: [{ op: 'test', value: literal('"<"') }] },
    { reading: 'text', given: '[{"op":"test","value":"\\u003c"}]', expect: [{ op: 'test', value: '<' }] },
    { reading: 'text', given: '[{"op":"add","value":"<"}]', expect: [{ op: 'add', value: '<' }] },
    { reading: 'text', given: '{"a":2.0,"a":3.0}', expect: { a: literal('3.0') } },
    { reading: 'value', given: '{"a":1.0,"b":1.5,"c":1e3}', expect: { a: literal('1.0'), b: 1.5, c: literal('1e3') } },
    { reading: 'value', given: '{"a":-0,"b":-0.0,"c":1e18}', expect: { a: 0, b: literal('-0.0'), c: 1e18 } },
    { reading: 'value', given: '[{"op":"test","value":"<"}]', expect: [{ op: 'test', value: '<' }] },
  ];
  for (const { reading, given, expect } of rows) t.strictSame(readPatch(given, reading).value, expect, given);
  const plain: readonly (readonly [string, Reading, boolean])[] = [
    ['{"a":[1,2,"1.0"],"b":"x: 1.0"}', 'text', false],
    ['{"a":9223372036854775808}', 'text', true],
    ['{"a":9223372036854775808}', 'value', false],
  ];
  for (const [text, reading, expect] of plain) t.equal(readPatch(text, reading).literals, expect, text);
  const { a, b, c } = readPatch('{"a":2.0,"b":2.0,"c":2e0}', 'text').value as Record<string, unknown>;
  t.equal(a, b, 'one object for equal notations');
  t.not(a, c);
  const merged = readPatch('{"a":2.0,"b":2e0}', 'value').value as Record<string, unknown>;
  t.equal(merged['a'], merged['b'], 'or is the same value');
});

t.test('patches treat a Literal as a scalar', async t => {
  const one = literal('1.0');
  t.strictSame(applyMergePatch({ a: { b: 1 }, c: 2 }, { a: one, c: one, d: { e: one } }), {
    a: one,
    c: one,
    d: { e: one },
  });
  t.throws(() => applyJsonPatch({ a: one }, [{ op: 'add', path: '/a/b', value: 1 }]), rejected);
  t.equal(goType(one), 'float64');
  t.equal(goValue({ a: literal('1e6'), b: [literal('2.0'), literal('-0.0')] }), 'map[a:1e+06 b:[2 -0]]');
  t.equal(jsonText({ a: [one], b: literal('"\\u003c"') }), '{"a":[1.0],"b":"\\u003c"}');
  t.throws(() => JSON.stringify({ one }), TypeError, 'JSON.stringify refuses Literals');
  const int = { type: 'integer', format: 'int32' } as const;
  t.equal(restoreFault({ a: one }, { type: 'object', properties: { a: int } }), undefined);
  t.equal(restoreFault(one, { type: 'string' }), 'unrecognized type: string');
  t.equal(restoreFault(one, { type: 'object', properties: { a: int } }), 'cannot restore struct from: float64');
});

t.test('the operation test compares the notation', async t => {
  const ops = (text: string) => decodeJsonPatch(readPatch(text, 'text').value);
  t.strictSame(
    ops('[{"op":"t\\u0065st","path":"/a\\u003c<","value":"<","from":null}]'),
    [{ op: 'test', path: '/a<<', value: '<', from: null }],
    'not read as a test',
  );
  t.strictSame(ops('[{"op":"test","path":"/\\u0061","value":"<"}]'), [
    { op: 'test', path: '/a', value: literal('"<"') },
  ]);
  const refused: readonly (readonly [string, string])[] = [
    ['[{"op":1.0}]', 'number into Go struct field jsonPatchOp.op of type string'],
    ['[{"value":[1e400],"op":1}]', 'number 1e400 into Go struct field jsonPatchOp.value of type float64'],
    ['[{"op":1,"value":[1e400]}]', 'number into Go struct field jsonPatchOp.op of type string'],
    ['[1.0]', 'number into Go value of type handlers.jsonPatchOp'],
    ['1.0', 'number into Go value of type []handlers.jsonPatchOp'],
  ];
  for (const [text, expect] of refused)
    t.throws(() => ops(text), { message: `error decoding patch: json: cannot unmarshal ${expect}` }, text);
  t.strictSame(ops('[{"op":"add","other":1e400}]'), [{ op: 'add', other: literal('1e400') }], 'an unknown field');
  t.throws(() => applyJsonPatch({}, decodeJsonPatch([{ op: 'copy', path: '/a', from: 1 }], 'unchecked')), rejected);

  const doc = frozen({ n: 1, d: 1.5, big: 9007199254740993n, l: [1, null], s: 'a<b', u: undefined });
  const tests: readonly (readonly [value: string, path: string, holds: boolean])[] = [
    ['1', '/n', true],
    ['1.0', '/n', false],
    ['1.5', '/d', true],
    ['1.50', '/d', false],
    ['9007199254740993', '/big', true],
    ['9007199254740992', '/big', false],
    ['[1,null]', '/l', true],
    ['[1]', '/l', false],
    ['{"0":1}', '/l', false],
    ['[]', '/n', false],
    ['{}', '/n', false],
    ['1', '/l', false],
    ['"a<b"', '/s', false],
    ['"a\\u003Cb"', '/s', false],
    ['"a\\u003cb"', '/s', true],
    ['{"n":1,"s":"a\\u003cb","l":[1,null],"d":1.5,"big":9007199254740993}', '', true],
    ['{"n":1,"s":"a\\u003cb","l":[1,null],"d":1.5,"x":1}', '', false],
  ];
  for (const [value, path, holds] of tests) {
    const run = (): unknown => applyJsonPatch(doc, ops(`[{"op":"test","path":"${path}","value":${value}}]`));
    if (holds) t.strictSame(run(), doc, `${path} is ${value}`);
    else t.throws(run, rejected, `${path} is not ${value}`);
  }
});

t.test('Literals are decoded by the type', async t => {
  const schema = nativeSchemaFor({ group: 'apps', version: 'v1', kind: 'ControllerRevision' });
  const quota = nativeSchemaFor({ group: '', version: 'v1', kind: 'ResourceQuota' });
  if (!schema || !quota) throw new Error('no schema');
  const metadata = {};
  t.strictSame(withTexts({ a: literal('"\\u003c"'), b: [literal('1.0')], c: metadata }), {
    a: '<',
    b: [literal('1.0')],
    c: {},
  });
  t.equal(withTexts(metadata), metadata, 'shared');
  const other = { x: [literal('1e400')], ['__proto__']: literal('2.0') };
  const read = readAsType({ metadata, data: { a: literal('1.0'), b: [literal('15e-1')] }, other }, schema);
  t.match(read, { metadata, data: { a: 1, b: [1.5] }, other: { x: [null], ['__proto__']: null } });
  t.equal(jsonText(read.data), '{"a":1.0,"b":[15e-1]}', 'in the notation of the patch');
  t.strictSame(readAsType({ spec: { hard: { pods: literal('1e3') } } }, quota), { spec: { hard: { pods: '1e3' } } });
  const tooLarge = new DecodeError('json: cannot unmarshal number 1e400 into Go value of type float64');
  t.throws(() => readAsType({ data: { a: literal('1e400') } }, schema), tooLarge);
  t.throws(
    () => readAsType({ revision: literal('1.0') }, schema),
    new DecodeError('json: cannot unmarshal number 1.0 into Go struct field ControllerRevision.revision of type int64'),
  );
  t.strictSame(readValues({ a: [literal('1e3')] }), { a: [1000] });
  const object = {
    apiVersion: 'v1',
    kind: 'A',
    metadata,
    spec: { a: [1, literal('2.0')], b: literal('1.50'), c: 2n ** 63n },
  };
  t.strictSame(readUntyped(object as unknown as KubeObject), {
    object: { apiVersion: 'v1', kind: 'A', metadata, spec: { a: [1, 2], b: 1.5, c: 2 ** 63 } },
    floats: [['spec', 'a', '1']],
  });
  t.throws(() => readUntyped({ a: literal('1e400') } as unknown as KubeObject), tooLarge);
});
