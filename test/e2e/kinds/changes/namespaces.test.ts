/** Namespaces: their names, labels and finalizers. */
import t from 'tap';
import { merge } from '../../wire.js';
import { sharedFixture } from '../fixture.js';

t.test('names of namespaces are validated, finalizers and the name label are kept', async t => {
  const { ask } = await sharedFixture();
  const namespaces = '/api/v1/namespaces';
  const body = (name: string, more: object = {}) => ({
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    ...more,
  });
  const refused = {
    'a.b': 'must not contain dots',
    A: 'a lowercase RFC 1123 label must consist of',
    ['n'.repeat(64)]: 'must be no more than 63 characters',
  };
  for (const [name, why] of Object.entries(refused)) {
    const answer = await ask(`POST ${namespaces}`, body(name));
    t.match([answer.status, answer.object.message], [422, `metadata.name: Invalid value: "${name}": ${why}`]);
  }
  const held = { spec: { finalizers: ['kubernetes', 'example.com/held'] } };
  t.match((await ask(`POST ${namespaces}`, body('mine', held))).object, held);
  const path = `${namespaces}/mine`;
  t.match(
    (await ask(`PUT ${path}`, body('mine', { spec: { finalizers: [] } }))).object,
    held,
    'a PUT keeps the finalizers',
  );
  const patched = await ask(`PATCH ${path}`, { spec: { finalizers: null } }, merge);
  t.match(patched.object, held, 'a patch keeps the finalizers');
  const fewer = { spec: { finalizers: ['kubernetes'] } };
  const finalized = await ask(`PUT ${path}/finalize`, body('mine', fewer));
  t.strictSame(finalized.object['spec'], fewer.spec, 'finalize removes finalizers');
  const bad = await ask(`PUT ${path}/finalize`, body('mine', { spec: { finalizers: ['plain'] } }));
  t.equal(bad.status, 422, 'a name that is not qualified');
  const put = await ask(`PUT ${path}`, body('mine', { metadata: { name: 'mine', labels: { a: 'b' } } }));
  t.same(put.object.metadata.labels, { a: 'b', 'kubernetes.io/metadata.name': 'mine' });
  const relabelled = await ask(
    'PATCH /api/v1/namespaces/default',
    { metadata: { labels: { 'kubernetes.io/metadata.name': null } } },
    merge,
  );
  t.same(relabelled.object.metadata.labels, { 'kubernetes.io/metadata.name': 'default' }, 'the name label is kept');
});
