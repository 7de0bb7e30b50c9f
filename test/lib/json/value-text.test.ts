import t from 'tap';
import { fieldTexts, valueText } from '../../../lib/json/value-text.js';

const labelsIn = (text: string): string | undefined => valueText(text, ['metadata', 'labels']);

t.test('a value is found by its path', t => {
  const object = {
    spec: { metadata: { labels: 'other' }, list: [{ labels: 1 }, '}]"\\', { metadata: {} }] },
    apiVersion: 'v1',
    metadata: {
      annotations: { labels: 'not these', 'a"labels":{': '\\"labels\\":{"x":1}' },
      name: '\\',
      labels: { a: '}', 'b"': '"]', c: '' },
    },
    status: { labels: {} },
  };
  for (const space of [undefined, 2, '\t']) {
    const found = labelsIn(JSON.stringify(object, null, space));
    t.strictSame(JSON.parse(found ?? 'null'), object.metadata.labels);
  }
  t.equal(valueText('{"a":[1,{"b":2}] ,"c": 12 }', ['c']), '12');
  t.equal(valueText('{"a":{"b":true}}', ['a', 'b']), 'true');
  t.equal(valueText(' {"a":[1,"]"]}', ['a']), '[1,"]"]');
  t.end();
});

t.test('what is not there is not found', t => {
  for (const text of [
    ...['{}', '[]', '"metadata"', '', '{"metadata":{}}', '{"metadata":[{"labels":{}}]}', '{"labels":{}}'],
    ...['{"metadata"', '{"metadata":{"name":"a', '{"metadata" "labels"', '{"spec":{"metadata":{"labels":{}}}'],
  ])
    t.equal(labelsIn(text), undefined, text);
  t.end();
});

t.test('several fields of an object are found at once', t => {
  const metadata = {
    annotations: { uid: 'no' },
    'u"id': '{',
    managedFields: [{ uid: 'no' }],
    uid: 'u',
    x: [1, { y: '}' }],
  };
  const of = (text: string, ...fields: string[]): unknown => [...fieldTexts(text, ['metadata'], new Set(fields))];
  for (const space of [undefined, 2, '\t']) {
    const text = JSON.stringify({ spec: { uid: 'no' }, metadata, uid: 'no' }, null, space);
    const found = of(text, 'uid', 'x', 'labels') as [string, string][];
    t.strictSame(
      found.map(([field, value]) => [field, JSON.parse(value) as unknown]),
      [
        ['uid', 'u'],
        ['x', metadata.x],
      ],
    );
  }
  for (const text of ['{}', '[]', '', '{"metadata":[]}', '{"metadata":null}', '{"uid":"no"}'])
    t.strictSame(of(text, 'uid'), [], text);
  t.end();
});
