/** Requests with service account tokens, through the assembled authenticators of a server. */
import t, { type Test } from 'tap';
import type { TokenConnection } from '../../authn/interface.js';
import { serviceAccounts } from '../../api/kubernetes/resources.js';
import { serve } from './serve.js';

/** Starts the authenticators of a server with the account `sa`. `issue` returns a new token of it. */
async function withAccount(t: Test) {
  const { authn, client } = await serve(t);
  const metadata = { name: 'sa', namespace: 'default' };
  const account = await client.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const issue = async (): Promise<string> =>
    authn.ports.issueToken({
      ...{ namespace: 'default', name: 'sa', uid: account.metadata.uid ?? '' },
      ...{ audiences: authn.ports.audiences, expirationSeconds: 600, now: new Date() },
    });
  return { authn, client, issue };
}

t.test('a token that was verified once is answered without a promise until its account is deleted', async t => {
  const { authn, client, issue } = await withAccount(t);
  const token = await issue();
  const credentials = { headers: { authorization: `Bearer ${token}` }, certificate: undefined };
  const first = await authn.authenticate(credentials);
  t.equal(first?.name, 'system:serviceaccount:default:sa');
  const again = authn.authenticate(credentials);
  t.notOk(again instanceof Promise);
  t.equal(again, first, 'the same user object, by which others remember what they know of it');

  await client.delete(serviceAccounts, { namespace: 'default', name: 'sa' });
  await t.rejects(async () => authn.authenticate(credentials), {
    code: 401,
    cause: { message: 'serviceaccounts "sa" not found' },
  });
});

t.test('a connection that sends more wrong tokens than may wait gets 429, and others their answer', async t => {
  const { authn, issue } = await withAccount(t);
  const token = await issue();
  const send = async (sent: string, connection: TokenConnection) =>
    authn.authenticate({ headers: { authorization: `Bearer ${sent}` }, certificate: undefined, connection });
  const attacker = { network: '10.0.0.1' };
  const codes = new Map<unknown, number>();
  const wrong = Array.from({ length: 3000 }, async (_, i) => {
    const forged = `${token.slice(0, -12)}${String(i).padStart(10, 'A')}${token.slice(-2)}`;
    const code = await send(forged, attacker).then(
      () => 200,
      (error: unknown) => (error as { code?: unknown }).code,
    );
    codes.set(code, (codes.get(code) ?? 0) + 1);
  });
  const busy = authn.ports.reviewToken(token.replace(/.{4}$/, 'AAAA'), [], 'bob').then(
    () => 'reviewed',
    () => 'busy',
  );
  t.equal((await send(token, { network: '10.0.0.2' }))?.name, 'system:serviceaccount:default:sa');
  t.notOk(codes.has(200));
  await Promise.all(wrong);
  t.same([...codes.keys()].sort(), [401, 429]);
  t.equal((codes.get(401) ?? 0) + (codes.get(429) ?? 0), 3000);
  t.ok((codes.get(401) ?? 0) < 400, 'some 256 wait at a time');
  t.equal(await busy, 'reviewed', 'a review takes turns with connections');
});

t.test('many connections from one network with a wrong token each do not keep others out', async t => {
  const { authn, issue } = await withAccount(t);
  const tokens: string[] = [];
  for (let i = 0; i < 40; i++) tokens.push(await issue());
  const send = async (token: string, connection: TokenConnection): Promise<unknown> => {
    try {
      await authn.authenticate({ headers: { authorization: `Bearer ${token}` }, certificate: undefined, connection });
      return 200;
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  };
  const [first = ''] = tokens;
  const settled: unknown[] = [];
  const wrong = Array.from({ length: 3000 }, async (_, i) => {
    const forged = `${first.slice(0, -12)}${String(i).padStart(10, 'A')}${first.slice(-2)}`;
    settled.push(await send(forged, { network: '10.0.0.1' }));
  });
  // A client with one token on each of its connections, and all connections of the attacker have one, too.
  const valid = await Promise.all(tokens.map(token => send(token, { network: '10.0.0.2' })));
  t.same(new Set(valid), new Set([200]));
  const verified = settled.filter(code => code === 401).length;
  t.ok(verified < 200, `${verified} wrong tokens were verified before, in turns with the others`);
  await Promise.all(wrong);
  t.same([...new Set(settled)].sort(), [401, 429]);
});

t.test('a user that reviews more tokens than may wait gets 429, and other users their review', async t => {
  const { authn, issue } = await withAccount(t);
  const token = await issue();
  const codes = new Set<unknown>();
  const wrong = Array.from({ length: 3000 }, (_, i) => {
    const forged = `${token.slice(0, -12)}${String(i).padStart(10, 'A')}AA`;
    return authn.ports.reviewToken(forged, [], 'mallory').catch((error: unknown) => {
      codes.add((error as { code?: unknown }).code);
    });
  });
  t.match(await authn.ports.reviewToken(token, [], 'bob'), { identity: { name: 'system:serviceaccount:default:sa' } });
  await Promise.all(wrong);
  t.same([...codes], [429]);
});
