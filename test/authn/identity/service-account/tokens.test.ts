import { createHmac, generateKeyPairSync } from 'node:crypto';
import { CompactSign, createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
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
import { verificationLimits } from '../../../../authn/identity/verified-tokens.js';
import { createKey, privatePem } from '../../../../apimachinery/x509/keys.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { FairLimit, QueueFullError } from '../../../../lib/fair-limit.js';
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
    verifications: new FairLimit(verificationLimits.concurrency, verificationLimits.queue),
    onLegacyUse: (_secret, day) => used.push(day),
    ...over,
  });
  const review = tokenReviewer(tokenUnion(authenticate), [issuer]);
  const issue = tokenIssuer({ issuer, key: () => key, uuid: () => 'j1' });
  const order = (more: Partial<TokenOrder> = {}): Promise<string> =>
    issue({ namespace: 'ns', name: 'sa', uid: 'u1', audiences: [issuer], expirationSeconds: 600, now: start, ...more });
  const error = async (token: string | Promise<string>, ...audiences: string[]): Promise<string | undefined> => {
    const verdict = await review(await token, audiences, 'bob');
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
  t.same(await authenticate(await order(), []), { identity: { ...jane, extra }, audiences: [issuer] });
  t.same(await review(await order({ audiences: ['a', issuer] }), ['b', 'a'], 'bob'), {
    identity: { ...jane, groups: [...jane.groups, 'system:authenticated'], extra },
    audiences: ['a'],
  });
  t.equal(await authenticate('nonsense', []), undefined);
  t.equal(await authenticate(await signToken(key, { iss: 'https://elsewhere' }), []), undefined);
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
  t.equal(await error(await signToken(other, claims)), '[invalid bearer token, invalid signature, no keys found]');
  t.equal(
    await error(await signToken({ ...other, id: key.id }, claims)),
    '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
  );
  const [, body = '', signature = ''] = (await order()).split('.');
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
  t.same((await authenticate(await order({ pod, node }), []))?.identity.extra, {
    [key('credential-id')]: ['JTI=j1'],
    [key('pod-name')]: ['p'],
    [key('pod-uid')]: ['p1'],
    [key('node-name')]: ['n'],
    [key('node-uid')]: ['n1'],
  });
  t.same((await authenticate(await order({ node }), []))?.identity.extra, {
    [key('credential-id')]: ['JTI=j1'],
    [key('node-name')]: ['n'],
    [key('node-uid')]: ['n1'],
  });
  const says = async (text: string, token: string | Promise<string>): Promise<void> => {
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
  const token = await legacyToken(key, { namespace: 'ns', name: 'sa', uid: 'u1', secret: 's' });
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
    await error(await signToken(key, { iss: 'kubernetes/serviceaccount', sub: 'x' })),
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
    const token = await tokenIssuer({ issuer, key: () => one, uuid: () => 'j' })({
      ...{ namespace: 'ns', name: 'sa', uid: 'u', audiences: ['a'], expirationSeconds: 600, now: new Date() },
    });
    const { payload } = await jwtVerify(token, known, { issuer, audience: 'a' });
    t.equal(payload.sub, 'system:serviceaccount:ns:sa', one.algorithm);
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

t.test('a verified token is answered without a promise, and everything that can change is checked again', async t => {
  const { objects } = world();
  const lookup =
    (resource: string): Lookup =>
    (namespace, name) => {
      const found = objects.get(`${resource} ${namespace}/${name}`);
      if (found === undefined) throw notFound({ group: '', resource }, name);
      return found;
    };
  const lookups: Lookups = {
    serviceAccount: lookup('serviceaccounts'),
    pod: lookup('pods'),
    secret: lookup('secrets'),
    node: lookup('nodes'),
  };
  const { authenticate, order, error, at } = setUp({ lookups });
  const reset = (): void => {
    objects.set('serviceaccounts ns/sa', object('u1'));
    for (const resource of ['pods ns', 'secrets ns', 'nodes ']) objects.set(`${resource}/x`, object('x1'));
  };
  reset();
  const x = { name: 'x', uid: 'x1' };
  const tokens = { plain: await order(), pod: await order({ pod: x, node: x }), secret: await order({ secret: x }) };
  const node = await order({ node: x });
  const verified = await Promise.all([...Object.values(tokens), node].map(async token => authenticate(token, [])));
  for (const [i, token] of [...Object.values(tokens), node].entries()) {
    const again = authenticate(token, []);
    t.notOk(again instanceof Promise);
    t.equal((await again)?.identity, verified[i]?.identity, 'the same user object');
  }
  const says = async (text: string, token: string): Promise<void> => {
    t.equal(await error(token), `[invalid bearer token, ${text}]`, text);
    reset();
    at(start);
    t.equal(await error(token), undefined, 'valid again');
  };
  const gone = 'service account token has been invalidated';
  objects.delete('pods ns/x');
  await says(gone, tokens.pod);
  objects.delete('secrets ns/x');
  await says(gone, tokens.secret);
  objects.delete('nodes /x');
  await says(gone, node);
  objects.set('nodes /x', object('x2'));
  await says('node UID (x2) does not match service account node ref claim (x1)', node);
  objects.delete('serviceaccounts ns/sa');
  await says('serviceaccounts "sa" not found', tokens.plain);
  objects.set('serviceaccounts ns/sa', object('u1', { deletionTimestamp: '2026-01-02T03:03:00Z' }));
  await says('service account ns/sa has been deleted', tokens.plain);
  at(after(-61));
  await says('service account token is not valid yet', tokens.plain);
  at(after(661));
  await says('service account token has expired', tokens.plain);
  t.equal(
    await error(tokens.plain, 'other'),
    `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["other"]]`,
  );
});

t.test('a token is verified once for all requests that wait for it', async t => {
  const { authenticate, order } = setUp();
  const token = await order();
  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, async () => authenticate(token, [])));
  for (const other of others) t.equal(other?.identity, first?.identity, 'made from one verification');
});

