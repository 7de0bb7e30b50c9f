import t from 'tap';
import { valueText } from '../../../lib/json/value-text.js';

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
