/** What users, roles and bindings can cost at the largest sizes that are accepted: groups, subjects, audiences, rules and keys. */
import { randomBytes } from 'node:crypto';
import { Streams, type Outcome } from '../../conformance/fuzz/send.js';
import * as der from '../../../apimachinery/x509/der.js';
import { fuzzRequestOf, type Fixture, type Row } from '../row.js';
import { object, post, range, remove } from './objects.js';

const rbacPath = '/apis/rbac.authorization.k8s.io/v1';
const rbacGroup = 'rbac.authorization.k8s.io';
const reviews = '/apis/authorization.k8s.io/v1';
export const accounts = '/api/v1/namespaces/default/serviceaccounts';

const row = (name: string, size: number, play: (fixture: Fixture, own: string) => Promise<unknown>): Row => ({
  name: `authorization/${name}`,
  size,
  play: fixture => play(fixture, fixture.name()),
});

const rbacObject = (kind: string, name: string, more: object): object =>
  object('rbac.authorization.k8s.io/v1', kind, name, more);
const userSubject = (name: string): object => ({ apiGroup: rbacGroup, kind: 'User', name });
const clusterRoleRef = (name: string): object => ({ apiGroup: rbacGroup, kind: 'ClusterRole', name });

/** Creates a ClusterRole and binds it to the subjects. */
export async function grant(fixture: Fixture, name: string, rules: readonly object[], subjects: readonly object[]) {
  await fixture.must(post(`${rbacPath}/clusterroles`, rbacObject('ClusterRole', name, { rules })));
  const binding = rbacObject('ClusterRoleBinding', name, { roleRef: clusterRoleRef(name), subjects });
  await fixture.must(post(`${rbacPath}/clusterrolebindings`, binding));
}

export async function revoke(fixture: Fixture, name: string): Promise<void> {
  await fixture.must(remove(`${rbacPath}/clusterrolebindings/${name}`));
  await fixture.must(remove(`${rbacPath}/clusterroles/${name}`));
}

/** Sends a POST as another user. */
const postAs = (fixture: Fixture, user: string, path: string, body: object): Promise<Outcome> =>
  fixture.send({ ...post(path, body), headers: { 'content-type': 'application/json', 'impersonate-user': user } });

/** Creates a service account, and returns its token for these audiences. */
export async function tokenOf(fixture: Fixture, name: string, audiences?: readonly string[]): Promise<string> {
  await fixture.must(post(accounts, object('v1', 'ServiceAccount', name)));
  const body = object('authentication.k8s.io/v1', 'TokenRequest', name, { spec: audiences ? { audiences } : {} });
  const streams = new Streams(fixture.target, maxAnswerBytes);
  const { text } = await streams.send(fuzzRequestOf(post(`${accounts}/${name}/token`, body)));
  streams.close();
  const [, token] = /"token":"([^"]+)"/.exec(text) ?? [];
  if (token === undefined) throw new Error(`no token: ${text.slice(0, 300)}`);
  return token;
}

/** Bytes of the answer to a TokenRequest with thousands of audiences. */
const maxAnswerBytes = 4 << 20;

/** Returns the big-endian bytes of a random odd integer. */
function odd(bits: number): Buffer {
  const bytes = randomBytes(Math.ceil(bits / 8));
  bytes[0] = 0xff;
  bytes[bytes.length - 1] = 0xff;
  return bytes;
}

/** Returns a certificate request in PEM whose RSA key has an exponent of 64 bits, and whose signature is wrong. */
function requestWithKey(bits: number): string {
  const modulus = odd(Math.max(bits, 512));
  const key = der.sequence(
    der.sequence(der.oid('1.2.840.113549.1.1.1'), der.nothing()),
    der.bits(der.encode(der.sequence(der.integer(modulus), der.integer(odd(64))))),
  );
  const body = der.sequence(der.integer(Buffer.from([0])), der.sequence(), key, der.tagged(0, []));
  const signature = Buffer.from(modulus);
  signature[0] = 0x40;
  const whole = der.sequence(body, der.sequence(der.oid('1.2.840.113549.1.1.11'), der.nothing()), der.bits(signature));
  const text = der.encode(whole).toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${text}\n-----END CERTIFICATE REQUEST-----\n`;
}

export const authorizationRows: readonly Row[] = [
  row('review-groups-of-subjects', 12_000, async (fixture, own) => {
    const { size } = fixture;
    const subjects = range(size, i => ({ apiGroup: rbacGroup, kind: 'Group', name: `${own}-${i}` }));
    await grant(fixture, own, [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], subjects);
    const groups = [...range(size * 4 - 100, i => `g${i}`), `${own}-${Math.floor(size) - 1}`];
    const spec = { user: 'u', groups, resourceAttributes: { verb: 'get', resource: 'pods' } };
    await fixture.must(
      post(`${reviews}/subjectaccessreviews`, object('authorization.k8s.io/v1', 'SubjectAccessReview', '', { spec })),
    );
    await revoke(fixture, own);
  }),
  row('review-groups-taken', 49_000, (fixture, own) =>
    fixture.must(
      post(
        `${reviews}/subjectaccessreviews`,
        object('authorization.k8s.io/v1', 'SubjectAccessReview', '', {
          spec: {
            user: own,
            groups: range(fixture.size, i => `g${i}`),
            resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' },
          },
        }),
      ),
    ),
  ),
  row('review-extra', 24_000, (fixture, own) =>
    fixture.send(
      post(
        `${reviews}/subjectaccessreviews`,
        object('authorization.k8s.io/v1', 'SubjectAccessReview', '', {
          spec: {
            user: own,
            extra: Object.fromEntries(range(fixture.size, i => [`k${i}`, ['v']])),
            nonResourceAttributes: { verb: 'get', path: '/x' },
          },
        }),
      ),
    ),
  ),
  row('refused-long-verb', 4000, async (fixture, own) => {
    await grant(
      fixture,
      own,
      [{ verbs: ['create'], apiGroups: [rbacGroup], resources: ['clusterroles'] }],
      [userSubject(own)],
    );
    const rules = [
      { verbs: ['v'.repeat(fixture.size * 500)], apiGroups: [''], resources: range(fixture.size, i => `r${i}`) },
    ];
    await postAs(fixture, own, `${rbacPath}/clusterroles`, rbacObject('ClusterRole', `${own}-x`, { rules }));
    await revoke(fixture, own);
  }),
  // A token has at most 128 KiB.
  row('audiences', 11_000, async (fixture, own) => {
    const token = await tokenOf(
      fixture,
      own,
      range(fixture.size, i => `a${i}`),
    );
    const spec = { token, audiences: [...range(fixture.size * 4, i => `b${i}`), 'a0'] };
    const review = object('authentication.k8s.io/v1', 'TokenReview', 'x', { spec });
    await fixture.must(post('/apis/authentication.k8s.io/v1/tokenreviews', review));
    await fixture.must(remove(`${accounts}/${own}`));
  }),
  row('key-with-large-exponent', 16_384, async (fixture, own) => {
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const spec = {
      request: Buffer.from(requestWithKey(fixture.size)).toString('base64'),
      ...{ signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    };
    const made = object('certificates.k8s.io/v1', 'CertificateSigningRequest', own, { spec });
    for (let i = 0; i < 5; i++) await fixture.send(post(path, made));
  }),
];
