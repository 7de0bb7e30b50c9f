/** `flagship simulate` as its own process: over saved clusters, and over a running control plane, in which nothing changes. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import { karmadaControllers } from '../../cli/parts/karmada-controllers.js';
import { deployments, serviceAccounts } from '../../api/kubernetes/resources.js';
import { kubeconfig, type KubeconfigContext } from '../../authn/pki/kubeconfig.js';
import { freePorts } from '../../tools/etcd.js';
import { runningServer, temporaryFolder } from '../apiserver/running.js';
import { cluster } from '../scheduler/objects.js';
import { until } from '../storage/until.js';
import { programCommand } from './program-command.js';

const simulate = programCommand('flagship', 'simulate');

const withRoom = (name: string, cpu: string): Cluster => {
  const given = cluster(name);
  const resourceSummary = { allocatable: { cpu, memory: '64Gi', pods: '110' } };
  return { ...given, status: { ...given.status, resourceSummary } };
};

const deployment = (name: string, replicas: number): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'a', image: 'a', resources: { requests: { cpu: '1' } } }] },
    },
  },
});

const policy = (name: string, more: object = {}): KubeObject => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy', metadata: { name } },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }],
    placement: {
      replicaScheduling: {
        ...{ replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
        weightPreference: { dynamicWeight: 'AvailableReplicas' },
      },
      ...more,
    },
  },
});

/** Writes objects to a file, and returns its path. */
async function written(t: Test, ...objects: readonly object[]): Promise<string> {
  const file = path.join(await temporaryFolder(t), 'objects.json');
  await fs.writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return file;
}

t.test('resources are decided over saved clusters', async t => {
  const clusters = ['--clusters', await written(t, withRoom('m1', '4'), withRoom('m2', '2'))];
  const fits = await written(t, deployment('fits', 3), policy('fits'), deployment('alone', 1));
  t.match(await simulate('-f', fits, ...clusters), {
    code: 0,
    stdout: `RESOURCE                   POLICY                           RESULT      NOW    WOULD BE       REASON
Deployment default/fits    PropagationPolicy default/fits   new         none   m1: 2, m2: 1
Deployment default/alone                                    no policy                         no policy selects the resource

2 resources: 1 new, 1 no policy
`,
  });
  const large = await written(t, deployment('large', 7), policy('large'));
  t.match(await simulate('-f', large, ...clusters), {
    stdout:
      / does not fit +none +none +failed to assign replicas: failed to scale up: Clusters available replicas 6 are not enough/,
  });
  t.match(await simulate('-f', fits, ...clusters, '--taint', 'm1=x:NoSchedule', '-n', 'web', '-o', 'wide'), {
    stdout: /^Deployment web\/fits .* m1|^m1 +filtered .*TaintToleration/m,
  });
  const { stdout } = await simulate('-f', fits, ...clusters, '-o', 'json');
  t.match(JSON.parse(stdout), {
    kind: 'Simulation',
    items: [{ state: 'new', next: [{ name: 'm1', replicas: 2 }, { name: 'm2' }], explanation: { current: [] } }, {}],
  });
});

t.test('mistakes are reported in one line', async t => {
  const clusters = ['--clusters', await written(t, withRoom('m1', '4'))];
  const broken = await written(t, { ...policy('p'), spec: { resourceSelectors: 'all' } });
  const invalid = await written(t, policy('p', { spreadConstraints: [{ spreadByField: 'region', maxGroups: 1 }] }));
  const rows: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ['--taint', 'm1=a:NoExecut'],
      /^flagship: invalid value "m1=a:NoExecut" for --taint: want .*; did you mean NoExecute\?\n$/,
    ],
    [
      ['--taint', 'm2=a:NoExecute'],
      /^flagship: --taint names the cluster m2, which does not exist; did you mean m1\?\n$/,
    ],
    [['-o', 'txt'], /^flagship: unable to match a printer for "txt": .*; did you mean text\?\n$/],
    [['-f', '/no/such'], /^flagship: the path "\/no\/such" does not exist\n$/],
    [['-f', broken], /^flagship: .*objects\.json: PropagationPolicy "p" has no list spec\.resourceSelectors\n$/],
    [['-f', invalid], /^flagship: .*objects\.json: PropagationPolicy "p" is invalid: .*\n$/],
    [['more'], /^flagship: unknown argument: more\n$/],
  ];
  for (const [args, stderr] of rows) t.match(await simulate(...args, ...clusters), { code: 1, stderr }, args.join(' '));
});

