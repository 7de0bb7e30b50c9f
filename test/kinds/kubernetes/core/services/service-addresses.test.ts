import t from 'tap';
import type { KubeObject } from '../../../../../apimachinery/interface.js';
import type { Client } from '../../../../../client/interface.js';
import { withServiceAddresses } from '../../../../../kinds/kubernetes/core/services/service-addresses.js';
import { nativeDefinitions } from '../../../../../kinds/kubernetes/native.js';
import { refusal, serve } from '../../../../registry/serve.js';

const services = { group: '', version: 'v1', resource: 'services' };
const addresses = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
const ranges = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };

const service = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { ports: [{ port: 80 }], ...spec },
});
const range = (cidr: string): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: [cidr] },
});

interface Given {
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  healthCheckNodePort?: number;
  ports?: { port: number; nodePort?: number; name?: string }[];
}
const specOf = (object: KubeObject): Given => object['spec'] as Given;

/** Starts a server. `next` replaces the random number generator. */
async function server(t: Parameters<typeof serve>[0], next = () => 0): Promise<Client> {
  const ours = withServiceAddresses(nativeDefinitions(), next).filter(d => d.kind === 'Service');
  const { client } = await serve(t, { definitions: ours });
  return client;
}

const names = async (client: Client): Promise<unknown[]> =>
  (await client.list(addresses)).items.map(({ metadata }) => metadata.name);

t.test('an address is allocated, kept and released', async t => {
  const client = await server(t);
  const created = await client.create(services, service('a'));
  t.match(specOf(created), {
    clusterIP: '10.96.1.1',
    clusterIPs: ['10.96.1.1'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  });
  t.match(await client.get(addresses, { name: '10.96.1.1' }), {
    metadata: {
      labels: {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'a' } },
  });
  const second = await client.create(services, service('b'));
  t.equal(specOf(second).clusterIP, '10.96.1.2', 'the next free address, if the random one is allocated');
  const updated = await client.update(services, service('a', { ports: [{ port: 81 }] }));
  t.equal(specOf(updated).clusterIP, '10.96.1.1', 'a change that does not name the address keeps it');
  const gone = { type: 'ExternalName', externalName: 'example.com' };
  await client.update(services, service('b', gone));
  t.same(await names(client), ['10.96.1.1'], 'released by an update');
  await client.delete(services, { namespace: 'default', name: 'a' });
  t.same(await names(client), [], 'released by deletion');
});

t.test('addresses that cannot be allocated are refused', async t => {
  const client = await server(t);
  await client.create(services, service('a', { clusterIP: '10.96.0.9' }));
  const text = (why: string): string => `422 Invalid: Service "b" is invalid: spec.clusterIPs: Invalid value: ${why}`;
  const attempts: [string, string, boolean][] = [
    ['10.96.0.9', '["10.96.0.9"]: failed to allocate IP 10.96.0.9: provided IP is already allocated', false],
    [
      '1.2.3.4',
      '["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
      false,
    ],
    [
      '1.2.3.4',
      '["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided IP (1.2.3.4) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
      true,
    ],
    [
      '10.96.0.0',
      '["10.96.0.0"]: failed to allocate IP 10.96.0.0: the provided IP (10.96.0.0) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
      false,
    ],
  ];
  for (const [clusterIP, why, dryRun] of attempts)
    t.equal(await refusal(client.create(services, service('b', { clusterIP }), { dryRun })), text(why));
  t.equal(
    await refusal(client.create(services, service('b', { ports: [{ port: 0 }] }))),
    '422 Invalid: Service "b" is invalid: [spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive]',
  );
  t.same(await names(client), ['10.96.0.9'], 'addresses of refused writes are released');
});

t.test('a full range is reported', async t => {
  const client = await server(t, () => 0.5);
  await client.create(ranges, range('10.0.0.0/29'));
  const given: unknown[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
    given.push(specOf(await client.create(services, service(name))).clusterIP);
  t.same(given, ['10.0.0.4', '10.0.0.5', '10.0.0.6', '10.0.0.1', '10.0.0.2', '10.0.0.3']);
  t.equal(
    await refusal(client.create(services, service('g'))),
    '500 InternalError: Internal error occurred: failed to allocate a serviceIP for Service "g": range is full',
  );
});

t.test('node ports are allocated and released', async t => {
  const client = await server(t);
  const a = await client.create(services, service('a', { type: 'NodePort' }));
  t.equal(specOf(a).ports?.[0]?.nodePort, 30086);
  const asked = (nodePort: number): Promise<KubeObject> =>
    client.create(services, service('b', { type: 'NodePort', ports: [{ port: 80, nodePort }] }));
  const refused = (nodePort: number, why: string): string =>
    `422 Invalid: Service "b" is invalid: spec.ports[0].nodePort: Invalid value: ${nodePort}: ${why}`;
  t.equal(await refusal(asked(30086)), refused(30086, 'provided port is already allocated'));
  t.equal(
    await refusal(asked(80)),
    refused(80, 'provided port is not in the valid range. The range of valid ports is 30000-32767'),
  );
  const balanced = await client.create(
    services,
    service('b', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }),
  );
  t.equal(specOf(balanced).ports?.[0]?.nodePort, 30087);
  t.equal(specOf(balanced).healthCheckNodePort, 30088);
  const ports = [
    { name: 'x', port: 80, protocol: 'TCP' },
    { name: 'y', port: 80, protocol: 'UDP' },
  ];
  const shared = await client.create(services, service('c', { type: 'NodePort', ports }));
  t.same(
    specOf(shared).ports?.map(port => port.nodePort),
    [30089, 30089],
  );
  const kept = await client.update(services, service('a', { type: 'NodePort', ports: [{ port: 8080 }] }));
  t.equal(specOf(kept).ports?.[0]?.nodePort, 30086);
  const inside = await client.update(services, service('a'));
  t.equal(specOf(inside).ports?.[0]?.nodePort, undefined, 'released when the type changes');
});

t.test('ten concurrent writes get ten addresses and ports', async t => {
  const client = await server(t);
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, i) => client.create(services, service(`s${i}`, { type: 'NodePort' }))),
  );
  t.equal(new Set(all.map(object => specOf(object).clusterIP)).size, 10);
  t.equal(new Set(all.map(object => specOf(object).ports?.[0]?.nodePort)).size, 10);
});
