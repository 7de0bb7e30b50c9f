/** `flagship scheduler-estimator` for a simulated member, asked over gRPC with mutual TLS. */
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import t, { type Test } from 'tap';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { remote } from '../../aggregation/remote/client.js';
import { resources } from '../../api/karmada/well-known.js';
import { deployments, namespaces, nodes, resourceQuotas, services } from '../../api/kubernetes/resources.js';
import { createAuthority, issueClient, issueServing } from '../../authn/pki/authority.js';
import { kubeconfig } from '../../authn/pki/kubeconfig.js';
import { find } from '../../client/find.js';
import { atOnce } from '../../lib/time-slice.js';
import { EstimatorConnection } from '../../scheduler/estimators/grpc/connection.js';
import { type EstimatorHandler, serveGrpc } from '../../scheduler/estimators/grpc/server.js';
import {
  readCount,
  readReplicasMessage,
  writeCount,
  writeReplicasMessage,
  writeSetsMessage,
  writeUnschedulableMessage,
} from '../../scheduler/estimators/protocol/messages.js';
import type { EstimatorMethod } from '../../scheduler/estimators/protocol/service.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';
import { freePorts } from '../../tools/etcd.js';
import { run, start, up } from './process.js';

const timeoutMs = 20_000;

/** Starts the estimator on free ports, and resolves when it serves. Returns its log. */
async function startEstimator(t: Test, args: readonly string[]) {
  const child = start(t, ['scheduler-estimator', '--server-port', '0', '--log-format', 'json', ...args]);
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await until('it serves', () => log.includes('estimates are served') || child.exitCode !== null);
  const port = Number(/"port":(\d+)/.exec(log)?.[1]);
  return { child, port, log: () => log };
}

t.test('mistakes in flags are reported in one line', async t => {
  const folder = await temporaryFolder(t);
  const config = path.join(folder, 'config');
  const credential = { certificate: 'c', key: 'k' };
  await fs.writeFile(
    config,
    kubeconfig([{ name: 'm', server: 'https://localhost:1', authority: 'a', user: { credential } }]),
  );
  const rows = [
    ['', '--cluster-name is required'],
    ['--cluster-name m', '--kubeconfig is required'],
    [`--cluster-name m --kubeconfig ${folder}/none`, `invalid value "${folder}/none" for --kubeconfig: ENOENT`],
    [`--cluster-name m --kubeconfig ${config} --server-port 70000`, 'invalid value "70000" for --server-port'],
    [`--cluster-name m --kubeconfig ${config} --kube-api-qps x`, 'invalid value "x" for --kube-api-qps'],
    [`--cluster-name m --kubeconfig ${config} --kube-api-burst 0`, 'invalid value "0" for --kube-api-burst'],
    [`--cluster-name m --parallelism 0`, 'invalid value "0" for --parallelism: must be greater than 0'],
    [`--cluster-name m --kubeconfig ${config} --feature-gates X=true`, 'invalid value "X=true" for --feature-gates'],
    [
      `--cluster-name m --kubeconfig ${config} --metrics-bind-address x`,
      'invalid value "x" for --metrics-bind-address',
    ],
    [`--cluster-name m --kubeconfig ${config} --log-level inof`, 'for --log-level: want one of'],
    [
      `--cluster-name m --kubeconfig ${config} --grpc-auth-cert-file ${folder}/c --grpc-auth-key-file ${folder}/k`,
      `invalid value "${folder}/c" for --grpc-auth-cert-file: ENOENT`,
    ],
    ['more', 'unknown argument: more'],
  ] as const;
  for (const [given, expected] of rows) {
    const { code, err } = await run(t, 'scheduler-estimator', ...given.split(' ').filter(Boolean));
    t.equal(code, 1, given);
    t.ok(err.startsWith('flagship: ') && err.includes(expected) && err.trim().split('\n').length === 1, err);
  }
  t.match(await run(t, 'scheduler-estimator', '--help'), { code: 0, out: /--grpc-client-ca-file FILE/ });
});

