import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { createAuthority } from '../../../authn/pki/authority.js';
import { createKey } from '../../../authn/pki/keys.js';
import type { Subject } from '../../../authn/pki/name.js';
import { createRequest } from '../../../authn/pki/request.js';
import { signApproved } from '../../../authn/pki/signers.js';

const now = new Date('2026-01-02T03:04:05Z');
const authority = await createAuthority('ca', { now });
const key = await createKey();

function signed(signer: string, subject: Subject, usages: string, hosts: string[] = [], more: object = {}) {
  const request = Buffer.from(createRequest(subject, key, hosts)).toString('base64');
  const spec = { signerName: signer, request, usages: usages.split(','), ...more };
  const csr = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: {}, spec };
  return signApproved(authority, csr, { now });
}

const node: Subject = { name: 'system:node:n', groups: ['system:nodes'] };
const serving = 'digital signature,server auth';
const client = 'client auth,digital signature,key encipherment';

t.test('what each signer accepts', async t => {
  const table: readonly [string, Subject, string, string[], string | undefined][] = [
    ['kube-apiserver-client', { name: 'jane' }, 'client auth', ['x.y'], undefined],
    [
      'kube-apiserver-client',
      { name: 'jane' },
      'client auth,server auth',
      [],
      'invalid usage for client certificate: server auth',
    ],
    [
      'kube-apiserver-client',
      { name: 'jane' },
      'digital signature',
      [],
      'missing required usage for client certificate: client auth',
    ],
    ['kube-apiserver-client-kubelet', node, client, [], undefined],
    ['kube-apiserver-client-kubelet', node, client, ['x.y'], 'DNS subjectAltNames are not allowed'],
    ['kube-apiserver-client-kubelet', node, client, ['10.0.0.1'], 'IP subjectAltNames are not allowed'],
    [
      'kube-apiserver-client-kubelet',
      node,
      serving,
      [],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [
      'kube-apiserver-client-kubelet',
      { ...node, groups: ['x', 'system:nodes'] },
      client,
      [],
      'subject organization is not system:nodes',
    ],
    [
      'kube-apiserver-client-kubelet',
      { ...node, name: 'n' },
      client,
      [],
      'subject common name does not begin with system:node:',
    ],
    ['kubelet-serving', node, serving, ['10.0.0.1'], undefined],
    ['kubelet-serving', node, serving, [], 'DNS or IP subjectAltName is required'],
    ['legacy-unknown', { name: 'x' }, 'any', [], undefined],
  ];
  for (const [signer, subject, usages, hosts, fault] of table) {
    const answer = signed(`kubernetes.io/${signer}`, subject, usages, hosts);
    t.equal(answer && 'fault' in answer ? answer.fault : undefined, fault, `${signer} ${usages} ${fault ?? ''}`);
  }
  t.equal(signed('example.com/x', node, client), undefined, 'of others');
});

t.test('how long a certificate lives', async t => {
  const life = (expirationSeconds?: number): readonly [string, string] => {
    const more = expirationSeconds === undefined ? {} : { expirationSeconds };
    const answer = signed('kubernetes.io/kube-apiserver-client', { name: 'x' }, 'client auth', [], more);
    if (answer === undefined || !('certificate' in answer)) throw new Error('not signed');
    const { validFrom, validTo } = new X509Certificate(answer.certificate);
    return [new Date(validFrom).toISOString(), new Date(validTo).toISOString()];
  };
  const from = '2026-01-02T02:59:05.000Z';
  t.same(life(), [from, '2027-01-02T02:59:05.000Z'], 'a year, backdated');
  t.same(life(3600), [from, '2026-01-02T04:04:05.000Z'], 'short: the end is not moved');
  t.same(life(86_400), [from, '2026-01-03T02:59:05.000Z']);
  t.same(life(1), [from, '2026-01-02T03:14:05.000Z'], 'ten minutes at least');
  t.same(life(10 * 365 * 86_400), [from, '2027-01-02T02:59:05.000Z'], 'a year at the most');
  const late = new Date('2036-01-01T00:00:00Z');
  const spec = {
    signerName: 'kubernetes.io/legacy-unknown',
    usages: [],
    request: Buffer.from(createRequest({ name: 'x' }, key)).toString('base64'),
  };
  t.throws(() => signApproved(authority, { apiVersion: '', kind: '', metadata: {}, spec }, { now: late }), /expired/);
});
