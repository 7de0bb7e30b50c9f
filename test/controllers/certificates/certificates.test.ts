/** Certificates are approved, signed and cleaned up by the controllers of a running server; kubectl approves and uses them. */
import { X509Certificate } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import type { CertificateSigningRequest } from '../../../api/kubernetes/certificates.js';
import { certificateSigningRequests } from '../../../api/kubernetes/resources.js';
import { createRequest } from '../../../apimachinery/x509/create-request.js';
import { createKey } from '../../../apimachinery/x509/keys.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { createAuthority, issueClient } from '../../../authn/pki/authority.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import type { SigningSettings } from '../../../cli/flags/signing.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { find } from '../../../client/find.js';
import { requestCertificate } from '../../../client/certificates/request-certificate.js';
import { cleaningTime } from '../../../controllers/certificates/cleaning.js';
import { validityOf } from '../../../controllers/certificates/signing.js';
import { remote } from '../../../aggregation/remote/client.js';
import { execute } from '../../cli/up-process.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const all = (): boolean => true;
const onlyAgents = (name: string): boolean => name === 'agentcsrapproving';
const clientSigner = 'kubernetes.io/kube-apiserver-client';

const started = (t: Test, signing?: SigningSettings): Promise<TestServer> =>
  runningServer(t, { parts: [kubernetesControllers(all, signing), karmadaControllers(onlyAgents)] });

interface Wanted {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly usages?: readonly string[];
  readonly signerName?: string;
  readonly expirationSeconds?: number;
  readonly hosts?: readonly string[];
}

async function requested(
  wanted: Wanted,
  name: string,
  { client }: Pick<TestServer, 'client'>,
): Promise<CertificateSigningRequest> {
  const { commonName = 'jane', organizations = ['devs'], usages = ['client auth'], hosts = [] } = wanted;
  const pem = createRequest({ name: commonName, groups: organizations }, await createKey(), hosts);
  const csr: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: wanted.signerName ?? clientSigner,
      usages: [...usages],
      ...(wanted.expirationSeconds !== undefined && { expirationSeconds: wanted.expirationSeconds }),
    },
  };
  return await client.create(certificateSigningRequests, csr);
}

/** Resolves with the request once it holds. */
async function comes(
  { client }: TestServer,
  name: string,
  holds: (status: NonNullable<CertificateSigningRequest['status']>) => boolean,
): Promise<CertificateSigningRequest> {
  let found: CertificateSigningRequest | undefined;
  await until(`the request ${name}`, async () => {
    found = await client.get(certificateSigningRequests, { name });
    return holds(found.status ?? {});
  });
  if (!found) throw new Error('not reached');
  return found;
}

const decode = (base64 = ''): string => Buffer.from(base64, 'base64').toString();

t.test('a request that kubectl approves is signed, and its certificate is accepted', async t => {
  const server = await started(t);
  const order = {
    ...{ namePrefix: 'jane-', commonName: 'jane', organizations: ['devs', 'ops'], signerName: clientSigner },
    ...{ usages: ['client auth', 'digital signature'], expirationSeconds: 3600, timeoutMilliseconds: 60_000 },
    signal: new AbortController().signal,
  };
  const issued = requestCertificate(server.client, order);
  let name = '';
  await until('the request', async () => {
    name = (await server.client.list(certificateSigningRequests)).items[0]?.metadata.name ?? '';
    return name !== '';
  });
  t.match(await execute('kubectl', ['certificate', 'approve', name], server.kubeconfig), 'approved');
  const { certificatePem, keyPem } = await issued;
  const certificate = new X509Certificate(certificatePem);
  t.ok(certificate.verify(server.pki.authority.x509.publicKey));
  const minutes = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 60_000;
  t.ok(minutes >= 64 && minutes <= 66, `an hour as requested, and five minutes before: ${minutes}`);
  const file = path.join(server.directory, 'jane');
  const user = { credential: { certificate: certificatePem, key: keyPem } };
  const authority = server.pki.authority.certificate;
  await fs.writeFile(file, kubeconfig([{ name: 'jane', server: server.url, authority, user }]), { mode: 0o600 });
  const whoami = await execute('kubectl', ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo}'], file);
  t.match(JSON.parse(whoami), { username: 'jane', groups: ['devs', 'ops', 'system:authenticated'] });
});