t.test('a member is estimated', async t => {
  const folder = await temporaryFolder(t);
  const directory = path.join(folder, 'data');
  await up(t, directory, '--members', '1');
  const all = await fs.readFile(path.join(directory, 'kubeconfig'), 'utf8');
  const config = path.join(folder, 'member1');
  await fs.writeFile(config, all.replace(/current-context: .*/, 'current-context: member1'));
  const member = remote(kubeconfigEndpoint(config), { userAgent: 'test' });
  t.teardown(() => member.close());

  const ca = await createAuthority('ca');
  const serving = await issueServing(ca, ['localhost']);
  const client = await issueClient(ca, { name: 'karmada-scheduler' });
  const file = async (name: string, text: string): Promise<string> => {
    await fs.writeFile(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  const estimator = await startEstimator(t, [
    ...['--kubeconfig', config, '--cluster-name', 'member1', '--feature-gates', 'ResourceQuotaEstimate=true'],
    ...['--grpc-auth-cert-file', await file('tls.crt', serving.certificate)],
    ...['--grpc-auth-key-file', await file('tls.key', serving.key)],
    ...['--grpc-client-ca-file', await file('ca.crt', ca.certificate)],
    ...['--metrics-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '0', '--v=4'],
  ]);
  const pem = (text: string): Buffer => Buffer.from(text);
  const tls = { ca: pem(ca.certificate), cert: pem(client.certificate), key: pem(client.key) };
  const connection = await EstimatorConnection.open(`localhost:${estimator.port}`, tls, { timeoutMs });
  t.teardown(() => connection.close());
  const { signal } = new AbortController();
  const ask = async (method: EstimatorMethod, message: Buffer): Promise<number> =>
    readCount(
      await connection.call(method, message, { object: 'kind=Deployment, name=default/web', timeoutMs, signal }),
    );
  const replicas = (cpu: string, more = {}): Promise<number> =>
    ask(
      'MaxAvailableReplicas',
      writeReplicasMessage({
        cluster: 'member1',
        requirements: { namespace: 'default', resourceRequest: { cpu }, ...more },
      }),
    );

  const { items } = await member.list(nodes);
  const cores = items.map(({ status }) =>
    Number((status as { allocatable: Record<string, string> }).allocatable['cpu']),
  );
  const whole = cores.reduce((sum, count) => sum + Math.floor(count), 0);
  t.equal(await replicas('1'), whole, 'one per core');
  t.equal(await replicas('1', { nodeClaim: { nodeSelector: { zone: 'nowhere' } } }), 0);
  const component = { name: 'c', replicas: 2, replicaRequirements: { resourceRequest: { cpu: '1' } } };
  const sets = writeSetsMessage({ cluster: 'member1', namespace: 'default', components: [component] });
  t.equal(await ask('MaxAvailableComponentSets', sets), Math.floor(whole / 2));
  await t.rejects(ask('MaxAvailableReplicas', writeReplicasMessage({ cluster: 'other' })), {
    message: 'cluster name does not match, got: other, desire: member1',
  });

  const large = Math.max(...cores) + 1;
  const template = (cpu: string) => ({
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
  });
  const create = (name: string, count: number, cpu: string) =>
    member.create(deployments, {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' } },
      spec: { replicas: count, selector: { matchLabels: { app: 'web' } }, template: template(cpu) },
    });
  await create('small', 2, '1');
  await until('its pods count', async () => (await replicas('1')) === whole - 2);
  await create('large', 3, String(large));
  const unschedulable = (name: string, thresholdMs: number): Promise<number> => {
    const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name };
    return ask('GetUnschedulableReplicas', writeUnschedulableMessage({ cluster: 'member1', resource, thresholdMs }));
  };
  await until(
    'three replicas are known as unschedulable',
    async () => (await unschedulable('large', 0).catch(() => 0)) === 3,
  );
  t.equal(await unschedulable('large', 3_600_000), 0);
  t.equal(await unschedulable('small', 0), 0);
  await t.rejects(unschedulable('none', 0), { message: 'deployments.apps "none" not found' });

  await member.create(resourceQuotas, {
    ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'default' } },
    spec: { hard: { cpu: String(2 + 3 * large + 2) } },
  });
  await until('the quota counts', async () => (await replicas('1')) === 2);

  t.match(estimator.log(), /"cluster":"member1"/);
  const exited = once(estimator.child, 'exit');
  estimator.child.kill('SIGTERM');
  t.strictSame(await exited, [0, null]);
  t.notMatch(estimator.log(), /"level":"(?:warn|error)"/);
});