t.test('a server that does not answer, or refuses, is reported in one line', async t => {
  const server = await runningServer(t);
  const file = path.join(server.directory, 'other');
  const simulateAs = async (url: string, user: KubeconfigContext['user']) => {
    const authority = server.pki.authority.certificate;
    await fs.writeFile(file, kubeconfig([{ name: 'test', server: url, authority, user }]));
    return simulate('--kubeconfig', file);
  };
  const [namespace, name] = ['default', 'nobody'];
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } };
  await server.client.create(serviceAccounts, account);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { namespace }, spec: {} };
  const issued = await server.client.create(serviceAccounts, request, { name, subresource: 'token' });
  const { token } = issued['status'] as { token: string };
  t.match(await simulateAs(server.url, { token }), {
    code: 1,
    stderr: /^flagship: clusters\.cluster\.karmada\.io is forbidden: User "system:serviceaccount:default:nobody" .*\n$/,
  });
  const [free] = await freePorts(1);
  t.match(await simulateAs(`https://127.0.0.1:${free}`, { token }), {
    code: 1,
    stderr: `flagship: the control plane at https://127.0.0.1:${free} does not answer: connect ECONNREFUSED 127.0.0.1:${free}\n`,
  });
  t.match(await simulate('-f', `http://127.0.0.1:${free}/x.yaml`, '--kubeconfig', server.kubeconfig), {
    code: 1,
    stderr: /^flagship: unable to read URL "[^\n]*": [^\n]*\n$/,
  });
});

t.test('what a running control plane has is compared, and stays as it is', async t => {
  // There are no members behind these clusters.
  const controllers = (name: string): boolean => !['cluster', 'clusterStatus'].includes(name);
  const server = await runningServer(t, { parts: [scheduler(), karmadaControllers(controllers)] });
  const { client } = server;
  for (const { status, ...given } of [withRoom('m1', '4'), withRoom('m2', '4')]) {
    await client.create(resources.clusters, given);
    const patch = { status };
    const key = { name: given.metadata.name ?? '' };
    await client.patch(resources.clusters, key, { type: 'merge', patch }, { subresource: 'status' });
  }
  const inDefault = <T extends KubeObject>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, namespace: 'default' },
  });
  const first = policy('web', { clusterAffinity: { clusterNames: ['m1'] } });
  await client.create(resources.propagationPolicies, inDefault(first));
  await client.create(deployments, inDefault(deployment('web', 2)));
  const key = { namespace: 'default', name: 'web-deployment' };
  const read = async (): Promise<Binding> => (await client.get(resources.resourceBindings, key)) as Binding;
  await until('the binding to be scheduled', async () => {
    const { items } = await client.list(resources.resourceBindings, { namespace: 'default' });
    return (items as Binding[]).some(({ status }) => status?.lastScheduledTime !== undefined);
  });
  const { spec } = await read();

  const flags = ['--kubeconfig', server.kubeconfig];
  t.match(await simulate(...flags), { stdout: /^Deployment default\/web .* unchanged +m1: 2 +m1: 2$/m });
  const moved = await written(t, policy('web', { clusterAffinity: { clusterNames: ['m2'] } }));
  t.match(await simulate(...flags, '-f', moved), {
    stdout: /^Deployment default\/web .* moves +m1: 2 +m2: 2 +m1: ClusterAffinity: /m,
  });
  const scaled = await written(t, deployment('web', 3));
  t.match(await simulate(...flags, '-f', scaled), { stdout: / moves +m1: 2 +m1: 3$/m });
  t.match(await simulate(...flags, '--taint', 'm1=gone:NoSchedule'), { stdout: / unchanged +m1: 2 +m1: 2$/m });
  t.match(await simulate(...flags, '--taint', 'm1=gone:NoExecute'), {
    stdout: / unchanged +m1: 2 +m1: 2$/m,
    stderr: /^NoExecute taints evict nothing without /,
  });
  const failover = ['--feature-gates', 'Failover=true', '--enable-no-execute-taint-eviction'];
  t.match(await simulate(...flags, ...failover, '--taint', 'm1=gone:NoExecute'), {
    stdout:
      / does not fit +m1: 2 +none +0\/2 clusters are available: 1 cluster\(s\) did not match .*, 1 cluster\(s\) had untolerated taint \{gone:NoExecute\}\.$/m,
  });
  t.strictSame((await read()).spec, spec, 'nothing was written');
  t.equal((await client.list(resources.propagationPolicies)).items.length, 1);
});
