/** The leader is killed in the middle of a failover: another server on the same etcd goes on with it, at the times that were due before. */
import path from 'node:path';
import t, { type Test } from 'tap';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { annotations, resources } from '../../api/karmada/well-known.js';
import { deployments, leases, nodes, pods } from '../../api/kubernetes/resources.js';
import { boundTokens } from '../../aggregation/members/accounts.js';
import { joinCluster } from '../../aggregation/members/join.js';
import type { Endpoint } from '../../aggregation/interface.js';
import { remote } from '../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import type { Client } from '../../client/interface.js';
import { find } from '../../client/find.js';
import { follow } from '../../client/watch/follow.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';
import { silent } from '../../server/logger.js';
import { startFleet } from '../../simulator/fleet.js';
import { replicas } from '../cli/replicas.js';
import { withoutEtcd } from '../storage/etcd-server.js';
import { temporaryFolder } from '../storage/folder.js';
import { until } from '../storage/until.js';

/** How long workloads tolerate a failed member, an application may be unhealthy, and a graceful eviction takes at most. */
const toleratedMs = 40_000;

const flags = [
  ...['--leader-elect-lease-duration=4s', '--leader-elect-renew-deadline=3s', '--leader-elect-retry-period=300ms'],
  ...['--feature-gates=Failover=true', '--enable-no-execute-taint-eviction', '--allow-no-execute-taint-policy'],
  ...['--cluster-status-update-frequency=500ms', '--cluster-failure-threshold=1s', '--cluster-success-threshold=1s'],
  ...['--resource-eviction-rate=2', `--graceful-eviction-timeout=${toleratedMs}ms`],
];

const names = ['member1', 'member2', 'member3'];

/** The members of a control plane, which run on when its servers are killed. */
async function members(t: Test) {
  const directory = await temporaryFolder(t);
  const fleet = await startFleet({ names, directory, host: '127.0.0.1', firstPort: 0 }, silent);
  t.teardown(() => fleet.stop());
  const clientOf = (endpoint: Endpoint) => {
    const client = remote(endpoint, { userAgent: 'test' });
    t.teardown(() => client.close());
    return client;
  };
  const each = fleet.members.map(({ name, url, caBundle, admin }) => {
    const login = { clientCertificate: admin.certificate, clientKey: admin.key };
    return { name, url, caBundle, client: clientOf({ server: url, ca: caBundle, ...login }) };
  });
  const tokens = boundTokens(refusal => {
    throw refusal;
  });
  return {
    of: (name: string): Client => each.find(member => member.name === name)?.client as Client,
    async join(control: Client): Promise<void> {
      for (const { name, url, caBundle, client } of each)
        await joinCluster({ name, control, member: client, endpoint: url, authority: caBundle, tokens });
    },
    stop: (name: string): Promise<void> => fleet.setReachability(name, { state: 'stopped', silent: false }),
    clientOf,
  };
}

type Members = Awaited<ReturnType<typeof members>>;

/** A Deployment with one replica in each of its clusters, and its policy. */
function workload(name: string, clusterNames: readonly string[], placement: object, failover: object): KubeObject[] {
  const labels = { app: name };
  return [
    {
      ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
      metadata: { name, namespace: 'default' },
      spec: {
        resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }],
        placement: { clusterAffinity: { clusterNames }, ...placement },
        ...{ propagateDeps: true, failover },
      },
    },
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' } },
      spec: {
        ...{ replicas: 1, selector: { matchLabels: labels } },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
      },
    },
  ];
}

const policies = { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'propagationpolicies' };
const taintPolicies = { ...policies, resource: 'clustertaintpolicies' };
const tolerating = (tolerationSeconds?: number) => ({
  clusterTolerations: [{ key: 'failed', operator: 'Exists', ...(tolerationSeconds && { tolerationSeconds }) }],
});
const gracefully = { cluster: { purgeMode: 'Gracefully' } };
const timed = ['timed-1', 'timed-2', 'timed-3'];

const workloads: readonly (readonly KubeObject[])[] = [
  ...timed.map(name => workload(name, ['member1', 'member2'], tolerating(toleratedMs / 1000), gracefully)),
  workload('stayer', ['member1', 'member2'], tolerating(), gracefully),
  // It leaves at once. Its task lasts, since its other copy is not healthy.
  workload('leaver', ['member1', 'member3'], {}, gracefully),
  workload(
    'app',
    ['member2', 'member3'],
    { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }] },
    {
      application: {
        decisionConditions: { tolerationSeconds: toleratedMs / 1000 },
        ...{ purgeMode: 'Gracefully', gracePeriodSeconds: 600 },
      },
    },
  ),
];

