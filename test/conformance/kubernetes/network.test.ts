/** Services, Endpoints of the API server, service ranges. as test/e2e/network service.go, apiserver.go, endpoints.go, service_cidrs.go */
import t from 'tap';
import { kit } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

// The server listens on an address that others reach, since it does not publish its loopback address.
const server = await runningControlPlane(t, { listen: { host: '0.0.0.0', port: 0 } });
const all = kit(t, { ...server, host: new URL(server.url).hostname });

interface Endpoints {
  readonly subsets: readonly {
    readonly addresses?: readonly { ip: string }[];
    readonly ports: readonly { port: number }[];
  }[];
}

interface Slice {
  readonly addressType: string;
  readonly endpoints: readonly { readonly addresses: readonly string[] }[];
  readonly ports: readonly { port: number }[];
}

t.test('the API server has a Service with endpoints', async t => {
  const service = await all.of('v1/services', 'default').get('kubernetes');
  t.match(service, { spec: { type: 'ClusterIP', ports: [{ name: 'https', port: 443 }] } });
  const everywhere = (await all.of('v1/services').list()).items;
  t.ok(everywhere.some(({ metadata }) => metadata.name === 'kubernetes' && metadata.namespace === 'default'));
  const { subsets } = (await all.of('v1/endpoints', 'default').get('kubernetes')) as unknown as Endpoints;
  t.ok(subsets.length > 0);
  const chosen = 'labelSelector=kubernetes.io/service-name=kubernetes';
  const { items } = await all.of('discovery.k8s.io/v1/endpointslices', 'default').list(chosen);
  const slices = (items as unknown as readonly Slice[]).filter(({ addressType }) => addressType === 'IPv4');
  t.same(
    slices.flatMap(({ endpoints }) => endpoints.flatMap(({ addresses }) => addresses)).sort(),
    subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)).sort(),
    'the slices have the same addresses',
  );
  t.same(
    slices.flatMap(({ ports }) => ports.map(({ port }) => port)),
    subsets.flatMap(({ ports }) => ports.map(({ port }) => port)),
    'the slices have the same ports',
  );
});

t.test('the status of a Service is read, patched, updated', async t => {
  const namespace = await all.namespace();
  const services = all.of('v1/services', namespace);
  const chosen = 'labelSelector=test-service-static=true';
  const { metadata } = await all.of('v1/services').list(chosen);
  await services.create({
    metadata: { name: 'status', labels: { 'test-service-static': 'true' } },
    spec: {
      type: 'LoadBalancer',
      ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 80 }],
      loadBalancerClass: 'example.com/internal-vip',
    },
  });
  const events = await services.watch(`${chosen}&resourceVersion=${metadata.resourceVersion}`);
  t.match(await events.next(), { type: 'ADDED', object: { metadata: { name: 'status', namespace } } });
  t.match(await services.get('status/status'), { kind: 'Service', status: { loadBalancer: {} } });
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } };
  const annotations = { patchedstatus: 'true' };
  t.match(await services.patch('status/status', { metadata: { annotations }, status }), {
    metadata: { annotations },
    status,
  });
  t.match(await events.next(), { type: 'MODIFIED', object: { metadata: { annotations }, status } });
  const condition = {
    ...{ type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from a test' },
    lastTransitionTime: '2026-01-02T03:04:05Z',
  };
  await services.update('status/status', thing =>
    Object.assign(thing['status'] as object, { conditions: [condition] }),
  );
  t.match(await events.next(), {
    type: 'MODIFIED',
    object: { metadata: { annotations }, status: { conditions: [condition] } },
  });
  await services.patch('status', { metadata: { labels: { 'test-service': 'patched' } } }, 'strategic');
  t.match(await events.next(), { type: 'MODIFIED', object: { metadata: { labels: { 'test-service': 'patched' } } } });
  await services.remove('status');
  t.match(await events.next(), { type: 'DELETED', object: { metadata: { name: 'status' } } });
});

t.test('Services are deleted as a collection', async t => {
  const services = all.of('v1/services', await all.namespace());
  for (const [i, label] of ['delete', 'delete', 'keep'].entries())
    await services.create({
      metadata: { name: `svc-${i}`, labels: { test: label } },
      spec: { type: 'ClusterIP', ports: [{ name: 'http', protocol: 'TCP', port: 8001 + i, targetPort: 8001 + i }] },
    });
  t.equal((await services.list()).items.length, 3);
  await services.removeAll('labelSelector=test=delete');
  t.match((await services.list()).items, [{ metadata: { name: 'svc-2' } }]);
});

t.test('the events of an Endpoints object are watched', async t => {
  const namespace = await all.namespace();
  const endpoints = all.of('v1/endpoints', namespace);
  const chosen = `labelSelector=test=${namespace}`;
  const subset = (ip: string, name: string, port: number) => ({
    addresses: [{ ip }],
    ports: [{ name, port, protocol: 'TCP' }],
  });
  const made = await endpoints.create({
    metadata: { name: 'tested', labels: { test: namespace } },
    subsets: [subset('10.0.0.24', 'http', 80)],
  });
  t.match((await all.of('v1/endpoints').list(chosen)).items, [{ metadata: { name: 'tested' } }]);
  const events = await endpoints.watch(`${chosen}&resourceVersion=${made.metadata.resourceVersion}`);
  await endpoints.update('tested', ({ metadata }) => ((metadata.labels ??= {})['service'] = 'updated'));
  t.match(await events.next(), { type: 'MODIFIED', object: { metadata: { labels: { service: 'updated' } } } });
  const patch = { metadata: { labels: { service: 'patched' } }, subsets: [subset('10.0.0.25', 'http-test', 8080)] };
  t.match(await endpoints.patch('tested', patch, 'strategic'), patch);
  t.match(await events.next(), { type: 'MODIFIED', object: patch });
  await endpoints.removeAll(chosen);
  t.match(await events.next(), { type: 'DELETED', object: { metadata: { name: 'tested' } } });
  t.equal(await endpoints.find('tested'), undefined);
});

t.test('the server has a ServiceCIDR', async t => {
  const ranges = all.of('networking.k8s.io/v1/servicecidrs');
  const range = await ranges.get('kubernetes');
  t.match(await ranges.get('kubernetes/status'), { kind: 'ServiceCIDR', metadata: { uid: range.metadata.uid } });
  t.ok((await ranges.list()).items.length > 0);
  t.match(await (await ranges.watch()).next(), { type: 'ADDED', object: { metadata: { name: 'kubernetes' } } });
});
