import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Client } from '../../../../client/interface.js';
import { serve } from '../../serve.js';

const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } as const;
const services = { group: '', version: 'v1', resource: 'services' } as const;
const slices = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' } as const;
const name = 'v1.example.com';

const api = (service?: object): KubeObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name },
  spec: {
    ...{ group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
    ...(service && { service, insecureSkipTLSVerify: true }),
  },
});

const service = (port: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'n' },
  spec: { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'], ports: [port] },
});

const slice = (ready: boolean): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 's-1', namespace: 'n', labels: { 'kubernetes.io/service-name': 's' } },
  addressType: 'IPv4',
  ports: [{ name: 'https', port: 8443 }],
  endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready } }],
});

interface Status {
  readonly conditions?: readonly { readonly reason: string; readonly message: string; readonly status: string }[];
}

/** Waits until the condition has the reason. Returns its status and message. */
async function conditionOf(client: Client, reason: string): Promise<string | undefined> {
  const stop = AbortSignal.timeout(60_000);
  const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
  for await (const { object } of client.watch(apiServices, query, stop)) {
    const found = ((object as { status?: Status }).status?.conditions ?? []).find(c => c.reason === reason);
    if (found) return `${found.status}: ${found.message}`;
  }
  return undefined;
}

t.test('the availability of an APIService follows its Service', async t => {
  const { client } = await serve(t, { serverFailure: 'bad status' });
  await client.create(apiServices, api({ name: 's', namespace: 'n' }));
  t.equal(await conditionOf(client, 'ServiceNotFound'), 'False: service/s in "n" is not present');
  await client.create(services, service({ name: 'http', port: 80 }));
  t.equal(await conditionOf(client, 'ServicePortError'), 'False: service/s in "n" is not listening on port 443');
  await client.delete(services, { namespace: 'n', name: 's' });
  await conditionOf(client, 'ServiceNotFound');
  await client.create(services, service({ name: 'https', port: 443 }));
  t.equal(await conditionOf(client, 'EndpointsNotFound'), 'False: cannot find endpointslices for service/s in "n"');
  await client.create(slices, slice(false));
  t.equal(
    await conditionOf(client, 'MissingEndpoints'),
    'False: endpointslices for service/s in "n" have no addresses with port name "https"',
  );
  const stored = await client.get(slices, { namespace: 'n', name: 's-1' });
  await client.update(slices, { ...stored, endpoints: [{ addresses: ['10.1.0.1'] }] });
  t.equal(await conditionOf(client, 'FailedDiscoveryCheck'), 'False: bad status');
  const written = await client.get(apiServices, { name });
  const managers = (written.metadata.managedFields ?? []).map(({ manager, subresource }) => [manager, subresource]);
  t.strictSame(managers, [
    ['kube-apiserver', 'status'],
    ['test', undefined],
  ]);
});

t.test('an APIService whose server answers is available', async t => {
  const { client } = await serve(t);
  await client.create(services, service({ name: 'https', port: 443 }));
  await client.create(slices, slice(true));
  await client.create(apiServices, api({ name: 's', namespace: 'n' }));
  t.equal(await conditionOf(client, 'Passed'), 'True: all checks passed');
});

t.test('an APIService whose service reference is removed is local', async t => {
  const { client } = await serve(t);
  await client.create(apiServices, api({ name: 's', namespace: 'n' }));
  await conditionOf(client, 'ServiceNotFound');
  const stored = await client.get(apiServices, { name });
  await client.update(apiServices, { ...stored, spec: api()['spec'] });
  t.equal(await conditionOf(client, 'Local'), 'True: Local APIServices are always available');
});
