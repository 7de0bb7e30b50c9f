/** What is sent of an object. */
import t from 'tap';
import { documentOf } from '../../../aggregation/search-backends/document.js';

t.test('documents are those of Karmada', t => {
  const metadata = {
    name: 'a',
    creationTimestamp: '2024-01-01T00:00:00Z',
    labels: { a: 'b' },
    annotations: { c: 'd' },
    uid: 'u',
  };
  const whole = { apiVersion: 'v1', kind: 'Node', metadata, spec: { b: '<1>', a: 2 }, status: {} };
  t.same(JSON.parse(documentOf(whole)), {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'a',
      namespace: '',
      creationTimestamp: '2024-01-01T00:00:00Z',
      labels: { a: 'b' },
      annotations: { c: 'd' },
      deletionTimestamp: null,
    },
    spec: '{"a":2,"b":"\\u003c1\\u003e"}',
    status: '{}',
  });
  const {
    spec,
    status,
    metadata: bare,
  } = JSON.parse(documentOf({ apiVersion: 'v1', kind: 'A', metadata: {} })) as Record<string, unknown>;
  t.same([spec, status], ['null', 'null']);
  t.match(bare, { labels: null, annotations: null, creationTimestamp: '0001-01-01T00:00:00Z' });
  t.end();
});

t.test('the copy of an object that kubectl keeps in an annotation is not sent', t => {
  const copy = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aGlkZGVu"}}' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', annotations: { ...copy, a: 'b' } } };
  t.notMatch(documentOf({ ...secret, data: { password: 'aGlkZGVu' } }), /aGlkZGVu/);
  t.match(JSON.parse(documentOf(secret)), { metadata: { annotations: { a: 'b' } } });
  t.end();
});
