/** ServiceAccounts, their tokens, certificates, reviews. as test/e2e/auth service_accounts.go, certificates.go, subjectreviews.go */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import t from 'tap';
import { kit, type Thing, version } from './kit.js';
import { livesThrough } from './lifecycle.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);

t.test('a ServiceAccount is created, patched, listed and deleted', async t => {
  const namespace = await all.namespace();
  const accounts = all.of('v1/serviceaccounts', namespace);
  const labels = { 'test-static': namespace };
  const made = await accounts.create({ metadata: { name: 'tested', labels } });
  t.equal((await accounts.get('tested')).metadata.uid, made.metadata.uid);
  const events = await accounts.watch(`labelSelector=test-static=${namespace}`);
  t.equal((await events.next()).type, 'ADDED');
  const patched = await accounts.patch('tested', { automountServiceAccountToken: false }, 'strategic');
  t.ok(version(patched) > version(made));
  t.equal((await events.next()).type, 'MODIFIED');
  t.match((await all.of('v1/serviceaccounts').list(`labelSelector=test-static=${namespace}`)).items, [
    { metadata: { name: 'tested', namespace }, automountServiceAccountToken: false },
  ]);
  await accounts.removeAll();
  t.equal((await events.next()).type, 'DELETED');
});

t.test('a ServiceAccount is updated', async t => {
  const accounts = all.of('v1/serviceaccounts', await all.namespace());
  t.match(await accounts.create({ metadata: { name: 'a' }, automountServiceAccountToken: false }), {
    automountServiceAccountToken: false,
  });
  const updated = await accounts.update('a', thing => (thing['automountServiceAccountToken'] = true));
  t.equal(updated['automountServiceAccountToken'], true);
});

t.test('a requested token authenticates', async t => {
  const namespace = await all.namespace();
  const accounts = all.of('v1/serviceaccounts', namespace);
  await accounts.create({ metadata: { name: 'bearer' } });
  const answer = await all.ask(`POST ${accounts.path}/bearer/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const { token } = (answer.json as unknown as { status: { token: string } }).status;
  t.ok(token);
  const reviews = all.of('authentication.k8s.io/v1/tokenreviews');
  const { status } = await reviews.create({ metadata: {}, spec: { token } });
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  t.match(status, { authenticated: true, user: { username: `system:serviceaccount:${namespace}:bearer`, groups } });
  t.notOk((status as { error?: string }).error);
  const other = await reviews.create({ metadata: {}, spec: { token: `${token}x` } });
  t.notOk((other['status'] as { authenticated?: boolean }).authenticated);
});

t.test('access reviews predict the decision', async t => {
  const namespace = await all.namespace();
  const { metadata } = await all.of('v1/serviceaccounts', namespace).create({ metadata: { name: 'e2e' } });
  const user = `system:serviceaccount:${namespace}:e2e`;
  const groups = ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const ask = async (): Promise<{ said: boolean; local: boolean; done: number }> => {
    const resourceAttributes = { verb: 'list', resource: 'configmaps', namespace, version: 'v1' };
    const spec = { resourceAttributes, user, groups, uid: metadata.uid };
    const allowed = ({ status }: Thing): boolean => (status as { allowed: boolean }).allowed;
    const of = 'authorization.k8s.io/v1';
    const said = allowed(await all.of(`${of}/subjectaccessreviews`).create({ spec }));
    const local = allowed(
      await all.of(`${of}/localsubjectaccessreviews`, namespace).create({ metadata: { namespace }, spec }),
    );
    const { status } = await all.ask(`GET /api/v1/namespaces/${namespace}/configmaps`, {
      headers: { 'impersonate-user': user, 'impersonate-uid': metadata.uid, 'impersonate-group': groups[2] ?? '' },
    });
    return { said, local, done: status };
  };
  t.same(await ask(), { said: false, local: false, done: 403 });
  const rbac = (plural: string) => all.of(`rbac.authorization.k8s.io/v1/${plural}`, namespace);
  await rbac('roles').create({
    metadata: { name: 'r' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
  });
  await rbac('rolebindings').create({
    metadata: { name: 'r' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [{ kind: 'ServiceAccount', name: 'e2e', namespace }],
  });
  t.same(await ask(), { said: true, local: true, done: 200 });
});

t.test('CertificateSigningRequests are approved and issued', async t => {
  const run = (...args: readonly string[]): Buffer => execFileSync('openssl', args, { stdio: 'pipe' });
  const key = path.join(server.directory, 'key.pem');
  const curve = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', key];
  run('genpkey', ...curve);
  const subject = [
    '-new',
    '-key',
    key,
    '-subj',
    '/CN=e2e.example.com',
    '-addext',
    'subjectAltName=DNS:e2e.example.com',
  ];
  const request = run('req', ...subject).toString('base64');
  const certificate = run('req', '-x509', ...subject).toString('base64');
  const signerName = 'example.com/e2e';
  const condition = (type: string) => ({ type, status: 'True', reason: 'E2E', message: 'Set from a test' });
  const usages = ['digital signature', 'key encipherment', 'server auth'];
  await livesThrough(t, all, {
    of: 'certificates.k8s.io/v1/certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    draft: { spec: { request, signerName, expirationSeconds: 3600, usages } },
    annotatesParts: true,
    parts: {
      approval: { status: { conditions: [condition('ApprovalPatch'), condition('Approved')] } },
      status: {
        status: { certificate, conditions: [condition('ApprovalPatch'), condition('Approved'), condition('Other')] },
      },
    },
  });
  const requests = all.of('certificates.k8s.io/v1/certificatesigningrequests');
  const draft = { metadata: { generateName: 'csr-' }, spec: { request, signerName, expirationSeconds: 3600, usages } };
  for (let i = 0; i < 3; i++) t.match(await requests.create(draft), { spec: { expirationSeconds: 3600 } });
  const chosen = `fieldSelector=spec.signerName=${signerName}`;
  t.equal((await requests.list(chosen)).items.length, 3);
  await requests.removeAll(chosen);
  t.equal((await requests.list(chosen)).items.length, 0);
});
