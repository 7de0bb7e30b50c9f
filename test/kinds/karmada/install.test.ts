import t from 'tap';
import { installCustomResources } from '../../../kinds/karmada/crds/install.js';
import { resources } from '../../../api/karmada/well-known.js';
import { serve } from '../../registry/serve.js';

const crds = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

t.test('definitions are created, kept, and repaired', async t => {
  const { client, catalogue } = await serve(t);
  const options = { signal: new AbortController().signal, onError: (error: unknown) => void t.error(error) };
  await installCustomResources(client, options);
  const made = await client.list(crds);
  t.equal(made.items.length, 19);
  t.ok(catalogue.find(resources.propagationPolicies), 'their resources are served at once');

  await installCustomResources(client, options);
  t.equal(
    (await client.list(crds)).metadata.resourceVersion,
    made.metadata.resourceVersion,
    'a second run writes nothing',
  );

  const name = 'works.work.karmada.io';
  const patch = [{ op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/workload' }];
  await client.patch(crds, { name }, { type: 'json', patch });
  const described = [
    { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema/description', value: 'In other words.' },
  ];
  const other = 'remedies.remedy.karmada.io';
  await client.patch(crds, { name: other }, { type: 'json', patch: described });
  await installCustomResources(client, options);
  const schemaOf = async (name: string) => {
    const { spec } = await client.get(crds, { name });
    return (spec as { versions: { schema: { openAPIV3Schema: Record<string, unknown> } }[] }).versions[0]?.schema
      .openAPIV3Schema;
  };
  t.match(await schemaOf(name), { properties: { spec: { properties: { workload: { type: 'object' } } } } });
  t.equal((await schemaOf(other))?.['description'], 'In other words.', 'a changed description is kept');
});

t.test('waiting for the definitions ends when the server stops', async t => {
  const { client } = await serve(t);
  const ended = { signal: AbortSignal.abort(), onError: (error: unknown) => void t.error(error) };
  await t.rejects(installCustomResources(client, ended), /customresourcedefinitions are not followed any more/);
});