const taintPolicy: KubeObject = {
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'ClusterTaintPolicy', metadata: { name: 'failed' } },
  spec: {
    addOnConditions: [{ conditionType: 'Ready', operator: 'NotIn', statusValues: ['True'] }],
    taints: [{ key: 'failed', effect: 'NoExecute' }],
  },
};

/** A state of a binding: its targets and the clusters that it leaves, such as `member2 < member1`. */
const stateOf = ({ spec }: Binding): string => {
  const targets = (spec.clusters ?? []).map(({ name }) => name).sort();
  const left = (spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster);
  return [targets.join(), ...(left.length > 0 ? [left.join()] : [])].join(' < ');
};

interface Seen {
  readonly state: string;
  /** The number of changes of the spec until then. */
  readonly changes: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Returns the spec without the version of the template, which is that of its status, too: the first reconciliation by a new leader updates it. Targets
 * come in the order of their names: a new leader schedules what is duplicated anew, and puts a member that has failed last, as Karmada does.
 */
function decisionIn({ spec }: Binding): string {
  const { resourceVersion: _, ...resource } = spec.resource;
  const clusters = [...(spec.clusters ?? [])].sort((a, b) => compareTexts(a.name, b.name));
  return JSON.stringify({ ...spec, resource, clusters });
}

/** Records the states of the bindings as one server shows them. */
class Record {
  readonly #current = new Map<string, Binding>();
  readonly #changes = new Map<string, number>();
  readonly #states = new Map<string, Seen[]>();

  constructor(t: Test, client: Client) {
    const stop = new AbortController();
    t.teardown(() => stop.abort());
    follow(resources.resourceBindings, {
      ...{ client, signal: stop.signal, onError: () => undefined },
      onChange: (_key, _old, cached) => cached && this.#note(cached.object as Binding),
    });
  }

  #note(binding: Binding): void {
    const name = (binding.metadata.name ?? '').replace(/-deployment$/, '');
    const before = this.#current.get(name);
    this.#current.set(name, binding);
    const changes = this.changes(name) + Number(!before || decisionIn(before) !== decisionIn(binding));
    this.#changes.set(name, changes);
    const states = this.#states.get(name) ?? [];
    this.#states.set(name, states);
    const state = stateOf(binding);
    // Before the first decision it has no state.
    const last = states.at(-1)?.state ?? '';
    if (last !== state) states.push({ state, changes, at: Date.now() });
  }

  of(name: string): Binding | undefined {
    return this.#current.get(name);
  }

  changes(name: string): number {
    return this.#changes.get(name) ?? 0;
  }

  states(name: string): readonly Seen[] {
    return this.#states.get(name) ?? [];
  }

  state(name: string): string {
    return this.states(name).at(-1)?.state ?? '';
  }

  isHealthyIn(name: string, cluster: string): boolean {
    const reported = this.of(name)?.status?.aggregatedStatus ?? [];
    return reported.some(({ clusterName, health }) => clusterName === cluster && health === 'Healthy');
  }
}

/** Sets whether the nodes of a member take new Pods. */
async function cordon(member: Client, unschedulable: boolean): Promise<void> {
  for (const { metadata } of (await member.list(nodes)).items)
    await member.patch(nodes, { name: metadata.name ?? '' }, { type: 'merge', patch: { spec: { unschedulable } } });
}

/** Makes an application unhealthy in a member: no node takes its next Pod. */
async function breakIn(member: Client, app: string): Promise<void> {
  await cordon(member, true);
  for (const { metadata } of (await member.list(pods, { namespace: 'default', labelSelector: `app=${app}` })).items)
    await member.delete(pods, { namespace: 'default', name: metadata.name ?? '' });
}

