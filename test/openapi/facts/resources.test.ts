import t from 'tap';
import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import { nativeGroups, nativeResources } from '../../../openapi/facts/resources.js';

t.test('native resources are found by group, version and name', async t => {
  const all = nativeResources();
  t.equal(all.length, 86);
  const find = (group: string, version: string, plural: string) =>
    all.find(r => r.group === group && r.version === version && r.plural === plural);

  t.match(find('apps', 'v1', 'deployments'), {
    kind: 'Deployment',
    singular: 'deployment',
    shortNames: ['deploy'],
    categories: ['all'],
    namespaced: true,
    typeName: 'io.k8s.api.apps.v1.Deployment',
    listTypeName: 'io.k8s.api.apps.v1.DeploymentList',
    storage: { group: 'apps', version: 'v1', kind: 'Deployment' },
    onByDefault: true,
    subresources: [
      {
        name: 'scale',
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        verbs: ['get', 'patch', 'update'],
      },
      { name: 'status', kind: { group: 'apps', version: 'v1', kind: 'Deployment' } },
    ],
  });
  t.same(find('autoscaling', 'v1', 'horizontalpodautoscalers')?.storage?.version, 'v2', 'stored in another version');
  t.same(find('events.k8s.io', 'v1', 'events')?.storage, { group: '', version: 'v1', kind: 'Event' });
  t.equal(find('', 'v1', 'bindings')?.storage, undefined, 'not stored');
  t.equal(find('networking.k8s.io', 'v1beta1', 'ipaddresses')?.onByDefault, false);
  t.equal(new Set(all.filter(r => r.onByDefault).map(r => `${r.group}/${r.version}`)).size, 22);
  for (const resource of all) t.ok(nativeSchema(resource.typeName).properties?.kind, resource.typeName);
});

t.test('groups are sorted by priority', async t => {
  const [core, ...named] = nativeGroups();
  t.match(core, { name: '', priority: 18000 });
  t.equal(named[0]?.name, 'apiregistration.k8s.io');
  t.same(
    named.map(g => g.priority),
    named.map(g => g.priority).sort((a, b) => b - a),
  );
  t.match(named.find(g => g.name === 'autoscaling')?.versions, [
    { name: 'v2', priority: 30 },
    { name: 'v1', priority: 15 },
  ]);
});