t.test('signers refuse what they must not sign, and keep names', async t => {
  const server = await started(t);
  const serving = {
    ...{ commonName: 'system:node:n1', organizations: ['system:nodes'] },
    signerName: 'kubernetes.io/kubelet-serving',
  };
  const servingUsages = ['digital signature', 'key encipherment', 'server auth'];
  const rows: readonly (readonly [Wanted, string])[] = [
    [{ usages: ['server auth'] }, 'invalid usage for client certificate: server auth'],
    [{ usages: ['digital signature'] }, 'missing required usage for client certificate: client auth'],
    [{ ...serving, usages: servingUsages }, 'DNS or IP subjectAltName is required'],
    [
      { ...serving, usages: ['server auth'], hosts: ['n1'] },
      'usages did not match [digital signature key encipherment server auth]',
    ],
    [
      { ...serving, commonName: 'n1', usages: servingUsages, hosts: ['n1'] },
      'subject common name does not begin with system:node:',
    ],
    [
      { ...serving, organizations: ['nodes'], usages: servingUsages, hosts: ['n1'] },
      'subject organization is not system:nodes',
    ],
    [
      {
        ...{ commonName: 'system:node:n1', organizations: ['system:nodes'], hosts: ['n1'] },
        ...{ signerName: 'kubernetes.io/kube-apiserver-client-kubelet', usages: ['client auth', 'digital signature'] },
      },
      'DNS subjectAltNames are not allowed',
    ],
  ];
  for (const [number, [wanted, message]] of rows.entries()) {
    const name = `refused-${number}`;
    await requested(wanted, name, server);
    await execute('kubectl', ['certificate', 'approve', name], server.kubeconfig);
    const { status } = await comes(server, name, ({ conditions }) =>
      Boolean(conditions?.some(({ type }) => type === 'Failed')),
    );
    t.match(status?.conditions?.[1], { type: 'Failed', reason: 'SignerValidationFailure', message });
    t.equal(status?.certificate, undefined);
  }
  await requested({ ...serving, usages: servingUsages, hosts: ['n1.local', '10.0.0.7'] }, 'good', server);
  await execute('kubectl', ['certificate', 'approve', 'good'], server.kubeconfig);
  const { status } = await comes(server, 'good', ({ certificate }) => Boolean(certificate));
  t.equal(new X509Certificate(decode(status?.certificate)).subjectAltName, 'DNS:n1.local, IP Address:10.0.0.7');
});

t.test('certificates of agents and kubelets are approved for users with the permission', async t => {
  const server = await started(t);
  const { client, url, pki } = server;
  const as = async (name: string, ...groups: string[]) => {
    const credential = await issueClient(pki.authority, { name, groups });
    const login = { clientCertificate: credential.certificate, clientKey: credential.key };
    const user = remote({ server: url, ca: pki.authority.certificate, ...login }, { userAgent: 'test' });
    t.teardown(() => user.close());
    return user;
  };
  const agent = {
    ...{ commonName: 'system:karmada:agent:edge', organizations: ['system:karmada:agents'] },
    usages: ['client auth', 'digital signature', 'key encipherment'],
  };
  const bootstrappers = 'system:bootstrappers:karmada:default-cluster-token';
  const joining = await as('system:bootstrap:abcdef', 'system:bootstrappers', bootstrappers);
  await requested(agent, 'joining', { client: joining });
  const { status } = await comes(server, 'joining', ({ certificate }) => Boolean(certificate));
  t.match(status?.conditions, [
    {
      ...{ type: 'Approved', status: 'True', reason: 'AutoApproved' },
      message: 'Auto approving karmada agent certificate after SubjectAccessReview.',
    },
  ]);
  await requested({ ...agent, usages: ['client auth'] }, 'odd-usages', { client: joining });
  await requested({ ...agent, organizations: ['devs'] }, 'odd-group', { client: joining });
  await requested(agent, 'not-permitted', server); // its user is in system:masters, who may do it
  await comes(server, 'not-permitted', ({ certificate }) => Boolean(certificate));
  const kubelet = {
    ...{ commonName: 'system:node:n1', organizations: ['system:nodes'], usages: agent.usages },
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
  };
  await requested(kubelet, 'kubelet', server);
  t.match(
    (await comes(server, 'kubelet', ({ certificate }) => Boolean(certificate))).status?.conditions?.[0]?.message,
    'Auto approving kubelet client certificate after SubjectAccessReview.',
  );
  // Later requests were approved, so the controllers have seen these.
  for (const name of ['odd-usages', 'odd-group'])
    t.same((await client.get(certificateSigningRequests, { name }))['status'], {}, `${name} stays pending`);
});