t.test('a token that is being verified when the keys change is verified again', async t => {
  let keys: readonly SigningKey[] = [key];
  const { authenticate, error, order } = setUp({ keys: () => keys });
  const token = await order();
  const verifying = authenticate(token, []);
  keys = [signingKey(privatePem(await createKey()))];
  t.match(await error(token), 'no keys found');
  t.ok(await verifying, 'it was valid when it came');
  t.match(await error(token), 'no keys found');
});

t.test('a connection with many wrong tokens does not keep others out', async t => {
  const { authenticate, order } = setUp();
  const token = await order();
  const forged = Array.from({ length: 3000 }, (_, i) => `${token.slice(0, -10)}${String(i).padStart(9, 'A')}A`);
  const attacker = { network: '10.0.0.1' };
  const [verified, waiting] = [[] as unknown[], [] as unknown[]];
  const count = (error: unknown): void => void (error instanceof QueueFullError ? waiting : verified).push(error);
  const wrong = forged.map(one => Promise.resolve(authenticate(one, [], attacker)).catch(count));
  t.equal((await authenticate(token, [], { network: '10.0.0.2' }))?.identity.name, jane.name);
  t.ok(verified.length < 200, `${verified.length} wrong ones before it`);
  await Promise.all(wrong);
  t.equal(verified.length + waiting.length, 3000);
});

t.test('a client is not refused with another one that sent the same token first', async t => {
  const verifications = new FairLimit(1, { length: 4, lengthPerKey: 1, bytes: 1 << 20 });
  const { authenticate, order } = setUp({ verifications });
  const token = await order();
  let end = (): void => undefined;
  const running = verifications.run(() => new Promise<void>(resolve => (end = resolve)), { key: 'running', size: 1 });
  const earlier = verifications.run(() => Promise.resolve(), { key: 'busy', size: 1 });
  const first = Promise.resolve(authenticate(token, [], 'busy'));
  const second = Promise.resolve(authenticate(token, [], 'other'));
  await t.rejects(first, { message: 'too many tasks are waiting' });
  end();
  await Promise.all([running, earlier]);
  t.match(await second, { identity: { name: jane.name } });
});

