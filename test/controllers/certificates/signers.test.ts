/** Which requests the signers of Kubernetes accept. as pkg/apis/certificates/helpers.go and Karmada's ValidateAgentCSR */
import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { sequence } from '../../../apimachinery/x509/der.js';
import type { CertificateRequest } from '../../../apimachinery/x509/request.js';
import { agentFault, kubeletClientFault, signerChecks } from '../../../controllers/certificates/signers.js';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const request = (name: string, groups: string[], more: Partial<CertificateRequest> = {}): CertificateRequest => ({
  subject: { name, groups, uids: [] },
  ...{ name: sequence(), publicKey, alternativeNames: undefined },
  ...{ dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] },
  ...more,
});

const node = (more?: Partial<CertificateRequest>, name = 'system:node:n1', groups = ['system:nodes']) =>
  request(name, groups, more);
const client = ['client auth', 'digital signature', 'key encipherment'];
const serving = ['digital signature', 'key encipherment', 'server auth'];

type Row = readonly [name: string, given: CertificateRequest, usages: readonly string[], expect: string | undefined];

function check(what: string, fault: typeof kubeletClientFault, rows: readonly Row[]): void {
  t.test(what, async t => {
    for (const [name, given, usages, expect] of rows) t.equal(fault(given, usages), expect, name);
  });
}

const noOrganization = 'subject organization is not system:nodes';

check('the client certificate of a kubelet', kubeletClientFault, [
  ['with an RSA key', node(), client, undefined],
  ['without key encipherment', node(), ['digital signature', 'client auth'], undefined],
  ['without a usage', node(), ['client auth'], `usages did not match [${client.join(' ')}]`],
  ['with a usage too many', node(), [...client, 'server auth'], `usages did not match [${client.join(' ')}]`],
  ['of another group', node({}, 'system:node:n1', ['system:masters']), client, noOrganization],
  ['of two groups', node({}, 'system:node:n1', ['system:nodes', 'system:masters']), client, noOrganization],
  ['of no group', node({}, 'system:node:n1', []), client, noOrganization],
  ['of another user', node({}, 'admin'), client, 'subject common name does not begin with system:node:'],
  ['with a name', node({ dnsNames: ['n1'] }), client, 'DNS subjectAltNames are not allowed'],
  ['with an address', node({ ipAddresses: ['10.0.0.1'] }), client, 'IP subjectAltNames are not allowed'],
  ['with a mail address', node({ emailAddresses: ['a@b'] }), client, 'Email subjectAltNames are not allowed'],
  ['with a URI', node({ uris: ['spiffe://n'] }), client, 'URI subjectAltNames are not allowed'],
]);

check('the certificate of an agent', agentFault, [
  ['of an agent', request('system:karmada:agent:m', ['system:karmada:agents']), client, undefined],
  ['of a kubelet', node(), client, 'subject organization is not system:karmada:agents'],
]);

const named = { dnsNames: ['n1'] };
const kubeletServing = signerChecks.get('kubernetes.io/kubelet-serving');
if (!kubeletServing) throw new Error('no signer');

check('the serving certificate of a kubelet', kubeletServing, [
  ['with a name', node(named), serving, undefined],
  [
    'with an address, without key encipherment',
    node({ ipAddresses: ['::1'] }),
    ['digital signature', 'server auth'],
    undefined,
  ],
  ['with neither', node(), serving, 'DNS or IP subjectAltName is required'],
  [
    'with a mail address',
    node({ ...named, emailAddresses: ['a@b'] }),
    serving,
    'Email subjectAltNames are not allowed',
  ],
  ['with a URI', node({ ...named, uris: ['u:x'] }), serving, 'URI subjectAltNames are not allowed'],
  ['for clients', node(named), client, `usages did not match [${serving.join(' ')}]`],
  ['of another group', node(named, 'system:node:n1', ['g']), serving, noOrganization],
]);

const anyClient = signerChecks.get('kubernetes.io/kube-apiserver-client');
if (!anyClient) throw new Error('no signer');

check('the client certificate of any user', anyClient, [
  ['of an administrator', request('admin', ['system:masters']), ['client auth'], undefined],
  [
    'for servers',
    request('u', []),
    ['client auth', 'server auth'],
    'invalid usage for client certificate: server auth',
  ],
  ['for nothing', request('u', []), [], 'missing required usage for client certificate: client auth'],
]);

t.test('the signer without rules signs anything', async t => {
  t.equal(signerChecks.get('kubernetes.io/legacy-unknown')?.(request('', []), ['any']), undefined);
  t.equal(signerChecks.size, 4);
});
