/** Authentication and authorization: tokens, certificates, roles, reviews. */
import assert from 'node:assert/strict';
import type { HostileRequest, Row } from '../row.js';
import { configMaps, get, many, object, post, range, remove } from './objects.js';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const reviews = '/apis/authorization.k8s.io/v1';
const maxTokenBytes = 900_000; // The limit for the headers of a request is 1 MiB.

/** Sends a token in the header, and in a TokenReview. `size`: bytes. */
const token = (name: string, make: (size: number) => string): Row => ({
  name: `access/token-${name}`,
  size: maxTokenBytes,
  async play({ rawWithoutCertificate, send, size }) {
    const text = make(size);
    const answer = await rawWithoutCertificate(
      Buffer.from(
        `GET ${configMaps} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${text}\r\n\r\n`,
      ),
    );
    assert.match(
      answer,
      /^HTTP\/1\.1 401 /,
      `${size} bytes are refused by the authenticators: ${answer.slice(0, 200)}`,
    );
    const review = object('authentication.k8s.io/v1', 'TokenReview', 'x', { spec: { token: text } });
    const { status } = await send(post('/apis/authentication.k8s.io/v1/tokenreviews', review));
    assert.equal(status, 201, 'the token of the review is judged');
  },
});

const encoded = (value: string): string => Buffer.from(value).toString('base64url');
const jwt = (head: string, payload: string): string => `${encoded(head)}.${encoded(payload)}.${'A'.repeat(86)}`;
const signed = JSON.stringify({ alg: 'ES256', kid: 'x' });

const mayCreateRoles = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create'] };

/** Binds a ClusterRole to a user, and sends requests as that user. */
const role = (name: string, size: number, rules: (size: number) => readonly object[]): Row => ({
  name: `access/role-${name}`,
  size,
  async play(fixture) {
    const own = fixture.name();
    const granted = [...rules(fixture.size), mayCreateRoles];
    const made = object('rbac.authorization.k8s.io/v1', 'ClusterRole', own, { rules: granted });
    await fixture.must(post(`${rbac}/clusterroles`, made));
    await fixture.must(
      post(
        `${rbac}/clusterrolebindings`,
        object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', own, {
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: own },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: own }],
        }),
      ),
    );
    const as = { 'impersonate-user': own };
    await Promise.all(range(20, () => fixture.send(get(configMaps, as))));
    const rulesOf = object('authorization.k8s.io/v1', 'SelfSubjectRulesReview', 'x', {
      spec: { namespace: 'default' },
    });
    await fixture.send({
      ...post(`${reviews}/selfsubjectrulesreviews`, rulesOf),
      headers: { 'content-type': 'application/json', ...as },
    });
    // The user may create roles, but only with rules that the own rules cover: all are compared with all.
    const copy = object('rbac.authorization.k8s.io/v1', 'ClusterRole', `${own}-copy`, { rules: rules(fixture.size) });
    await fixture.send({
      ...post(`${rbac}/clusterroles`, copy),
      headers: { 'content-type': 'application/json', ...as },
    });
    await fixture.send(remove(`${rbac}/clusterroles/${own}-copy`));
    await fixture.must(remove(`${rbac}/clusterrolebindings/${own}`));
    await fixture.must(remove(`${rbac}/clusterroles/${own}`));
  },
});

/** A row whose requests must succeed. */
const accepted = (name: string, size: number, make: (size: number, own: string) => readonly HostileRequest[]): Row => ({
  name: `access/${name}`,
  size,
  async play(fixture) {
    for (const request of make(fixture.size, fixture.name())) await fixture.must(request);
  },
});

const rule = (i: number): object => ({ verbs: ['get'], apiGroups: [''], resources: [`r${i}`] });

