import t from 'tap';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';

const byName = new Map(nativeDefinitions().map(d => [`${d.group}/${d.plural}`, d]));

t.test('every resource of kube-apiserver has a definition', async t => {
  t.equal(byName.size, 67);
  t.equal(nativeDefinitions(), nativeDefinitions(), 'the same objects every time');
});

t.test('storage prefixes are those of kube-apiserver', async t => {
  const expected: Record<string, string> = {
    '/services': '/registry/services/specs',
    '/endpoints': '/registry/services/endpoints',
    '/nodes': '/registry/minions',
    '/replicationcontrollers': '/registry/controllers',
    '/events': '/registry/events',
    'events.k8s.io/events': '/registry/events',
    'networking.k8s.io/ingresses': '/registry/ingress',
    'apps/deployments': '/registry/deployments',
    'apiregistration.k8s.io/apiservices': '/registry/apiregistration.k8s.io/apiservices',
    'apiextensions.k8s.io/customresourcedefinitions': '/registry/apiextensions.k8s.io/customresourcedefinitions',
    'coordination.k8s.io/leases': '/registry/leases',
  };
  for (const [name, prefix] of Object.entries(expected)) t.equal(byName.get(name)?.storagePrefix, prefix, name);
});

t.test('versions are in order of preference, and one of them is stored', async t => {
  const hpa = byName.get('autoscaling/horizontalpodautoscalers');
  t.strictSame(
    hpa?.versions.map(v => v.name),
    ['v2', 'v1'],
  );
  t.equal(hpa?.storageVersion, 'v2');
  t.equal(byName.get('events.k8s.io/events')?.storageGroup, '');
});