t.test('the scheduler believes the estimator of a member', async t => {
  const asked: string[] = [];
  const two: EstimatorHandler = (_, { object }) => {
    asked.push(object);
    return Promise.resolve(writeCount(2));
  };
  const server = await serveGrpc({
    ...{ host: '127.0.0.1', port: 0 },
    handlers: { MaxAvailableReplicas: two, MaxAvailableComponentSets: two, GetUnschedulableReplicas: two },
  });
  t.teardown(() => server.close());
  const directory = path.join(await temporaryFolder(t), 'data');
  const { child } = await up(t, directory, '--members', '1', '--enable-scheduler-estimator');
  const plane = remote(kubeconfigEndpoint(path.join(directory, 'kubeconfig')), { userAgent: 'test' });
  t.teardown(() => plane.close());
  await plane
    .create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'karmada-system' } })
    .catch(() => undefined); // it exists
  await plane.create(services, {
    ...{ apiVersion: 'v1', kind: 'Service' },
    metadata: { name: 'karmada-scheduler-estimator-member1', namespace: 'karmada-system' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 10352, targetPort: server.port }] },
  });
  await plane.create(resources.propagationPolicies, {
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      placement: {
        replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
      },
    },
  });
  const scheduled = async (name: string): Promise<string> => {
    const found = await find(plane, resources.resourceBindings, { namespace: 'default', name: `${name}-deployment` });
    const { conditions = [] } = (found?.['status'] ?? {}) as { conditions?: { type: string; message: string }[] };
    return conditions.find(({ type }) => type === 'Scheduled')?.message ?? '';
  };
  let attempts = 0;
  // The estimator is found some time after its Service was created: what is scheduled before does without it.
  await until('five replicas do not fit', async () => {
    const name = `web${attempts++}`;
    await plane.create(deployments, {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' } },
      spec: {
        ...{ replicas: 5, selector: { matchLabels: { app: name } } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await until('it is scheduled', async () => (await scheduled(name)) !== '');
    return /2 are not enough/.test(await scheduled(name));
  });
  t.ok(asked.includes(`kind=Deployment, name=default/web${attempts - 1}`), asked.join());
  t.equal(child.exitCode, null);
});

t.test('a member without an estimator is estimated by the control plane', async t => {
  const directory = path.join(await temporaryFolder(t), 'data');
  await up(t, directory, '--members', '1', '--enable-scheduler-estimator');
  const plane = remote(kubeconfigEndpoint(path.join(directory, 'kubeconfig')), { userAgent: 'test' });
  t.teardown(() => plane.close());
  await plane.create(resources.propagationPolicies, {
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      placement: {
        replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
      },
    },
  });
  const create = (name: string, nodeSelector: Readonly<Record<string, string>>) =>
    plane.create(deployments, {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' } },
      spec: {
        ...{ replicas: 2, selector: { matchLabels: { app: name } } },
        template: {
          metadata: { labels: { app: name } },
          spec: { nodeSelector, containers: [{ name: 'c', image: 'i' }] },
        },
      },
    });
  await create('nowhere', { zone: 'nowhere' });
  await create('anywhere', { 'kubernetes.io/os': 'linux' });
  const scheduled = async (name: string): Promise<string> => {
    const found = await find(plane, resources.resourceBindings, { namespace: 'default', name: `${name}-deployment` });
    const { conditions = [] } = (found?.['status'] ?? {}) as { conditions?: { type: string; message: string }[] };
    return conditions.find(({ type }) => type === 'Scheduled')?.message ?? '';
  };
  await until('it fits on no node', async () => /available replicas 0 are not enough/.test(await scheduled('nowhere')));
  await until('it fits', async () => /successful/i.test(await scheduled('anywhere')));
});

t.test('metrics and health are served on one port', async t => {
  const folder = await temporaryFolder(t);
  const directory = path.join(folder, 'data');
  await up(t, directory, '--members', '1');
  const all = await fs.readFile(path.join(directory, 'kubeconfig'), 'utf8');
  const config = path.join(folder, 'member1');
  await fs.writeFile(config, all.replace(/current-context: .*/, 'current-context: member1'));
  const probe = `127.0.0.1:${(await freePorts(1)).join()}`;
  const estimator = await startEstimator(t, [
    ...['--kubeconfig', config, '--cluster-name', 'member1'],
    ...['--metrics-bind-address', probe, '--health-probe-bind-address', probe],
  ]);
  const connection = await EstimatorConnection.open(`localhost:${estimator.port}`, undefined, { timeoutMs });
  t.teardown(() => connection.close());
  const message = writeReplicasMessage({ cluster: 'member1' });
  t.equal(atOnce(readReplicasMessage(message)).cluster, 'member1');
  await connection.call('MaxAvailableReplicas', message, {
    object: '',
    timeoutMs,
    signal: new AbortController().signal,
  });
  const get = async (page: string) => {
    const answer = await fetch(`http://${probe}${page}`);
    return [answer.status, await answer.text()] as const;
  };
  t.strictSame(await get('/healthz'), [200, 'ok']);
  t.equal((await get('/other'))[0], 404);
  const [status, metrics] = await get('/metrics');
  t.equal(status, 200);
  for (const line of [
    'karmada_scheduler_estimator_estimating_request_total{result="success",type="MaxAvailableReplicas"} 1',
    'karmada_scheduler_estimator_estimating_algorithm_duration_seconds_count{result="success",type="MaxAvailableReplicas",step="Total"} 1',
    'karmada_scheduler_estimator_estimating_plugin_extension_point_duration_seconds_count{estimating_plugin_extension_point="estimate_replicas"} 1',
    'karmada_scheduler_estimator_estimating_plugin_execution_duration_seconds_count{estimating_plugin="NodeResourceEstimator",estimating_plugin_extension_point="estimate_replicas"} 1',
  ])
    t.ok(metrics.includes(line), line);
});