const csr = (name: string, make: (size: number) => string): Row => ({
  name: `access/request-${name}`,
  size: 1_000_000,
  async play(fixture) {
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const own = fixture.name();
    const spec = {
      request: Buffer.from(make(fixture.size)).toString('base64'),
      ...{ signerName: 'example.com/x', usages: ['client auth'] },
    };
    const { status } = await fixture.send(
      post(path, object('certificates.k8s.io/v1', 'CertificateSigningRequest', own, { spec })),
    );
    assert.equal(status, 422, 'the request is read, and refused');
  },
});

/** Returns a DER sequence of so many elements, in base64. */
const nulls = (count: number): string => {
  const content = Buffer.alloc(2 * Math.floor(count), Buffer.from([0x05, 0x00]));
  const head = Buffer.from([0x30, 0x83, 0, 0, 0]);
  head.writeUIntBE(content.length, 2, 3);
  return Buffer.concat([head, content]).toString('base64');
};

const pem = (body: string): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;

export const accessRows: readonly Row[] = [
  token('letters', size => 'A'.repeat(size)),
  token('dots', size => '.'.repeat(size)),
  token('head', size => jwt(`{"alg":"ES256"${many(size * 0.7, i => `,"k${i}":1`)}}`, '{}')),
  token('deep-head', size => jwt('['.repeat(size * 0.7), '{}')),
  token('payload', size =>
    jwt(signed, `{"iss":"https://kubernetes.default.svc"${many(size * 0.7, i => `,"k${i}":1`)}}`),
  ),
  token('deep-payload', size => jwt(signed, '['.repeat(size * 0.7))),
  token('signature', size => `${encoded(signed)}.${encoded('{}')}.${'A'.repeat(size)}`),
  role('rules', 7000, size => range(size, rule)),
  role('wide-rule', 49_000, size => [{ verbs: ['get'], apiGroups: [''], resources: range(size, i => `r${i}`) }]),
  role('product', 2000, size => [
    {
      verbs: range(size / 20, i => `v${i}`),
      apiGroups: range(size / 20, i => `g${i}`),
      resources: range(size, i => `r${i}`),
    },
  ]),
  role('names', 40_000, size => [
    { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: range(size, i => `n${i}`) },
  ]),
  role('paths', 40_000, size => [{ verbs: ['get'], nonResourceURLs: range(size, i => `/p${i}/*`) }]),
  accepted('aggregated', 5000, (size, name) => {
    const clusterRoleSelectors = range(size, i => ({ matchLabels: { [`k${i}`]: 'v' } }));
    const made = object('rbac.authorization.k8s.io/v1', 'ClusterRole', name, {
      aggregationRule: { clusterRoleSelectors },
    });
    return [post(`${rbac}/clusterroles`, made), remove(`${rbac}/clusterroles/${name}`)];
  }),
  accepted('subjects', 12_000, (size, name) => {
    const made = object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', name, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: range(size, i => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `u${i}` })),
    });
    return [post(`${rbac}/clusterrolebindings`, made), remove(`${rbac}/clusterrolebindings/${name}`)];
  }),
  accepted('review-selector', 50_000, size => [
    post(
      `${reviews}/subjectaccessreviews`,
      object('authorization.k8s.io/v1', 'SubjectAccessReview', '', {
        spec: {
          user: 'u',
          resourceAttributes: {
            ...{ verb: 'list', resource: 'pods' },
            labelSelector: { rawSelector: range(size, i => `k${i}=v`).join(',') },
          },
        },
      }),
    ),
  ]),
  csr('garbage', size => pem('A'.repeat(size))),
  csr('deep', size => pem(Buffer.alloc(size * 0.7, Buffer.from([0x30, 0x80])).toString('base64'))),
  csr('long-lengths', size => pem(Buffer.alloc(size * 0.7, Buffer.from([0x30, 0x84, 0xff])).toString('base64'))),
  csr('wide', size => pem(nulls(size * 0.35))),
  csr('wide-at-limit', () => pem(nulls(16_000))),
  csr('dashes', size => '-'.repeat(size)),
  csr('begins', size => '-----BEGIN CERTIFICATE REQUEST-----\n'.repeat(size / 36)),
];
