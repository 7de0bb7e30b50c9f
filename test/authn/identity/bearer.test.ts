import t from 'tap';
import { X509Certificate } from 'node:crypto';
import { audienceAgnostic } from '../../../authn/identity/audiences.js';
import { bearer, plainProtocols } from '../../../authn/identity/bearer.js';
import { frontProxy } from '../../../authn/identity/front-proxy.js';
import { tokenUnion } from '../../../authn/identity/union.js';
import { createAuthority, issueClient } from '../../../authn/pki/authority.js';

t.test('bearer tokens are read from the Authorization header and from WebSocket protocols', async t => {
  const tokens = tokenUnion(
    () => undefined,
    token => (token === 's3cret' ? { identity: { name: 'jane', groups: [] } } : undefined),
  );
  const authenticate = bearer(tokens);
  const who = async (headers: Record<string, string | string[]>) =>
    (await authenticate({ headers, certificate: undefined }))?.name;
  const protocol = (token: string): string =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
  const upgrade = { upgrade: 'websocket', connection: 'keep-alive, Upgrade' };

  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    t.equal(await who({ authorization: `${scheme} s3cret` }), 'jane', scheme);
  t.equal(await who({ authorization: 'Basic s3cret' }), undefined);
  t.equal(await who({ authorization: 'Bearer' }), undefined);
  t.equal(await who({ authorization: 'Bearer  s3cret' }), undefined, 'two spaces: no token');
  t.equal(await who({}), undefined);
  const headers = { ...upgrade, 'sec-websocket-protocol': `v4.channel.k8s.io, ${protocol('s3cret')}` };
  t.equal(await who(headers), 'jane');
  t.same(plainProtocols(headers), ['v4.channel.k8s.io']);
  t.equal(await who({ 'sec-websocket-protocol': protocol('s3cret') }), undefined, 'only in upgrades');

  const refused = { code: 401, message: 'Unauthorized' };
  await t.rejects(who({ authorization: 'Bearer wrong' }), { ...refused, cause: /^Error: invalid bearer token$/ });
  await t.rejects(who({ ...upgrade, 'sec-websocket-protocol': protocol('s3cret') }), { ...refused, cause: /missing/ });
  const twice = `x, ${protocol('s3cret')}, ${protocol('s3cret')}`;
  await t.rejects(who({ ...upgrade, 'sec-websocket-protocol': twice }), { ...refused, cause: /multiple/ });
  const garbled = 'x, base64url.bearer.authorization.k8s.io.@@@';
  await t.rejects(who({ ...upgrade, 'sec-websocket-protocol': garbled }), { ...refused, cause: /encoding/ });
});

t.test('tokens without audiences are for this server alone', async t => {
  const identity = { name: 'jane', groups: [] };
  const authenticate = audienceAgnostic(['a', 'b'], () => ({ identity }));
  t.same(await authenticate('', []), { identity, audiences: ['a', 'b'] });
  t.same(await authenticate('', ['b', 'c']), { identity, audiences: ['b'] });
  t.equal(await authenticate('', ['c']), undefined);
});

t.test('a front proxy is trusted by its certificate and name', async t => {
  const authority = await createAuthority('front-proxy-ca');
  const now = () => new Date();
  const authenticate = frontProxy({ authorities: () => [authority.x509], now, allowedNames: ['front-proxy-client'] });
  const certificate = async (name: string): Promise<Buffer> =>
    new X509Certificate((await issueClient(authority, { name })).certificate).raw;
  const headers = {
    'x-remote-user': 'jane',
    'x-remote-uid': '42',
    'x-remote-group': ['a', 'b,c'],
    'x-remote-extra-scope%2fx': ['1', '2'],
  };
  const proxy = await certificate('front-proxy-client');
  t.same(await authenticate({ headers, certificate: proxy }), {
    name: 'jane',
    uid: '42',
    groups: ['a', 'b,c'],
    extra: { 'scope/x': ['1', '2'] },
  });
  t.equal(await authenticate({ headers: {}, certificate: proxy }), undefined);
  t.equal(
    await authenticate({ headers, certificate: undefined }),
    undefined,
    'headers without a certificate are ignored',
  );
  const other = await certificate('other');
  t.throws(() => authenticate({ headers, certificate: other }), { code: 401, cause: /not in the allowed list/ });
  const stranger = new X509Certificate(
    (await issueClient(await createAuthority(), { name: 'front-proxy-client' })).certificate,
  );
  t.throws(() => authenticate({ headers, certificate: stranger.raw }), { code: 401 });
});
