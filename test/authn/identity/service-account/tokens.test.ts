import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import t from 'tap';
import { tokenReviewer } from '../../../../authn/identity/review.js';
import {
  serviceAccountTokens,
  type ServiceAccountDeps,
} from '../../../../authn/identity/service-account/authenticate.js';
import { keySet, openIdConfiguration } from '../../../../authn/identity/service-account/documents.js';
import { legacyToken, tokenIssuer } from '../../../../authn/identity/service-account/issue.js';
import { readToken, signToken } from '../../../../authn/identity/service-account/jwt.js';
import { signingKey, verificationKey, type SigningKey } from '../../../../authn/identity/service-account/keys.js';
import type { Lookup, Lookups } from '../../../../authn/identity/service-account/lookups.js';
import { tokenUnion } from '../../../../authn/identity/union.js';
import { createKey, privatePem } from '../../../../authn/pki/keys.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { notFound } from '../../../../apimachinery/errors/status.js';
import type { TokenOrder } from '../../../../registry/access.js';

const issuer = 'https://kubernetes.default.svc.cluster.local';
const start = new Date('2026-01-02T03:04:05Z');
const after = (seconds: number): Date => new Date(start.getTime() + seconds * 1000);

/** The objects that tokens refer to: `serviceaccounts ns/name` -> object. */
function world(): { objects: Map<string, KubeObject>; lookups: Lookups } {
  const objects = new Map<string, KubeObject>();
  const lookup =
    (resource: string): Lookup =>
    async (namespace, name) => {
      const found = objects.get(`${resource} ${namespace}/${name}`);
      if (found === undefined) throw notFound({ group: '', resource }, name);
      return found;
    };
  const lookups = {
    serviceAccount: lookup('serviceaccounts'),
    pod: lookup('pods'),
    secret: lookup('secrets'),
    node: lookup('nodes'),
  };
  return { objects, lookups };
}

const object = (uid: string, more: object = {}, body: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name: 'x', uid, ...more },
  ...body,
});

const key = signingKey(privatePem(await createKey()));

function setUp(over: Partial<ServiceAccountDeps> = {}) {
  const { objects, lookups } = world();
  objects.set('serviceaccounts ns/sa', object('u1'));
  let now = start;
  const keys = [key];
  const used: string[] = [];
  const authenticate = serviceAccountTokens({
    issuers: [issuer],
    keys: () => keys,
    audiences: [issuer],
    lookups,
    now: () => now,
    onLegacyUse: (_secret, day) => used.push(day),
    ...over,
  });
  const review = tokenReviewer(tokenUnion(authenticate), [issuer]);
  const issue = tokenIssuer({ issuer, key: () => key, uuid: () => 'j1' });
  const order = (more: Partial<TokenOrder> = {}): string =>
    issue({ namespace: 'ns', name: 'sa', uid: 'u1', audiences: [issuer], expirationSeconds: 600, now: start, ...more });
  const error = async (token: string, ...audiences: string[]): Promise<string | undefined> => {
    const verdict = await review(token, audiences);
    return 'error' in verdict ? verdict.error : undefined;
  };
  return { objects, used, authenticate, review, order, error, at: (time: Date) => (now = time) };
}

const jane = {
  name: 'system:serviceaccount:ns:sa',
  uid: 'u1',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
};

t.test('a valid token authenticates its service account', async t => {
  const { authenticate, order, review } = setUp();
  const extra = { 'authentication.kubernetes.io/credential-id': ['JTI=j1'] };
  t.same(await authenticate(order(), []), { identity: { ...jane, extra }, audiences: [issuer] });
  t.same(await review(order({ audiences: ['a', issuer] }), ['b', 'a']), {
    identity: { ...jane, groups: [...jane.groups, 'system:authenticated'], extra },
    audiences: ['a'],
  });
  t.equal(await authenticate('nonsense', []), undefined);
  t.equal(await authenticate(signToken(key, { iss: 'https://elsewhere' }), []), undefined);
});

t.test('invalid tokens are refused', async t => {
  const wrong = setUp();
  const { order, error } = wrong;
  t.equal(await error('nonsense'), 'invalid bearer token');
  t.equal(
    await error(order(), 'other'),
    `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["other"]]`,
  );
  const other = signingKey(privatePem(await createKey()));
  const claims = { iss: issuer, aud: [issuer] };
  t.equal(await error(signToken(other, claims)), '[invalid bearer token, invalid signature, no keys found]');
  t.equal(
    await error(signToken({ ...other, id: key.id }, claims)),
    '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
  );
  const [, body = '', signature = ''] = order().split('.');
  const none = `${Buffer.from(JSON.stringify({ alg: 'none', kid: key.id })).toString('base64url')}.${body}.${signature}`;
  t.match(await error(none), 'cryptographic primitive');

  wrong.at(after(-61));
  t.equal(await error(order()), '[invalid bearer token, service account token is not valid yet]');
  wrong.at(after(660));
  t.equal(await error(order()), undefined, "a minute's grace");
  wrong.at(after(661));
  t.equal(await error(order()), '[invalid bearer token, service account token has expired]');
});

