/** karmadactl's commands for clusters in pull mode: tokens, registration and its end, between a control plane and a member. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { parseKubeconfig } from '../../aggregation/remote/kubeconfig.js';
import { remote } from '../../aggregation/remote/client.js';
import { resources } from '../../api/karmada/well-known.js';
import {
  certificateSigningRequests,
  deployments,
  namespaces,
  secrets,
  serviceAccounts,
} from '../../api/kubernetes/resources.js';
import { rbac } from '../../aggregation/members/resources.js';
import { kubeconfig } from '../../authn/pki/kubeconfig.js';
import { karmadaControllers } from '../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../cli/parts/kubernetes-controllers.js';
import { find } from '../../client/find.js';
import { silent } from '../../server/logger.js';
import { startMember } from '../../simulator/member.js';
import { runningServer, temporaryFolder, type TestServer } from '../apiserver/running.js';
import { programCommand } from './program-command.js';

const all = (): boolean => true;
const karmadactl = programCommand('karmadactl');

const controlPlane = (t: Test): Promise<TestServer> =>
  runningServer(t, { parts: [kubernetesControllers(all), karmadaControllers(all)] });

/** Starts a member, and returns it with a kubeconfig of its administrator. */
async function member(t: Test) {
  const directory = await temporaryFolder(t);
  const running = await startMember({ name: 'edge', directory, host: '127.0.0.1', log: silent });
  t.teardown(() => running.stop());
  const file = path.join(directory, 'kubeconfig');
  const { pki, url } = running;
  const user = { credential: pki.admin };
  const text = kubeconfig([{ name: 'edge', server: url, authority: pki.authority.certificate, user }]);
  await fs.writeFile(file, text, { mode: 0o600 });
  const login = { clientCertificate: pki.admin.certificate, clientKey: pki.admin.key };
  const client = remote({ server: url, ca: pki.authority.certificate, ...login }, { userAgent: 'test' });
  t.teardown(() => client.close());
  return { client, file, url };
}

t.test('tokens are created, listed and deleted', async t => {
  const server = await controlPlane(t);
  const flags = ['--kubeconfig', server.kubeconfig];
  t.match(await karmadactl('token', 'list', ...flags), {
    code: 0,
    stdout: /^TOKEN +TTL +EXPIRES +USAGES +DESCRIPTION +EXTRA GROUPS\n$/,
  });
  const made = await karmadactl(
    'token',
    'create',
    ...flags,
    '--ttl',
    '0',
    '--usages',
    'signing',
    '--groups',
    '',
    '--description',
    'for edge',
  );
  t.match(made, { code: 0, stdout: /^[a-z0-9]{6}\.[a-z0-9]{16}\n$/ });
  const token = made.stdout.trim();
  const [id = ''] = token.split('.');
  t.match(await karmadactl('token', 'list', ...flags), {
    code: 0,
    stdout: new RegExp(`\\n${token} +<forever> +<never> +signing +for edge +<none>\\n`),
  });
  const command = await karmadactl('token', 'create', ...flags, '--print-register-command');
  t.match(command, {
    code: 0,
    stdout:
      /^karmadactl register 127\.0\.0\.1:\d+ --token \S{23} --discovery-token-ca-cert-hash sha256:[0-9a-f]{64}\n$/,
  });
  t.match(
    (await karmadactl('token', 'list', ...flags)).stdout,
    / 23h +\S+Z +authentication,signing +<none> +system:bootstrappers:karmada:default-cluster-token\n/,
  );
  t.match(await karmadactl('token', 'delete', ...flags, token), {
    code: 0,
    stdout: `bootstrap token "${id}" deleted\n`,
  });
  t.match(await karmadactl('token', 'delete', ...flags, id), {
    code: 1,
    stderr: `error: bootstrap token "${id}" not found\n`,
  });
  for (const [args, expect] of [
    [['delete', 'x'], '"x" is neither a token ("ID.SECRET") nor its id'],
    [['delete'], 'the token to delete is missing: karmadactl token delete TOKEN'],
    [
      ['create', '--usages', 'sign'],
      'invalid value "sign" for --usages: want signing or authentication; did you mean signing?',
    ],
    [['create', '--groups', 'x'], /invalid value "x" for --groups: must match/],
    [['create', '--ttl', '1y'], /invalid value "1y" for --ttl/],
    [['lst'], 'unknown command "lst" for "karmadactl token"; did you mean list?'],
  ] as const) {
    const { code, stderr } = await karmadactl('token', ...args, ...flags);
    t.equal(code, 1);
    t.match(stderr, expect);
  }
  t.match(await karmadactl('token'), { code: 0, stdout: /karmadactl token create/ });
});