/** The holders of the leases of Karmada's components. */
async function holders(client: Client): Promise<readonly string[]> {
  const held = await Promise.all(
    ['karmada-controller-manager', 'karmada-scheduler'].map(name =>
      find(client, leases, { namespace: 'karmada-system', name }),
    ),
  );
  return held.map(lease => (lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity ?? '');
}

/** Brings the workloads to their members. Resolves when all are healthy there. */
async function deploy(control: Client, fleet: Members, record: Record): Promise<void> {
  await fleet.join(control);
  await until('all members are ready', async () => {
    const { items } = await control.list(resources.clusters);
    return items.length === names.length && (items as Cluster[]).every(isClusterReady);
  });
  for (const [policy, deployment] of workloads as readonly [KubeObject, KubeObject][]) {
    await control.create(policies, policy);
    await control.create(deployments, deployment);
  }
  await control.create(taintPolicies, taintPolicy);
  const expected = { 'timed-1': 2, 'timed-2': 2, 'timed-3': 2, stayer: 2, leaver: 2, app: 1 };
  for (const [name, copies] of Object.entries(expected))
    await until(`${name} is healthy`, () => names.filter(each => record.isHealthyIn(name, each)).length === copies);
}

t.test(
  'a leader that is killed during a failover: evictions happen once, when they were due, and tasks end when they were due',
  { skip: withoutEtcd, timeout: 600_000 },
  async t => {
    const fleet = await members(t);
    const { start, folder } = await replicas(t, ...flags);
    const first = await start('a');
    const control = fleet.clientOf(kubeconfigEndpoint(path.join(folder, 'a', 'kubeconfig')));
    await until('it leads', async () => (await holders(control)).every(holder => holder !== ''));
    const leaders = await holders(control);
    await start('b');
    const other = fleet.clientOf(kubeconfigEndpoint(path.join(folder, 'b', 'kubeconfig')));
    const record = new Record(t, other);
    await deploy(control, fleet, record);
    const home = record.state('app');
    const refuge = home === 'member2' ? 'member3' : 'member2';

    // The copies of `leaver` in member3 and of `app` in its member become unhealthy, and member1 fails.
    await breakIn(fleet.of('member3'), 'leaver');
    await breakIn(fleet.of(home), 'app');
    await until('both are unhealthy', () =>
      ['leaver', 'app'].every(name => !record.isHealthyIn(name, name === 'app' ? home : 'member3')),
    );
    await fleet.stop('member1');
    await until('an eviction is under way', () =>
      Boolean(record.of('leaver')?.spec.gracefulEvictionTasks?.[0]?.creationTimestamp),
    );
    const noted = (): string | undefined => record.of('app')?.metadata.annotations?.[annotations.unhealthySince];
    await until('the time of the application is noted', () => noted() !== undefined);
    const { spec } = (await other.get(resources.clusters, { name: 'member1' })) as Cluster;
    const taintedAt = Date.parse(spec.taints?.find(({ key }) => key === 'failed')?.timeAdded ?? '');
    const unhealthyAt = Date.parse((JSON.parse(noted() ?? '{}') as { readonly [cluster: string]: string })[home] ?? '');
    const leftAt = Date.parse(record.of('leaver')?.spec.gracefulEvictionTasks?.[0]?.creationTimestamp ?? '');

    // The leader dies when half of each time has passed.
    await until('half of the time', () => Date.now() > Math.max(taintedAt, unhealthyAt, leftAt) + toleratedMs / 2);
    const before = new Map([...timed, 'stayer', 'leaver', 'app'].map(name => [name, record.changes(name)]));
    for (const name of timed) t.equal(record.state(name), 'member1,member2', `${name} is not due yet`);
    await first.end('SIGKILL');
    const killedAt = Date.now();
    await until('the other one leads', async () => (await holders(other)).every(holder => !leaders.includes(holder)));

    await until('all evictions', () => timed.every(name => record.states(name).length > 1));
    await until('the application is evicted', () => record.states('app').length > 1);
    await until('the tasks end', () => timed.every(name => record.state(name) === 'member2'));
    await until('the task that was under way ends', () => record.state('leaver') === 'member3');
    await cordon(fleet.of(refuge), false);
    await until('the application has moved', () => record.state('app') === refuge);

    /** The time of an event: not before it is due, and before a time that had started anew would be over. */
    const isInTime = (what: string, since: number, { at = NaN }: Partial<Seen> = {}): void => {
      t.ok(at >= since + toleratedMs, `${what} is not early: ${at - since} ms`);
      t.ok(at < killedAt + toleratedMs, `${what} is not late: ${at - killedAt} ms after the kill`);
    };
    for (const name of timed) {
      const states = record.states(name);
      t.same(
        states.map(({ state }) => state),
        ['member1,member2', 'member2 < member1', 'member2'],
        name,
      );
      isInTime(name, taintedAt, states[1]);
      t.equal((states[1]?.changes ?? 0) - (before.get(name) ?? 0), 1, 'nothing else has changed since the kill');
    }
    t.same(
      record.states('leaver').map(({ state }) => state),
      ['member1,member3', 'member3 < member1', 'member3'],
    );
    isInTime('the end of the task', leftAt, record.states('leaver').at(-1));
    t.equal((record.states('leaver').at(-1)?.changes ?? 0) - (before.get('leaver') ?? 0), 1);
    isInTime('the eviction of the application', unhealthyAt, record.states('app')[1]);
    t.equal((record.states('app')[1]?.changes ?? 0) - (before.get('app') ?? 0), 1);
    t.same(
      record.states('stayer').map(({ state }) => state),
      ['member1,member2'],
      'what tolerates it stays',
    );
    t.equal(record.changes('stayer'), before.get('stayer'), 'and nothing of it changes');
  },
);
