/** Endpoints of Services, and the default objects of namespaces. as test/e2e/network endpoints.go, endpointslice.go, endpointslicemirroring.go */
import t from 'tap';
import { kit, type Thing } from './kit.js';
import { runningMember } from './running-member.js';

const member = await runningMember(t);
const all = kit(t, member);

t.test('every namespace has the root CA ConfigMap', async t => {
  const maps = all.of('v1/configmaps', await all.namespace());
  const name = 'kube-root-ca.crt';
  const isRight = ({ data }: Thing): boolean =>
    (data as { 'ca.crt'?: string })['ca.crt'] === member.pki.authority.certificate;
  const first = await maps.becomes(name, isRight);
  t.ok(first.metadata.annotations?.['kubernetes.io/description']);
  await maps.remove(name, { gracePeriodSeconds: 0 });
  await maps.becomes(name, thing => isRight(thing) && thing.metadata.uid !== first.metadata.uid);
  await maps.update(name, thing => (thing['data'] = { 'ca.crt': '' }));
  await maps.becomes(name, isRight);
});

t.test('every namespace has a default ServiceAccount, which is recreated', async t => {
  const accounts = all.of('v1/serviceaccounts', await all.namespace());
  const { metadata } = await accounts.becomes('default', () => true);
  await accounts.remove('default');
  const next = await accounts.becomes('default', thing => thing.metadata.uid !== metadata.uid);
  t.not(next.metadata.uid, metadata.uid);
});

interface Slice extends Thing {
  readonly endpoints: readonly { readonly addresses: readonly string[] }[] | null;
  readonly ports: readonly { readonly port: number }[] | null;
}

t.test('a Service without Pods has Endpoints and an EndpointSlice until it is deleted', async t => {
  const namespace = await all.namespace();
  const [services, endpoints] = [all.of('v1/services', namespace), all.of('v1/endpoints', namespace)];
  const slices = all.of('discovery.k8s.io/v1/endpointslices', namespace);
  const chosen = 'labelSelector=kubernetes.io/service-name=empty';
  await services.create({
    metadata: { name: 'empty' },
    spec: { selector: { 'does-not-match': 'anything' }, ports: [{ name: 'example', port: 80, protocol: 'TCP' }] },
  });
  await endpoints.becomes('empty', () => true);
  const [slice] = (await slices.count(1, chosen)) as readonly Slice[];
  t.equal(slice?.metadata.labels?.['endpointslice.kubernetes.io/managed-by'], 'endpointslice-controller.k8s.io');
  t.same(slice?.endpoints ?? [], []);
  await services.remove('empty');
  await endpoints.gone('empty');
  await slices.count(0, chosen);
});

t.test('custom Endpoints are mirrored in EndpointSlices', async t => {
  const namespace = await all.namespace();
  const endpoints = all.of('v1/endpoints', namespace);
  const slices = all.of('discovery.k8s.io/v1/endpointslices', namespace);
  await all.of('v1/services', namespace).create({
    metadata: { name: 'custom' },
    spec: { ports: [{ name: 'example', port: 80, protocol: 'TCP' }] },
  });
  const chosen = 'labelSelector=kubernetes.io/service-name=custom';
  const subset = (ip: string) => [{ ports: [{ port: 80 }], addresses: [{ ip }] }];
  /** Waits until the one EndpointSlice has this address. */
  const mirrors = async (ip: string): Promise<Thing> => {
    const events = await slices.watch(chosen);
    const { object } = await events.until(({ type, object }) => {
      const { endpoints } = object as Slice;
      return type !== 'DELETED' && JSON.stringify(endpoints?.map(({ addresses }) => addresses)) === `[["${ip}"]]`;
    });
    events.stop();
    return object;
  };
  await endpoints.create({ metadata: { name: 'custom' }, subsets: subset('10.1.2.3') });
  t.match(await mirrors('10.1.2.3'), {
    metadata: {
      labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
      ownerReferences: [{ kind: 'Endpoints', name: 'custom' }],
    },
    addressType: 'IPv4',
    ports: [{ port: 80 }],
  });
  await endpoints.update('custom', thing => (thing['subsets'] = subset('10.2.3.4')));
  await mirrors('10.2.3.4');
  t.equal((await slices.list(chosen)).items.length, 1);
  await endpoints.remove('custom');
  await slices.count(0, chosen);
});
