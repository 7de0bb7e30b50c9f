import t from 'tap';
import type { JsonObject } from '../../../apimachinery/interface.js';
import { applyMergePatch, decodeMergePatch } from '../../../apimachinery/patch/merge-patch.js';
import { frozen, rejection } from './support.js';

interface Case {
  readonly name: string;
  readonly doc: JsonObject;
  readonly patch: JsonObject;
  readonly expect: JsonObject;
}

const cases: readonly Case[] = [
  { name: 'set', doc: { a: 1, b: 2 }, patch: { a: 3 }, expect: { a: 3, b: 2 } },
  { name: 'null deletes', doc: { a: 1, b: 2 }, patch: { a: null, zz: null }, expect: { b: 2 } },
  { name: 'objects merge', doc: { a: { b: 1 } }, patch: { a: { c: 2 } }, expect: { a: { b: 1, c: 2 } } },
  { name: 'lists replace', doc: { a: [1, 2] }, patch: { a: [3] }, expect: { a: [3] } },
  { name: 'scalar over object', doc: { a: { b: 1 } }, patch: { a: 'x' }, expect: { a: 'x' } },
  { name: 'object over scalar', doc: { a: 1 }, patch: { a: { b: 1, c: null } }, expect: { a: { b: 1 } } },
  {
    name: 'nulls of added objects are dropped',
    doc: {},
    patch: { a: { b: { c: null, d: 1 } } },
    expect: { a: { b: { d: 1 } } },
  },
  { name: 'nulls inside lists', doc: {}, patch: { a: [null, { b: null, c: 1 }] }, expect: { a: [null, { c: 1 }] } },
  { name: 'over null', doc: { a: null }, patch: { a: { b: null } }, expect: { a: {} } },
  {
    name: 'prototype keys',
    doc: {},
    patch: { constructor: 'b', toString: { x: 1 } },
    expect: { constructor: 'b', toString: { x: 1 } },
  },
];

for (const c of cases)
  t.test(c.name, t => {
    t.strictSame(applyMergePatch(frozen(c.doc), frozen(c.patch)), c.expect);
    t.end();
  });

t.test('unchanged parts are shared', t => {
  const doc = frozen({ z: [1], a: { b: { c: 1 }, d: {} } });
  const out = applyMergePatch(doc, { a: { d: { e: 1 } } }) as typeof doc;
  t.equal(out.z, doc.z);
  t.equal(out.a.b, doc.a.b);
  t.equal(
    JSON.stringify(out),
    '{"z":[1],"a":{"b":{"c":1},"d":{"e":1}}}',
    'nothing is new beside z and a: they stay in order',
  );
  t.equal(JSON.stringify(applyMergePatch(doc, { y: 2 })), '{"a":{"b":{"c":1},"d":{}},"y":2,"z":[1]}');
  t.end();
});

t.test('decoding refuses other values than objects', t => {
  const head = 'error decoding patch: json: cannot unmarshal';
  const tail = 'into Go value of type map[string]interface {}';
  t.equal(rejection(() => decodeMergePatch([])).message, `${head} array ${tail}`);
  t.equal(rejection(() => decodeMergePatch('x')).message, `${head} string ${tail}`);
  t.equal(rejection(() => decodeMergePatch(null)).message, 'Invalid JSON Patch');
  t.equal(rejection(() => decodeMergePatch(1, 'unchecked')).message, 'Invalid JSON Patch');
  t.strictSame(decodeMergePatch({ a: 1 }), { a: 1 });
  t.end();
});
