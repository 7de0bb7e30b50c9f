import t from 'tap';
import { IdentityLease, identityOf, type IdentityOptions } from '../../../controllers/platform/identity-lease.js';
import type { Lease } from '../../../api/kubernetes/coordination.js';
import { serve, until } from '../../authn/serve.js';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const namespace = 'kube-system';
const at = (name: string) => ({ namespace, name });

t.test('the name is that of kube-apiserver on the same host', async t => {
  t.equal(identityOf('vm'), 'apiserver-wlv32tlttr4jl3gtroqexyxapa'); // observed in the etcd of a kube-apiserver
  t.match(identityOf('other'), /^apiserver-[a-z2-7]{26}$/);
});

t.test('a server renews its Lease, and deletes it when it stops', async t => {
  const { client, bootstrap } = await serve(t);
  await bootstrap();
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  let time = Date.parse('2026-01-01T00:00:00Z');
  const errors: unknown[] = [];
  const options = (hostname: string, every = 3600_000): IdentityOptions => ({
    ...{ client, hostname, every, signal: stop.signal, now: () => new Date(time) },
    onError: error => errors.push(error),
  });
  const read = async (hostname: string) => (await client.get(leases, at(identityOf(hostname)))) as Lease;

  const first = new IdentityLease(options('a', 5));
  await first.claim();
  const claimed = await read('a');
  t.match(claimed, {
    metadata: { labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'a' } },
    spec: { leaseDurationSeconds: 3600, renewTime: '2026-01-01T00:00:00.000000Z' },
  });
  t.match(claimed.spec?.holderIdentity, new RegExp(`^${identityOf('a')}_[\\da-f-]{36}$`));

  time += 10_000;
  await until(async () => (await read('a')).spec?.renewTime === '2026-01-01T00:00:10.000000Z');
  t.equal((await read('a')).spec?.holderIdentity, claimed.spec?.holderIdentity);
  await client.delete(leases, at(identityOf('a')));
  await until(async () => (await client.list(leases, { namespace })).items.length === 1);
  t.pass('it is created again after a deletion');

  const second = new IdentityLease(options('a'));
  await second.claim();
  const taken = await read('a');
  t.not(taken.spec?.holderIdentity, claimed.spec?.holderIdentity, 'the last server that starts on a host holds it');
  time += 10_000;
  await until(async () => (await read('a')).spec?.renewTime === '2026-01-01T00:00:20.000000Z');
  t.equal((await read('a')).spec?.holderIdentity, taken.spec?.holderIdentity, 'others renew it without taking it over');

  await first.retire();
  t.same((await client.list(leases, { namespace })).items, [], 'a server that stops deletes it');
  await second.retire();
  t.same(errors, []);

  const long = new IdentityLease(options('h'.repeat(64)));
  await long.claim();
  const labels = (await read('h'.repeat(64))).metadata.labels;
  t.strictSame(
    labels,
    { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
    'the hostname is not a valid label value',
  );
});

t.test('expired Leases of other servers are deleted', async t => {
  const { client, bootstrap } = await serve(t);
  await bootstrap();
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const lease = async (name: string, spec: object, identity = 'kube-apiserver'): Promise<void> => {
    const labels = { 'apiserver.kubernetes.io/identity': identity };
    const metadata = { ...at(name), labels };
    await client.create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
  };
  let time = Date.parse('2026-01-01T02:00:00Z');
  const renewTime = '2026-01-01T01:00:00.000000Z';
  await lease('gone', { leaseDurationSeconds: 3599, renewTime });
  await lease('fresh', { leaseDurationSeconds: 3600, renewTime });
  await lease('timeless', { leaseDurationSeconds: 3600 });
  await lease('endless', { renewTime });
  await lease('of-another-component', { leaseDurationSeconds: 1, renewTime }, 'sample-apiserver');
  const names = async () => (await client.list(leases, { namespace })).items.map(item => item.metadata.name);
  const onError = (error: unknown): void => void t.fail(String(error));
  const signal = stop.signal;
  await new IdentityLease({ client, hostname: 'vm', now: () => new Date(time), every: 5, signal, onError }).claim();
  t.same(await names(), [identityOf('vm'), 'fresh', 'of-another-component']);
  time += 3599_000;
  const renewed = async () => ((await client.get(leases, at(identityOf('vm')))) as Lease).spec?.renewTime;
  await until(async () => (await renewed()) === '2026-01-01T02:59:59.000000Z');
  t.ok((await names()).includes('fresh'), 'they are checked once an hour');
  time += 1000;
  await until(async () => !(await names()).includes('fresh'));
});

t.test('failed reads and writes of the Lease are reported', async t => {
  const { client, bootstrap } = await serve(t);
  await bootstrap();
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const errors: unknown[] = [];
  const broken = new Error('the disk is gone');
  const failing = (verbs: Partial<typeof client>): IdentityOptions => ({
    ...{ client: { ...client, ...verbs }, hostname: 'b', every: 3600_000, signal: stop.signal, now: () => new Date() },
    onError: error => errors.push(error),
  });
  await new IdentityLease(failing({ create: () => Promise.reject(broken) })).claim();
  t.same(errors.splice(0), [broken]);
  await new IdentityLease(failing({})).claim();
  t.same(errors, []);
  await new IdentityLease(failing({ get: () => Promise.reject(broken) })).claim();
  t.same(errors, [broken], 'the previous holder cannot be read');
});