t.test('other authorities sign for the signers that have them', async t => {
  const authority = await createAuthority('other-ca');
  const server = await started(t, { validityMs: 3600_000, authorities: new Map([[clientSigner, authority]]) });
  await requested({ expirationSeconds: 86_400 }, 'jane', server);
  await execute('kubectl', ['certificate', 'approve', 'jane'], server.kubeconfig);
  const { status } = await comes(server, 'jane', ({ certificate }) => Boolean(certificate));
  const certificate = new X509Certificate(decode(status?.certificate));
  t.ok(certificate.verify(authority.x509.publicKey));
  t.ok(Date.parse(certificate.validTo) - Date.now() <= 3600_000, 'not longer than the flag says');
});

t.test('certificates end with their authority, and are not shorter than ten minutes', t => {
  const [now, maxMs] = [Date.parse('2026-01-01T00:00:00Z'), 365 * 24 * 3600_000];
  const notAfter = new Date('2027-06-01T00:00:00Z');
  const end = (seconds: number | undefined, until = notAfter): string =>
    validityOf(seconds, { maxMs, now, notAfter: until }).notAfter.toISOString();
  t.equal(validityOf(600, { maxMs, now, notAfter }).notBefore.toISOString(), '2025-12-31T23:55:00.000Z');
  t.equal(end(undefined), '2026-12-31T23:55:00.000Z');
  t.equal(end(1), '2026-01-01T00:10:00.000Z');
  t.equal(end(3600), '2026-01-01T01:00:00.000Z');
  t.equal(end(8 * 3600), '2026-01-01T07:55:00.000Z');
  t.equal(end(10 ** 9), '2026-12-31T23:55:00.000Z');
  t.equal(end(undefined, new Date('2026-02-01T00:00:00Z')), '2026-02-01T00:00:00.000Z');
  t.end();
});

t.test('requests are kept for an hour after their decision, or a day without one', async t => {
  const { certificate } = await issueClient(
    await createAuthority(),
    { name: 'jane' },
    {
      now: new Date('2026-01-01T00:00:00Z'),
      days: 1 / 48,
    },
  );
  const encoded = Buffer.from(certificate).toString('base64');
  const time = (status: CertificateSigningRequest['status']): string | undefined => {
    const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' };
    const at = cleaningTime({ apiVersion: 'v1', kind: 'x', metadata, ...(status && { status }) });
    return at === undefined ? undefined : new Date(at).toISOString();
  };
  const decided = (type: string) => ({ conditions: [{ type, lastUpdateTime: '2026-01-01T00:00:00Z' }] });
  t.equal(time({}), '2026-01-02T00:00:00.000Z', 'pending');
  t.equal(time(decided('Denied')), '2026-01-01T01:00:00.000Z');
  t.equal(time(decided('Failed')), '2026-01-01T01:00:00.000Z');
  t.equal(time(decided('Approved')), '2026-01-02T00:00:00.000Z', 'approved and not issued');
  t.equal(time({ ...decided('Approved'), certificate: 'bm90aGluZw==' }), '2026-01-01T01:00:00.000Z', 'issued');
  t.equal(time({ ...decided('Approved'), certificate: encoded }), '2026-01-01T00:30:00.000Z', 'expired');
  t.equal(time(decided('Other')), undefined);

  const server = await started(t);
  const past = new Date(Date.now() - 2 * 3600_000).toISOString().replace(/\.\d+/, '');
  for (const [name, at] of [
    ['old', past],
    ['new', undefined],
  ] as const) {
    const csr = await requested({}, name, server);
    const denied = { type: 'Denied', status: 'True', reason: 'Test', ...(at && { lastUpdateTime: at }) };
    await server.client.update(
      certificateSigningRequests,
      { ...csr, status: { conditions: [denied] } },
      { subresource: 'approval' },
    );
  }
  await until(
    'the old request is deleted',
    async () => !(await find(server.client, certificateSigningRequests, { name: 'old' })),
  );
  t.ok(await find(server.client, certificateSigningRequests, { name: 'new' }));
});
