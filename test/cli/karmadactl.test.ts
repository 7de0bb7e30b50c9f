/** karmadactl as its own process, between a control plane and a member that are not joined yet. */
import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import t from 'tap';
import { remote } from '../../aggregation/remote/client.js';
import { secrets } from '../../api/kubernetes/resources.js';
import { issueClient, loadAuthority } from '../../authn/pki/authority.js';
import { silent } from '../../server/logger.js';
import { kubeconfig } from '../../authn/pki/kubeconfig.js';
import { karmadaControllers } from '../../cli/parts/karmada-controllers.js';
import { renewsTokens } from '../../cli/karmadactl/renews-tokens.js';
import { readBoundToken } from '../../controllers/member-tokens/bound-token.js';
import { kubernetesControllers } from '../../cli/parts/kubernetes-controllers.js';
import { isApplied, isClusterReady } from '../../kinds/karmada/conditions.js';
import type { Cluster, Work } from '../../api/karmada/types.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import { startMember } from '../../simulator/member.js';
import { runningServer, temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';
import { programCommand } from './program-command.js';

const karmadactl = programCommand('karmadactl');

t.test('errors in flags and arguments are reported in one line', async t => {
  t.match(await karmadactl('jion'), {
    code: 1,
    stderr: 'error: unknown command "jion" for "karmadactl"; did you mean join?\n',
  });
  t.match(await karmadactl('join'), { code: 1, stderr: 'error: cluster name is required\n' });
  t.match(await karmadactl('join', 'a', 'b'), { code: 1, stderr: 'error: unknown argument: b\n' });
  t.match(await karmadactl('join', 'a', '--kubeconfig', '/no/such/file'), {
    code: 1,
    stderr:
      'error: the kubeconfig /no/such/file cannot be read: there is no such file; --kubeconfig or the variable KUBECONFIG names another kubeconfig\n',
  });
  t.match(await karmadactl('--kubeconfig', '/', 'join', 'a'), {
    code: 1,
    stderr: /cannot be read: it is a folder;[^\n]*\n$/,
  });
  t.match(await karmadactl('promote', 'a'), {
    code: 1,
    stderr: /^error: "karmadactl promote" is not supported yet; [^\n]*\n$/,
  });
  t.match(await karmadactl('version'), { code: 0, stdout: /^karmadactl version: flagship \d+\.\d+\.\d+\n$/ });
  t.match(await karmadactl('help', 'join'), { code: 0, stdout: /--cluster-kubeconfig FILE/ });
  t.match(await karmadactl(), { code: 0, stdout: /^karmadactl controls/ });
  t.match(await karmadactl('join', 'Bad_Name'), {
    code: 1,
    stderr: /^error: invalid cluster name\(Bad_Name\): a lowercase RFC 1123 label[^\n]*\n$/,
  });
  const directory = await temporaryFolder(t);
  const file = path.join(directory, 'kubeconfig');
  for (const text of ['a: [b', '- a', 'a']) {
    await fs.writeFile(file, text);
    const { code, stderr } = await karmadactl('join', 'a', '--kubeconfig', file);
    t.equal(code, 1);
    t.match(stderr, new RegExp(`^error: ${file} is no kubeconfig[^\\n]*\\n$`), text);
  }
  const entries = (user: string) =>
    'clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1" } }]\n' +
    `users: [{ name: u, user: ${user} }]\ncontexts: [{ name: here, context: { cluster: c, user: u } }]\n`;
  const rows: readonly { readonly text: string; readonly args?: readonly string[]; readonly expect: string }[] = [
    { text: entries('{}'), expect: `the kubeconfig ${file} has no current context; --karmada-context names one: here` },
    {
      text: entries('{}'),
      args: ['--karmada-context', 'there'],
      expect: `context "there" does not exist in ${file}, which has here`,
    },
    {
      text: `${entries('{ client-certificate: /no/crt, client-key: /no/key }')}current-context: here\n`,
      expect: `${file} names /no/crt: there is no such file; --kubeconfig or the variable KUBECONFIG names another kubeconfig`,
    },
    {
      text: `${entries('{ token: x }')}current-context: here\n`,
      args: ['--cluster-kubeconfig', file],
      expect: 'the control plane at https://127.0.0.1:1 does not answer: connect ECONNREFUSED 127.0.0.1:1',
    },
  ];
  for (const { text, args = [], expect } of rows) {
    await fs.writeFile(file, text);
    t.match(
      await karmadactl('join', 'a', '--kubeconfig', file, ...args),
      { code: 1, stderr: `error: ${expect}\n` },
      expect,
    );
  }
  t.match(await karmadactl('--help'), { code: 0, stdout: /karmadactl join CLUSTER_NAME/ });
});

t.test('only for Flagship a cluster joins with tokens that expire', async t => {
  const { url, pki } = await runningServer(t);
  const as = ({ certificate, key }: { readonly certificate: string; readonly key: string }) => {
    const endpoint = { server: url, ca: pki.authority.certificate, clientCertificate: certificate, clientKey: key };
    const client = remote(endpoint, { userAgent: 'test' });
    t.teardown(() => client.close());
    return client;
  };
  t.ok(await renewsTokens(as(pki.admin)), 'which names itself');
  const jane = await issueClient(loadAuthority(pki.authority), { name: 'jane', groups: [] });
  t.notOk(await renewsTokens(as(jane)), 'and not to everybody');
  for (const [status, text] of [
    [200, 'apiserver statusz\n\nStarted: today\nGo version: go1.24\n'],
    [404, 'Flagship version: none'],
  ] as const) {
    const server = http.createServer((_request, response) => void response.writeHead(status).end(text));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const other = remote(
      { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      { userAgent: 'test' },
    );
    t.teardown(() => other.close());
    t.notOk(await renewsTokens(other), text);
  }
});

t.test('a cluster joins once, and leaves', async t => {
  const all = (): boolean => true;
  const control = await runningServer(t, { parts: [kubernetesControllers(all), karmadaControllers(all)] });
  const directory = await temporaryFolder(t);
  const member = await startMember({ name: 'edge', directory, host: '127.0.0.1', log: silent });
  t.teardown(() => member.stop());
  const file = path.join(directory, 'kubeconfig');
  const { pki, url } = member;
  const user = { credential: pki.admin };
  await fs.writeFile(file, kubeconfig([{ name: 'edge', server: url, authority: pki.authority.certificate, user }]), {
    mode: 0o600,
  });
  const flags = ['--kubeconfig', control.kubeconfig, '--cluster-kubeconfig', file];

  const itself = ['--kubeconfig', control.kubeconfig, '--cluster-kubeconfig', control.kubeconfig];
  t.match(await karmadactl('join', 'itself', ...itself), {
    code: 1,
    stderr: 'error: this is the control plane itself; --cluster-kubeconfig names the cluster that is to join\n',
  });
  t.match(await karmadactl('join', 'edge', ...flags, '--cluster-region', 'north'), {
    code: 0,
    stdout: 'cluster(edge) is joined successfully\n',
  });
  let cluster: Cluster | undefined;
  await until('the cluster to be ready', async () => {
    cluster = (await control.client.get(resources.clusters, { name: 'edge' })) as Cluster;
    return isClusterReady(cluster);
  });
  t.match(cluster?.spec, { syncMode: 'Push', apiEndpoint: url, region: 'north' });
  const secret = await control.client.get(secrets, { namespace: 'karmada-cluster', name: 'edge' });
  const { token = '' } = secret['data'] as { readonly token?: string };
  t.match(readBoundToken(Buffer.from(token, 'base64').toString()), { account: 'karmada-edge' }, 'the token expires');
  t.match(await karmadactl('join', 'edge', ...flags), {
    code: 1,
    stderr: /^error: the cluster edge has already been registered/,
  });
  t.match(await karmadactl('join', 'other', ...flags), {
    code: 1,
    stderr: 'error: the same cluster has been registered with name edge\n',
  });

  t.match(await karmadactl('unjoin', 'edge', ...flags), {
    code: 0,
    stdout: 'cluster(edge) is unjoined successfully\n',
  });
  t.match(await karmadactl('unjoin', 'edge', ...flags), {
    code: 1,
    stderr: 'error: no cluster object edge found in karmada control Plane\n',
  });
  const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
  const left = (await member.client.list(roles)).items.filter(({ metadata }) =>
    metadata.name?.includes('karmada-edge'),
  );
  t.strictSame(left, []);
});

t.test('an unreachable cluster can only be removed by force', async t => {
  const all = (): boolean => true;
  const control = await runningServer(t, { parts: [kubernetesControllers(all), karmadaControllers(all)] });
  const directory = await temporaryFolder(t);
  const member = await startMember({ name: 'edge', directory, host: '127.0.0.1', log: silent });
  const file = path.join(directory, 'kubeconfig');
  const { pki, url } = member;
  const user = { credential: pki.admin };
  await fs.writeFile(file, kubeconfig([{ name: 'edge', server: url, authority: pki.authority.certificate, user }]), {
    mode: 0o600,
  });
  const flags = ['--kubeconfig', control.kubeconfig, '--cluster-kubeconfig', file];
  t.match(await karmadactl('join', 'edge', ...flags), { code: 0 });
  await until('the cluster to be ready', async () =>
    isClusterReady((await control.client.get(resources.clusters, { name: 'edge' })) as Cluster),
  );
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
  const namespace = 'karmada-es-edge';
  await until('the namespace of its Works', () =>
    control.client.get({ group: '', version: 'v1', resource: 'namespaces' }, { name: namespace }).then(
      () => true,
      () => false,
    ),
  );
  await control.client.create(resources.works, {
    ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work' },
    metadata: { name: 'a', namespace, finalizers: [finalizers.execution] },
    spec: { workload: { manifests: [configMap] } },
  });
  await until('the Work to be applied', async () => {
    const work = (await control.client.get(resources.works, { namespace, name: 'a' })) as Work;
    return isApplied(work);
  });
  await member.stop();

  t.match(await karmadactl('unjoin', 'edge', ...flags, '--wait', 'soon'), {
    code: 1,
    stderr: 'error: invalid value "soon" for --wait: time: invalid duration "soon"\n',
  });
  t.match(await karmadactl('unjoin', 'edge', ...flags, '--dry-run'), {
    code: 0,
    stdout: 'cluster(edge) can be unjoined (dry run)\n',
  });
  t.match(await karmadactl('unjoin', 'edge', ...flags, '--wait', '1s'), {
    code: 1,
    stderr:
      /^error: timed out after 1s: cluster edge is marked for deletion, and \d+ Works wait .*\. Nothing was removed from the cluster itself\..* karmadactl unjoin edge --force/,
  });
  const forced = await karmadactl('unjoin', 'edge', ...flags, '--wait', '1', '--force');
  t.match(forced, {
    code: 0,
    stdout: 'cluster(edge) is unjoined successfully\n',
    stderr: /^cluster\(edge\) is deleted by force; what \d+ Works put into the cluster may still be there\n/,
  });
  t.match(
    forced.stderr,
    /kubectl delete clusterrolebinding\/.*\n.*kubectl delete clusterrole\/.*\n.*serviceaccount\/.*\n.*namespace\/karmada-cluster/,
  );
  await t.rejects(control.client.get(resources.clusters, { name: 'edge' }), { code: 404 });
});
