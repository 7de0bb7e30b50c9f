import t from 'tap';
import { serve } from '../../../registry/serve.js';

const classes = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' } as const;
const name = 'system-node-critical';

t.test('a system class cannot be deleted by name', async t => {
  const { client } = await serve(t);
  const object = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value: 2_000_001_000,
  };
  const message = `priorityclasses.scheduling.k8s.io "${name}" is forbidden: this is a system priority class and cannot be deleted`;
  await t.rejects(client.delete(classes, { name }), { message }, 'refused before the object is read');
  await client.create(classes, object);
  await t.rejects(client.delete(classes, { name }), { message });
  await client.deleteCollection(classes);
  t.same((await client.list(classes)).items, [], 'a deleted collection includes them');
});