t.test('a cluster registers with a token, once, and its agent has access', async t => {
  const server = await controlPlane(t);
  const edge = await member(t);
  const { stdout } = await karmadactl('token', 'create', '--kubeconfig', server.kubeconfig, '--print-register-command');
  const [, ...printed] = stdout.trim().split(' ');
  const wanted = ['--kubeconfig', edge.file, '--cluster-name', 'edge', '--cluster-region', 'north'];
  t.match(await karmadactl(...printed, ...wanted, '--dry-run'), {
    code: 0,
    stdout: /All pre-flight checks were passed\n$/,
  });

  const pin = printed.at(-1) ?? '';
  const other = printed.with(-1, `sha256:${'0'.repeat(64)}`);
  t.match(await karmadactl(...other, ...wanted), {
    code: 1,
    stderr: `error: cluster CA found in cluster-info ConfigMap is invalid: its hash is ${pin}\n`,
  });
  const token = printed[3] ?? '';
  const forged = printed.with(3, `${token.slice(0, 7)}0000000000000000`);
  t.match(await karmadactl(...forged, ...wanted), { code: 1, stderr: /failed to verify JWS signature/ });
  const unknown = printed.with(3, 'zzzzzz.0000000000000000');
  t.match(await karmadactl(...unknown, ...wanted, '--discovery-timeout', '1ms'), {
    code: 1,
    stderr: /has no signature of the token zzzzzz/,
  });
  t.equal(await find(edge.client, namespaces, { name: 'karmada-system' }), undefined, 'nothing is created by then');

  const registered = await karmadactl(...printed, ...wanted, '--enable-cert-rotation');
  t.match(registered, { code: 0, stdout: /\ncluster\(edge\) is joined successfully\n$/ });

  const secret = await edge.client.get(secrets, { namespace: 'karmada-system', name: 'karmada-kubeconfig' });
  const { 'karmada-kubeconfig': encoded = '' } = secret['data'] as Record<string, string>;
  const text = Buffer.from(encoded, 'base64').toString();
  t.match(text, 'current-context: edge@karmada-apiserver');
  const agent = remote(parseKubeconfig(text, 'the Secret'), { userAgent: 'test' });
  t.teardown(() => agent.close());
  t.match(await agent.list(resources.works, { namespace: 'karmada-es-edge' }), { items: [] });
  t.match(await agent.list(resources.clusters), { items: [] });
  await t.rejects(agent.list(resources.works, { namespace: 'karmada-es-other' }), { code: 403 }, 'only its own Works');
  await t.rejects(agent.list(secrets), { code: 403 });
  await t.rejects(agent.get(secrets, { namespace: 'karmada-cluster', name: 'edge' }), { code: 404 }, 'its own Secret');
  const { metadata } = await server.client.get(namespaces, { name: 'karmada-es-edge' });
  t.match(metadata.labels, { 'karmada.io/system': 'true' });
  await server.client.get(rbac('clusterroles'), { name: 'system:karmada:edge:agent' });
  const requests = (await server.client.list(certificateSigningRequests)).items.map(({ metadata: { name } }) => name);
  t.match(requests, [/^edge-/], 'the request for the generator of roles is deleted');

  const deployment = await edge.client.get(deployments, { namespace: 'karmada-system', name: 'karmada-agent' });
  t.match(JSON.stringify(deployment['spec']), '"--controllers=*,certRotation"');
  t.match(JSON.stringify(deployment['spec']), `"--cluster-api-endpoint=${edge.url}"`);
  t.match(JSON.stringify(deployment['spec']), '"--cluster-region=north"');
  await edge.client.get(serviceAccounts, { namespace: 'karmada-system', name: 'karmada-agent-sa' });

  const again = await karmadactl(...printed, ...wanted);
  t.match(again, { code: 1, stderr: /karmada-system\/karmada-agent Deployment already exists/ });
  const elsewhere = await member(t);
  const cluster = {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'edge' },
    spec: { syncMode: 'Pull' },
  };
  await server.client.create(resources.clusters, cluster);
  const taken = await karmadactl(...printed, '--kubeconfig', elsewhere.file, '--cluster-name', 'edge');
  t.match(taken, { code: 1, stderr: 'error: failed to register as cluster with name edge already exists\n' });
  const role = { name: 'system:karmada:edge:agent' };
  t.ok(await find(server.client, rbac('clusterroles'), role), 'its roles stay');

  const unregister = (...args: string[]) =>
    karmadactl('unregister', 'edge', '--cluster-kubeconfig', edge.file, ...args);
  t.match(await unregister('--dry-run'), { code: 0, stdout: 'cluster(edge) can be unregistered (dry run)\n' });
  const work = { apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', spec: { workload: { manifests: [] } } };
  const held = { namespace: 'karmada-es-edge', name: 'held' };
  await server.client.create(resources.works, { ...work, metadata: { ...held, finalizers: ['test/held'] } });
  t.match(await unregister('--wait', '1s'), {
    code: 1,
    stderr: /timed out after 1s: 1 Works of cluster edge are left, which the agent must release; does it run\?/,
  });
  t.ok(await find(edge.client, deployments, { namespace: 'karmada-system', name: 'karmada-agent' }), 'the agent stays');
  const { metadata: kept } = await server.client.get(resources.clusters, { name: 'edge' });
  t.equal(kept.deletionTimestamp, undefined, 'the Cluster is not deleted before its Works');
  await server.client.patch(resources.works, held, { type: 'merge', patch: { metadata: { finalizers: null } } });
  t.match(await unregister('--karmada-config', server.kubeconfig), {
    code: 0,
    stdout: 'cluster(edge) is unregistered successfully\n',
  });
  t.equal(await find(server.client, resources.clusters, { name: 'edge' }), undefined);
  t.equal(await find(server.client, rbac('clusterroles'), role), undefined);
  const system = 'karmada-system';
  t.equal(await find(edge.client, secrets, { namespace: system, name: 'karmada-kubeconfig' }), undefined);
  t.equal(await find(edge.client, deployments, { namespace: system, name: 'karmada-agent' }), undefined);
  t.equal(await find(edge.client, rbac('clusterroles'), { name: 'karmada-agent' }), undefined);
  t.match(await unregister(), {
    code: 1,
    stderr: /the cluster has no Deployment karmada-system\/karmada-agent; --karmada-config/,
  });
  t.match(await unregister('--karmada-config', server.kubeconfig), {
    code: 1,
    stderr: 'error: no cluster object edge found in karmada control Plane\n',
  });
});

