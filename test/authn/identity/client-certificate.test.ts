import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { orAnonymous, healthPaths } from '../../../authn/identity/anonymous.js';
import { clientCertificate } from '../../../authn/identity/client-certificate.js';
import { headersOf, headerValues } from '../../../authn/identity/headers.js';
import { unionAuthenticators, withAuthenticatedGroup } from '../../../authn/identity/union.js';
import { tooManyRequests } from '../../../apimachinery/errors/status.js';
import { createAuthority, issueClient, issueServing } from '../../../authn/pki/authority.js';
import { fingerprint } from '../../../apimachinery/x509/certificate.js';

t.test('a client certificate authenticates by common name and organizations', async t => {
  const authority = await createAuthority('one');
  const other = await createAuthority('one');
  let believed = [other.x509, authority.x509];
  let now = new Date();
  const authenticate = clientCertificate({ authorities: () => believed, now: () => now });
  const show = async (pem: string) => authenticate({ headers: {}, certificate: new X509Certificate(pem).raw });

  const jane = (await issueClient(authority, { name: 'jane', groups: ['devs', 'a,b'], uid: 'u-1' }, { days: 1 }))
    .certificate;
  const der = new X509Certificate(jane).raw;
  const identity = {
    name: 'jane',
    uid: 'u-1',
    groups: ['devs', 'a,b'],
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint(der)}`] },
  };
  t.same(await show(jane), identity);
  t.equal(await authenticate({ headers: {}, certificate: undefined }), undefined);

  const first = await authenticate({ headers: {}, certificate: der });
  t.equal(await authenticate({ headers: {}, certificate: der }), first, 'once per connection');

  const refused = { message: 'Unauthorized', code: 401 };
  await t.rejects(show((await issueServing(authority, ['x'])).certificate), { ...refused, cause: /key usage/ });
  const stranger = await createAuthority('two');
  await t.rejects(show((await issueClient(stranger, { name: 'x' })).certificate), {
    ...refused,
    cause: /unknown authority/,
  });
  t.equal(
    await show((await issueClient(authority, { name: '' })).certificate),
    undefined,
    'a certificate without a name does not authenticate',
  );

  now = new Date(Date.now() + 2 * 86_400_000);
  await t.rejects(show(jane), { ...refused, cause: /expired/ });
  t.throws(() => authenticate({ headers: {}, certificate: der }), refused, 'on an existing connection, too');
  now = new Date();
  believed = [stranger.x509];
  t.throws(() => authenticate({ headers: {}, certificate: der }), refused, 'authorities change');
  believed = [];
  t.equal(await show(jane), undefined, 'without authorities, no certificate is trusted');
});

t.test('several authenticators are tried in order', async t => {
  const refuse = () => {
    throw new Error('refused');
  };
  const jane = () => ({ name: 'jane', groups: ['g'] });
  const nothing = { headers: {}, certificate: undefined };
  t.same(await withAuthenticatedGroup(unionAuthenticators(refuse, jane))(nothing), {
    name: 'jane',
    groups: ['g', 'system:authenticated'],
  });
  await t.rejects(async () => unionAuthenticators(() => undefined, refuse)(nothing), /refused/);
  const busy = () => {
    throw tooManyRequests('busy', 1);
  };
  const three = [refuse, busy, () => undefined] as const;
  await t.rejects(async () => unionAuthenticators(...three)(nothing), { code: 429 }, 'after another failure');
  await t.rejects(async () => unionAuthenticators(busy, refuse)(nothing), { code: 429 }, 'before another failure');
  t.same(await unionAuthenticators(busy, jane)(nothing), jane());
  const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
  const all = orAnonymous(withAuthenticatedGroup(unionAuthenticators(() => undefined)), 'all');
  t.same(await all(nothing), anonymous);
  await t.rejects(async () => orAnonymous(unionAuthenticators(refuse), 'all')(nothing), /refused/);
  const health = orAnonymous(unionAuthenticators(), healthPaths);
  t.same(await health({ ...nothing, path: '/livez' }), anonymous);
  t.equal(await health({ ...nothing, path: '/livez/etcd' }), undefined);
  t.equal(await health({ ...nothing, path: '/api' }), undefined);
});

t.test('repeated headers keep all their values', async t => {
  const headers = headersOf(['X-Remote-Group', 'a,b', 'Accept', '*/*', 'x-remote-group', 'c', 'X-REMOTE-GROUP', 'd']);
  t.same(headerValues(headers, 'x-remote-group'), ['a,b', 'c', 'd']);
  t.same(headerValues(headers, 'accept'), ['*/*']);
  t.same(headerValues(headers, '__proto__'), []);
});
