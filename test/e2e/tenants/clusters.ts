import type { Test } from 'tap';
import { apply, clusters, core, jsonPatch, merge, type World } from './world.js';

const evil = 'https://evil.example.com:6443';
const hint =
  /decides where the control plane sends the token in the Secret karmada-cluster\/\S+: only users who may get that Secret/;

/** Checks that the token of a joined member cannot be sent to another server. carol may write clusters; dave may also read the Secrets. */
export async function checkJoinedClusters(t: Test, { ask, mode }: World): Promise<void> {
  const path = `${clusters}/member1`;
  const { json: stored } = await ask('admin', `GET ${path}`);
  const refused = mode === 'enforce' ? 403 : 200;
  const spec = (change: object) => ({ type: merge, body: { spec: change } });
  const rows = [
    { name: 'apiEndpoint', ...spec({ apiEndpoint: evil }), status: refused },
    { name: 'proxyURL', ...spec({ proxyURL: 'http://evil.example.com:3128' }), status: refused },
    { name: 'proxyHeader', ...spec({ proxyHeader: { via: 'evil' } }), status: refused },
    { name: 'insecure', ...spec({ insecureSkipTLSVerification: true }), status: refused },
    { name: 'secretRef', ...spec({ secretRef: { namespace: 'kube-system', name: 'other' } }), status: refused },
    { name: 'no secretRef', ...spec({ secretRef: null }), status: refused },
    { name: 'impersonator', ...spec({ impersonatorSecretRef: { namespace: 'a', name: 'b' } }), status: refused },
    {
      name: 'JSON patch',
      type: jsonPatch,
      body: [{ op: 'replace', path: '/spec/apiEndpoint', value: evil }],
      status: refused,
    },
    {
      name: 'server-side apply',
      type: apply,
      query: '&fieldManager=test&force=true',
      body: {
        apiVersion: 'cluster.karmada.io/v1alpha1',
        kind: 'Cluster',
        metadata: { name: 'member1' },
        spec: { syncMode: 'Push', apiEndpoint: evil },
      },
      status: refused,
    },
    { name: 'labels', type: merge, body: { metadata: { labels: { tier: 'gold' } } }, status: 200 },
    { name: 'region', ...spec({ region: 'eu' }), status: 200 },
    { name: 'the same spec', ...spec(stored.spec), status: 200 },
  ];
  for (const { name, type, body, status, query = '' } of rows) {
    const request = `PATCH ${path}?dryRun=All${query}`;
    const answer = await ask('carol', request, { type, body });
    t.equal(answer.status, status, `${name}: ${answer.json.message}`);
    if (answer.status === 403) t.match(answer.json.message, hint, `${name}: the message has a hint`);
    t.equal(
      hint.test(answer.warnings.join()),
      mode === 'warn' && name !== 'labels' && name !== 'region' && name !== 'the same spec',
      name,
    );
    t.equal((await ask('admin', request, { type, body })).status, 200, `an administrator: ${name}`);
  }
  const { resourceVersion: _, ...metadata } = stored.metadata;
  const put = await ask('carol', `PUT ${path}?dryRun=All`, {
    body: { ...stored, metadata, spec: { ...stored.spec, apiEndpoint: evil } },
  });
  t.equal(put.status, refused, 'update');

  const allow = {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get'],
    resourceNames: ['member1', 'member1-impersonator'],
  };
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const group = 'rbac.authorization.k8s.io';
  await ask('admin', `POST ${rbac}/namespaces/karmada-cluster/roles`, {
    body: { metadata: { name: 'dave' }, rules: [allow] },
  });
  await ask('admin', `POST ${rbac}/namespaces/karmada-cluster/rolebindings`, {
    body: {
      metadata: { name: 'dave' },
      roleRef: { apiGroup: group, kind: 'Role', name: 'dave' },
      subjects: [{ apiGroup: group, kind: 'User', name: 'dave' }],
    },
  });
  await ask('admin', `POST ${rbac}/clusterrolebindings`, {
    body: {
      metadata: { name: 'dave' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-writer' },
      subjects: [{ apiGroup: group, kind: 'User', name: 'dave' }],
    },
  });
  const byDave = await ask('dave', `PATCH ${path}?dryRun=All`, spec({ apiEndpoint: evil }));
  t.equal(byDave.status, 200, 'a user that may read the Secret may change the server');
  t.same(byDave.warnings, []);
}

/** Checks that a Cluster cannot name the Secret of another one, whose token its server would receive. */
export async function checkNewClusters(t: Test, { ask, mode }: World): Promise<void> {
  const cluster = (name: string, more: object) => ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { syncMode: 'Pull', ...more },
  });
  const secretRef = { namespace: 'karmada-cluster', name: 'member1' };
  const refused = mode === 'enforce' ? 403 : 201;
  const rows = [
    { name: 'no-secret', more: { apiEndpoint: evil }, status: 201 },
    { name: 'thief', more: { apiEndpoint: evil, secretRef }, status: refused },
    { name: 'impersonator', more: { apiEndpoint: evil, impersonatorSecretRef: secretRef }, status: refused },
  ];
  for (const { name, more, status } of rows) {
    const body = cluster(name, more);
    t.equal((await ask('carol', `POST ${clusters}?dryRun=All`, { body })).status, status, name);
    const applied = `PATCH ${clusters}/${name}?dryRun=All&fieldManager=test`;
    t.equal((await ask('carol', applied, { body, type: apply })).status, status, `${name}: apply`);
  }
  t.equal((await ask('carol', `GET ${core('karmada-cluster')}/secrets/member1`)).status, 403);
}