t.test('mistakes in the flags of register are reported in one line', async t => {
  const edge = ['--kubeconfig', '/no/such/file'];
  const token = ['--token', 'abcdef.0123456789abcdef'];
  for (const [args, expect] of [
    [[], 'the address of the control plane is required: HOST:PORT'],
    [['a:1'], '--token is required'],
    [['a:1', 'b'], 'unknown argument: b'],
    [['a:1', '--token', 'x'], /invalid value for --token/],
    [['a:1', ...token], 'need to verify CACertHashes, or set --discovery-token-unsafe-skip-ca-verification=true'],
    [['a:1', ...token, '--discovery-token-ca-cert-hash', 'x'], /invalid value "x" for --discovery-token-ca-cert-hash/],
    [
      ['a:1', ...token, '--discovery-token-unsafe-skip-ca-verification', '--cluster-name', 'A'],
      /invalid cluster name\(A\)/,
    ],
    [
      ['a:1', ...token, '--discovery-token-unsafe-skip-ca-verification', '--cluster-name', 'rbac-generator'],
      /invalid cluster name\(rbac-generator\): must not be the name of the user that makes the roles of agents/,
    ],
    [
      ['http://a:1', ...token, '--discovery-token-unsafe-skip-ca-verification', '--cluster-name', 'm'],
      'error: "http://a:1" is no address of a control plane: want HOST:PORT\n',
    ],
    [
      ['a b', ...token, '--discovery-token-unsafe-skip-ca-verification', '--cluster-name', 'm'],
      'error: "a b" is no address of a control plane: want HOST:PORT\n',
    ],
  ] as const) {
    const { code, stderr } = await karmadactl('register', ...args, ...edge);
    t.equal(code, 1);
    t.match(stderr, expect);
  }
});

t.test('a server that does not answer is named, and why it is waited for', async t => {
  const target = await runningServer(t, { profile: 'kubernetes' });
  const token = ['--token', 'abcdef.0123456789abcdef', '--discovery-token-unsafe-skip-ca-verification'];
  const cluster = ['--kubeconfig', target.kubeconfig, '--cluster-name', 'm', '--discovery-timeout', '1500ms'];
  const unread = 'cluster-info cannot be read from https://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n';
  const { code, stdout, stderr } = await karmadactl('register', '127.0.0.1:1', ...token, ...cluster);
  t.equal(code, 1);
  t.ok(stdout.endsWith(`[karmada-agent-start] Trying for 1500ms: ${unread}`), stdout);
  t.equal(stderr, `error: ${unread}`);

  const file = path.join(await temporaryFolder(t), 'kubeconfig');
  const server = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
  const contexts = [{ name: 'c', context: { cluster: 'c' } }];
  await fs.writeFile(file, JSON.stringify({ clusters: [server], contexts, 'current-context': 'c' }));
  t.match(await karmadactl('unregister', 'm', '--cluster-kubeconfig', file), {
    code: 1,
    stderr: 'error: the cluster at https://127.0.0.1:1 does not answer: connect ECONNREFUSED 127.0.0.1:1\n',
  });
});