t.test('a key id and an algorithm select keys, and a token cannot select another algorithm', async t => {
  const { error } = setUp();
  const claims = Buffer.from(JSON.stringify({ iss: issuer, aud: [issuer] })).toString('base64url');
  const forge = (header: object): string => {
    const head = Buffer.from(JSON.stringify(header)).toString('base64url');
    const secret = key.key.export({ type: 'spki', format: 'pem' });
    return `${head}.${claims}.${createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url')}`;
  };
  const failure = '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]';
  for (const alg of ['HS256', 'none', 'RS256', 'ES384', 'PS256', 'EdDSA', '', 5, null, undefined])
    for (const kid of [key.id, '', undefined])
      t.equal(await error(forge({ alg, kid })), failure, `alg ${String(alg)}, kid ${kid}`);
  t.equal(await error(forge({ alg: 'ES256', kid: key.id })), failure);
  t.equal(await error(forge({ alg: 'ES256', kid: 'x' })), '[invalid bearer token, invalid signature, no keys found]');
});

t.test('a header that this server does not understand is refused', async t => {
  const { error } = setUp();
  const signed = (header: object): Promise<string> =>
    new CompactSign(Buffer.from(JSON.stringify({ iss: issuer, aud: [issuer] })))
      .setProtectedHeader({ alg: 'ES256', kid: key.id, ...header })
      .sign(key.privateKey, { crit: { x: true } });
  t.match(await error(signed({})), 'serviceaccounts');
  t.match(await error(signed({ crit: ['x'], x: 1 })), 'cryptographic primitive'); // RFC 7515 4.1.11
});

t.test('tokens that are too long are not read', async t => {
  const { error, order } = setUp();
  const [head = '', body = '', signature = ''] = (await order()).split('.');
  const long = 'A'.repeat(5000);
  t.equal(await error(`${head}${long}.${body}.${signature}`), 'invalid bearer token');
  t.equal(await error(`${head}.${body}.${signature}${long}`), 'invalid bearer token');
  t.equal(await error(await order({ audiences: [issuer, 'a'.repeat(100_000)] })), 'invalid bearer token');
  t.equal(await error(await order({ audiences: [issuer, 'a'.repeat(90_000)] })), undefined);
  t.equal(await error('.'.repeat(100_000)), 'invalid bearer token');
});

t.test('a token has one spelling', async t => {
  const { authenticate, error, order } = setUp();
  const token = await order();
  t.ok(await authenticate(token, []));
  const [head = '', body = '', signature = ''] = token.split('.');
  const spellings = {
    ...{ tab: `${token}\t`, 'form feed': `${head}.${body}.\f${signature}`, 'line end': `${token}\n` },
    ...{ space: `${head}.${body}. ${signature}`, padding: `${token}==`, plus: `${token}+` },
    'low bits': `${token.slice(0, -1)}${String.fromCharCode(token.charCodeAt(token.length - 1) + 1)}`,
    ...{ 'in the header': `${head}\t.${body}.${signature}`, 'in the claims': `${head}.${body}\n.${signature}` },
  };
  for (const [name, spelling] of Object.entries(spellings))
    t.equal(await error(spelling), 'invalid bearer token', name);
});

t.test('RSA keys have 2,048 bits at least', t => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  t.throws(() => signingKey(small.export({ type: 'pkcs8', format: 'pem' }).toString()), /RSA key of 1024 bits/);
  t.end();
});

t.test('a token with an invalid time is refused', async t => {
  for (const name of ['exp', 'nbf', 'iat'])
    for (const value of ['soon', '1', true, null, {}])
      t.equal(readToken(await signToken(key, { [name]: value })), undefined, `${name}: ${value}`);
  t.ok(readToken(await signToken(key, { exp: 1, nbf: 1.5, iat: 0 })));
  t.ok(readToken(await signToken(key, {})));
});
