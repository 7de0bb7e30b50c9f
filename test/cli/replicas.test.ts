/** Several processes on one etcd: each serves, one leads, another takes over, and a rolling restart does not interrupt clients. */
import path from 'node:path';
import t from 'tap';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { apiClient, type ApiClient } from '../conformance/call.js';
import { withoutEtcd } from '../storage/etcd-server.js';
import { until } from '../storage/until.js';
import { startBalancer } from './balancer.js';
import type { Up } from './process.js';
import { replicas } from './replicas.js';

const maps = '/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };
const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'v' } });

const fast = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=200ms',
];

const lease = '/apis/coordination.k8s.io/v1/namespaces/karmada-system/leases/karmada-controller-manager';

interface Lease {
  readonly spec: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
}

async function leaseOf(server: ApiClient): Promise<Lease['spec'] | undefined> {
  const { status, text } = await server.call('GET', lease);
  return status === 200 ? (JSON.parse(text) as Lease).spec : undefined;
}

async function exists(server: ApiClient, what: string): Promise<boolean> {
  return (await server.call('GET', what)).status === 200;
}

/** Waits for a result of the controllers: a policy selects a ConfigMap, and its binding is created. */
async function propagates(server: ApiClient, name: string): Promise<void> {
  const policy = {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name },
    spec: {
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name }],
      placement: { clusterAffinity: { clusterNames: ['none'] } },
    },
  };
  const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies';
  await server.call('POST', policies, { headers: json, body: JSON.stringify(policy) });
  await server.call('POST', maps, { headers: json, body: configMap(name) });
  const binding = `/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/${name}-configmap`;
  await until(`the binding of ${name}`, () => exists(server, binding));
}

t.test(
  'every replica serves reads and watches, one leads, and another takes over when the leader is killed',
  { skip: withoutEtcd },
  async t => {
    const { start } = await replicas(t, ...fast);
    const a = await start('a');
    const b = await start('b');
    const seen: string[] = [];
    const watch = await b.server.watch(`${maps}?watch=1`, {}, line => seen.push(line));
    t.equal(watch.type, 'open');
    t.equal((await a.server.call('POST', maps, { headers: json, body: configMap('x') })).status, 201);
    t.equal((await b.server.call('GET', `${maps}/x`)).status, 200, 'at once');
    t.match((await b.server.call('GET', maps)).text, /"name":"x"/, 'and in lists');
    await until('the event of the watch', () => seen.some(line => line.includes('"name":"x"')));
    if (watch.type === 'open') watch.close();

    await propagates(b.server, 'first');
    const before = await leaseOf(b.server);
    t.match(before?.holderIdentity, /^.+_[0-9a-f-]{36}$/);
    await a.end('SIGKILL');
    await until('another replica leads', async () => {
      const now = await leaseOf(b.server);
      return now?.holderIdentity !== before?.holderIdentity && now?.leaseTransitions === 1;
    });
    await propagates(b.server, 'second');

    // A leader that was suspended for too long finds another leader, and stops its controllers.
    const stopped = await start('stopped');
    const holder = (await leaseOf(stopped.server))?.holderIdentity;
    b.child.kill('SIGSTOP');
    await until('the one that runs leads', async () => (await leaseOf(stopped.server))?.holderIdentity !== holder);
    const taken = (await leaseOf(stopped.server))?.holderIdentity;
    b.child.kill('SIGCONT');
    await until('the other one serves', async () => (await b.server.call('GET', '/readyz')).status === 200);
    await propagates(b.server, 'resumed');
    t.equal((await leaseOf(b.server))?.holderIdentity, taken, 'it does not take the lease back');
    await stopped.end('SIGTERM');
    await until('it leads again', async () => (await leaseOf(b.server))?.holderIdentity === holder);
    await propagates(b.server, 'again');

    // A leader that stops normally releases the lease, so that the next one does not wait for its expiry.
    const c = await start('c');
    const held = await leaseOf(c.server);
    await b.end('SIGTERM');
    await until('the next one leads', async () => (await leaseOf(c.server))?.holderIdentity !== held?.holderIdentity);
    await propagates(c.server, 'third');
    t.equal(c.complaints(), '', 'there are no errors in its log');
  },
);

t.test('a rolling restart behind a load balancer: no request fails', { skip: withoutEtcd }, async t => {
  const { start, folder } = await replicas(t, ...fast, '--controllers=-*', '--shutdown-delay-duration=2s');
  const balancer = await startBalancer(t);
  const begin = async (name: string): Promise<Up> => {
    const replica = await start(name);
    balancer.add(replica);
    await until(`${name} is used`, () => balancer.uses(replica));
    return replica;
  };
  const old = [await begin('a'), await begin('b')];
  const endpoint = kubeconfigEndpoint(path.join(folder, 'a', 'kubeconfig'));
  const client = apiClient({ ...endpoint, server: `https://127.0.0.1:${balancer.port}` }, 'client/1.0');
  t.teardown(() => client.close());
  const failures: string[] = [];
  let answered = 0;
  let running = true;
  const worker = async (name: string): Promise<void> => {
    for (let i = 0; running; i++) {
      const asked = i % 2 === 0 ? `POST ${maps}` : `GET ${maps}/${name}-${i - 1}`;
      const [method = '', where = ''] = asked.split(' ');
      const ask = i % 2 === 0 ? { headers: json, body: configMap(`${name}-${i}`) } : {};
      const result = await client.call(method, where, ask).then(
        reply => (reply.status < 300 ? undefined : `${reply.status} ${reply.text.slice(0, 200)}`),
        (error: unknown) => String(error),
      );
      if (result === undefined) answered++;
      else failures.push(`${asked}: ${result}`);
    }
  };
  const workers = Promise.all(['p', 'q', 'r', 's'].map(worker));
  for (const [i, replica] of old.entries()) {
    await begin(`new${i}`);
    const enough = answered + 50;
    await until('it serves', () => answered > enough);
    await replica.end('SIGTERM');
  }
  const enough = answered + 50;
  await until('the new ones serve', () => answered > enough);
  running = false;
  await workers;
  t.same(failures, [], `of ${answered + failures.length} requests`);
});
