/** Requests for certificates, against a server whose controllers do not run: the test approves, denies and signs. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import t from 'tap';
import type { CertificateSigningRequest } from '../../../api/kubernetes/certificates.js';
import { certificateSigningRequests } from '../../../api/kubernetes/resources.js';
import { buildCertificate } from '../../../apimachinery/x509/certificate.js';
import { encodeSubject } from '../../../apimachinery/x509/name.js';
import { parseRequest } from '../../../apimachinery/x509/request.js';
import { requestCertificate } from '../../../client/certificates/request-certificate.js';
import { updateObject } from '../../../client/runtime/update.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const order = {
  namePrefix: 'edge-',
  commonName: 'system:karmada:agent:edge',
  organizations: ['system:karmada:agents'],
  signerName: 'kubernetes.io/kube-apiserver-client',
  usages: ['digital signature', 'client auth'],
  expirationSeconds: 3600,
  timeoutMilliseconds: 60_000,
  signal: new AbortController().signal,
};

/** Resolves with the only request of the server. */
async function onlyRequest({ client }: TestServer): Promise<CertificateSigningRequest> {
  let found: CertificateSigningRequest | undefined;
  await until('a request', async () => {
    const { items } = await client.list(certificateSigningRequests);
    found = items[0];
    return found !== undefined;
  });
  if (found === undefined) throw new Error('not reached');
  return found;
}

const decided = (type: 'Approved' | 'Denied', csr: CertificateSigningRequest): CertificateSigningRequest => ({
  ...csr,
  status: { conditions: [{ type, status: 'True', reason: 'Test', message: 'by the test' }] },
});

t.test('a certificate is returned once it is issued, with its key', async t => {
  const server = await runningServer(t);
  const issued = requestCertificate(server.client, order);
  const csr = await onlyRequest(server);
  t.match(csr, {
    metadata: { name: /^edge-.+/ },
    spec: { signerName: order.signerName, usages: order.usages, expirationSeconds: 3600 },
  });
  const request = parseRequest(Buffer.from(csr.spec?.request ?? '', 'base64').toString());
  t.same(request.subject, { name: order.commonName, groups: order.organizations, uids: [] });
  const certificate = buildCertificate(
    {
      subject: encodeSubject({ name: request.subject.name, groups: request.subject.groups }),
      publicKey: request.publicKey,
      authority: false,
      usages: order.usages,
      alternativeNames: undefined,
      notBefore: new Date(Date.now() - 1000),
      notAfter: new Date(Date.now() + 3600_000),
    },
    server.pki.authority.issuer,
  );
  await updateObject(
    server.client,
    certificateSigningRequests,
    csr,
    draft => void (draft.status = { certificate: Buffer.from(certificate).toString('base64') }),
    { subresource: 'status' },
  );
  const { certificatePem, keyPem, requestName } = await issued;
  t.equal(certificatePem, certificate);
  t.equal(requestName, csr.metadata.name);
  t.ok(new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem)), 'the key belongs to it');
});

/** What a decision leaves in the request, and the error that the caller gets. */
const ends: readonly [what: string, status: NonNullable<CertificateSigningRequest['status']>, message: RegExp][] = [
  [
    'failed',
    { conditions: [{ type: 'Failed', status: 'True', reason: '', message: '' }] },
    /^the certificate signing request edge-\S+ has failed$/,
  ],
  [
    'failed, with a reason alone',
    { conditions: [{ type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: '' }] },
    /^the certificate signing request edge-\S+ has failed: SignerValidationFailure$/,
  ],
];

t.test('a denied request is an error that names it', async t => {
  const server = await runningServer(t);
  const issued = t.rejects(requestCertificate(server.client, order), {
    message: /^the certificate signing request edge-\S+ was denied: Test: by the test$/,
  });
  const csr = await onlyRequest(server);
  await server.client.update(certificateSigningRequests, decided('Denied', csr), { subresource: 'approval' });
  await issued;
});

t.test('a request that its signer refuses is an error with the reason', async t => {
  for (const [what, status, message] of ends) {
    const server = await runningServer(t);
    const issued = t.rejects(requestCertificate(server.client, order), { message }, what);
    const csr = await onlyRequest(server);
    await updateObject(server.client, certificateSigningRequests, csr, draft => void (draft.status = status), {
      subresource: 'status',
    });
    await issued;
  }
});

t.test('a request that is deleted meanwhile is an error at once', async t => {
  const server = await runningServer(t);
  const issued = t.rejects(requestCertificate(server.client, order), { code: 404 });
  const { metadata } = await onlyRequest(server);
  await server.client.delete(certificateSigningRequests, { name: metadata.name ?? '' });
  await issued;
});

t.test('a request that is not signed in time is an error that tells what is missing', async t => {
  const server = await runningServer(t);
  await t.rejects(requestCertificate(server.client, { ...order, timeoutMilliseconds: 0 }), {
    message: /^timed out waiting for the certificate signing request edge-\S+: it is not approved; /,
  });
  const refused = { ...order, usages: ['no such usage'] };
  await t.rejects(requestCertificate(server.client, refused), { code: 422 }, 'invalid requests are refused');
  const ended = { ...order, signal: AbortSignal.abort() };
  await t.rejects(requestCertificate(server.client, ended), { name: 'AbortError' }, 'it ends with its signal');
});

t.test('an approved request that no signer signs is an error that says so', async t => {
  const server = await runningServer(t);
  const { expirationSeconds, ...rest } = order;
  t.equal(expirationSeconds, 3600);
  const issued = t.rejects(requestCertificate(server.client, { ...rest, timeoutMilliseconds: 5000 }), {
    message:
      /^timed out waiting for the certificate signing request edge-\S+: it is approved, but no signer has signed it$/,
  });
  const csr = await onlyRequest(server);
  t.notHas(csr.spec, { expirationSeconds: 3600 }, 'the signer decides how long it lasts');
  await server.client.update(certificateSigningRequests, decided('Approved', csr), { subresource: 'approval' });
  await issued;
});

t.test('a server that is gone meanwhile is asked again until the time is up', async t => {
  const server = await runningServer(t);
  const issued = t.rejects(requestCertificate(server.client, { ...order, timeoutMilliseconds: 5000 }), {
    message: /^timed out waiting for the certificate signing request edge-\S+: (?!it is)/,
  });
  await onlyRequest(server);
  await server.stop();
  await issued;
});