t.test('a token is invalid after its bound object is deleted', async t => {
  const live = setUp();
  const { objects, order, error, authenticate } = live;
  const pod = { name: 'p', uid: 'p1' };
  const node = { name: 'n', uid: 'n1' };
  const secret = { name: 's', uid: 's1' };
  objects.set('pods ns/p', object('p1'));
  objects.set('secrets ns/s', object('s1'));
  objects.set('nodes /n', object('n1'));
  const key = (name: string): string => `authentication.kubernetes.io/${name}`;
  t.same((await authenticate(order({ pod, node }), []))?.identity.extra, {
    [key('credential-id')]: ['JTI=j1'],
    [key('pod-name')]: ['p'],
    [key('pod-uid')]: ['p1'],
    [key('node-name')]: ['n'],
    [key('node-uid')]: ['n1'],
  });
  t.same((await authenticate(order({ node }), []))?.identity.extra, {
    [key('credential-id')]: ['JTI=j1'],
    [key('node-name')]: ['n'],
    [key('node-uid')]: ['n1'],
  });
  const says = async (text: string, token: string): Promise<void> => {
    t.equal(await error(token), `[invalid bearer token, ${text}]`, text);
  };
  const gone = 'service account token has been invalidated';
  const deletionTimestamp = '2026-01-02T03:03:00Z';
  objects.set('pods ns/p', object('p2'));
  await says('pod UID (p2) does not match service account pod ref claim (p1)', order({ pod }));
  objects.set('pods ns/p', object('p1', { deletionTimestamp }));
  await says(gone, order({ pod }));
  objects.delete('pods ns/p');
  await says(gone, order({ pod }));
  objects.set('secrets ns/s', object('s2'));
  await says('secret UID (s2) does not match service account secret ref claim (s1)', order({ secret }));
  objects.delete('nodes /n');
  await says(gone, order({ node }));
  objects.set('serviceaccounts ns/sa', object('u2'));
  await says('service account UID (u2) does not match claim (u1)', order());
  objects.set('serviceaccounts ns/sa', object('u1', { deletionTimestamp }));
  await says('service account ns/sa has been deleted', order());
  objects.delete('serviceaccounts ns/sa');
  await says('serviceaccounts "sa" not found', order());
});

t.test('a token in a Secret is valid while the Secret exists', async t => {
  const live = setUp();
  const { objects, error, authenticate, used } = live;
  const token = legacyToken(key, { namespace: 'ns', name: 'sa', uid: 'u1', secret: 's' });
  const data = { token: Buffer.from(token).toString('base64') };
  objects.set('secrets ns/s', object('s1', {}, { data }));
  t.same(await authenticate(token, []), { identity: jane, audiences: [issuer] });
  t.same(used, ['2026-01-02']);
  objects.set(
    'secrets ns/s',
    object('s1', { labels: { 'kubernetes.io/legacy-token-last-used': '2026-01-02' } }, { data }),
  );
  await authenticate(token, []);
  t.same(used, ['2026-01-02'], 'once a day');
  const says = async (text: string): Promise<void> => {
    t.equal(await error(token), `[invalid bearer token, ${text}]`, text);
  };
  objects.set('secrets ns/s', object('s1', {}, { data: { token: 'eA==' } }));
  await says("Token does not match server's copy");
  objects.delete('secrets ns/s');
  await says('Token has been invalidated');
  objects.set('secrets ns/s', object('s1', { labels: { 'kubernetes.io/legacy-token-invalid-since': 'x' } }, { data }));
  t.match(await error(token), 'the token in secret ns/s for service account ns/sa has been marked invalid. Use tokens');
  objects.set('secrets ns/s', object('s1', {}, { data }));
  objects.set('serviceaccounts ns/sa', object('u2'));
  await says('ServiceAccount UID (u2) does not match claim (u1)');
  t.equal(
    await error(signToken(key, { iss: 'kubernetes/serviceaccount', sub: 'x' })),
    '[invalid bearer token, namespace claim is missing]',
  );
});

t.test('other servers can verify tokens of every key type by the published keys', async t => {
  const pem = (privateKey: { export(options: object): string | Buffer }): string =>
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keys: readonly SigningKey[] = [
    key,
    signingKey(pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)),
    signingKey(pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey)),
  ];
  const documents = keySet(keys.map(({ id, algorithm, key }) => ({ id, algorithm, key })));
  t.notOk(JSON.stringify(documents).includes('"d"'), 'no private keys');
  const known = createLocalJWKSet(documents as unknown as JSONWebKeySet);
  for (const one of keys) {
    const token = tokenIssuer({ issuer, key: () => one, uuid: () => 'j' })({
      ...{ namespace: 'ns', name: 'sa', uid: 'u', audiences: ['a'], expirationSeconds: 600, now: new Date() },
    });
    const { payload } = await jwtVerify(token, known, { issuer, audience: 'a' });
    t.equal(payload.sub, 'system:serviceaccount:ns:sa', one.algorithm.name);
  }
  t.same(openIdConfiguration(issuer, `${issuer}/openid/v1/jwks`, keys), {
    issuer,
    jwks_uri: `${issuer}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'ES384', 'RS256'],
  });
  const publicPem = key.key.export({ type: 'spki', format: 'pem' }).toString();
  t.equal(verificationKey(publicPem).id, key.id);
});

t.test('rotated keys take effect at once', async t => {
  let keys = [verificationKey(privatePem(await createKey()))];
  const { error, order } = setUp({ keys: () => keys });
  t.match(await error(order()), 'no keys found');
  keys = [...keys, key];
  t.equal(await error(order()), undefined);
  keys = keys.slice(0, 1);
  t.match(await error(order()), 'no keys found', 'cached verifications are dropped');
});

t.test('a token with an invalid time is refused', t => {
  for (const name of ['exp', 'nbf', 'iat'])
    for (const value of ['soon', '1', true, null, {}])
      t.equal(readToken(signToken(key, { [name]: value })), undefined, `${name}: ${value}`);
  t.ok(readToken(signToken(key, { exp: 1, nbf: 1.5, iat: 0 })));
  t.ok(readToken(signToken(key, {})));
  t.end();
});
