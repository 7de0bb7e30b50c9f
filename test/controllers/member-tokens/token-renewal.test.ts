/** Tokens with which the control plane connects to members, and their renewal. */
import t, { type Test } from 'tap';
import { boundTokens, requestedTokens, type TokenSource } from '../../../aggregation/members/accounts.js';
import { joinCluster } from '../../../aggregation/members/join.js';
import { createMembers } from '../../../aggregation/members/members.js';
import { remote } from '../../../aggregation/remote/client.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { secrets } from '../../../api/kubernetes/resources.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import { noMeter } from '../../../client/runtime/meter.js';
import { memberContexts } from '../../../controllers/members/member-contexts.js';
import { readBoundToken } from '../../../controllers/member-tokens/bound-token.js';
import { startTokenRenewal } from '../../../controllers/member-tokens/token-renewal.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { controlPlane, memberServer } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const namespace = 'karmada-cluster';
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: object): string => `${encoded({ alg: 'RS256' })}.${encoded(claims)}.c2lnbmF0dXJl`;

t.test('what a token says', t => {
  const sub = 'system:serviceaccount:karmada-cluster:karmada-member1';
  const token = { namespace, account: 'karmada-member1', issuedAt: 1000, expiresAt: 5000 };
  t.same(readBoundToken(jwt({ sub, iat: 1, exp: 5 })), token);
  const others = [
    jwt({ sub, iat: 1 }),
    jwt({ sub, exp: 5 }),
    jwt({ sub, iat: '1', exp: 5 }),
    jwt({ sub, iat: 1, exp: 1e300 }),
    jwt({ sub: 'jane', iat: 1, exp: 5 }),
    jwt({ sub: 7, iat: 1, exp: 5 }),
    jwt([]),
    `a.${Buffer.from('{').toString('base64url')}.b`,
    'text',
    'a.b',
    '',
    `${jwt({ sub, iat: 1, exp: 5 })}${'x'.repeat(40_000)}`,
  ];
  for (const other of others) t.equal(readBoundToken(other), undefined);
  t.end();
});

interface Fixture {
  readonly control: TestServer;
  readonly tokenIn: (name: string) => Promise<string>;
  readonly setToken: (name: string, token: string) => Promise<void>;
  readonly events: (reason: string) => Promise<string[]>;
  /** Starts the controller with a clock that is ahead of the true time. Returns how many tokens were asked for. */
  readonly start: (aheadMs: number) => { readonly asked: string[]; readonly stop: () => Promise<void> };
}

async function joined(t: Test, tokens: TokenSource): Promise<Fixture> {
  const [control, member] = await Promise.all([controlPlane(t), memberServer(t)]);
  const { authority, admin } = member.pki;
  const endpoint = { server: member.url, ca: authority.certificate };
  const credentials = { clientCertificate: admin.certificate, clientKey: admin.key };
  const client = remote({ ...endpoint, ...credentials }, { userAgent: 'test/1.0' });
  t.teardown(() => client.close());
  const at = { endpoint: member.url, authority: authority.certificate };
  await joinCluster({ name: 'member1', control: control.client, member: client, ...at, tokens });
  const tokenIn = async (name: string): Promise<string> => {
    const secret = await control.client.get(secrets, { namespace, name });
    return Buffer.from((secret['data'] as { token: string }).token, 'base64').toString();
  };
  return {
    ...{ control, tokenIn },
    async setToken(name, token) {
      const data = { token: Buffer.from(token).toString('base64') };
      await control.client.patch(secrets, { namespace, name }, { type: 'merge', patch: { data } });
    },
    async events(reason) {
      const { items } = await control.client.list({ group: '', version: 'v1', resource: 'events' });
      return items.filter(event => event['reason'] === reason).map(event => String(event['message']));
    },
    start(aheadMs) {
      const stopping = new AbortController();
      const clock = { ...systemClock, now: () => Date.now() + aheadMs };
      const { signal } = stopping;
      const context = createControllerContext({ client: control.client, clock, log: silent, signal, meter: noMeter });
      const connections = createMembers(control.client, 'test/1.0');
      const asked: string[] = [];
      startTokenRenewal(context, {
        connect: memberContexts(connections, context),
        serves: ({ spec }: Cluster) => spec.syncMode === 'Push',
        request: (by, account, of, seconds) => {
          asked.push(`${account} ${seconds}`);
          return requestedTokens(seconds)(by, account, of);
        },
      });
      const stop = async (): Promise<void> => {
        stopping.abort();
        await connections.close();
      };
      t.teardown(stop);
      return { asked, stop };
    },
  };
}

const day = 24 * 3600 * 1000;
const both = ['member1', 'member1-impersonator'];

t.test('tokens are renewed when they are a day old, and clients go on', async t => {
  const { control, tokenIn, start } = await joined(
    t,
    boundTokens(() => t.fail('tokens are issued')),
  );
  const before = await Promise.all(both.map(tokenIn));
  const issued = readBoundToken(before[1] ?? '')?.issuedAt ?? 0;
  await until('a later token expires later', () => Date.now() - issued > 2000);
  const cluster = await control.client.get(resources.clusters, { name: 'member1' });
  const connections = createMembers(control.client, 'test/1.0');
  t.teardown(() => connections.close());
  const { client, signal } = await connections.connect(cluster);
  const { asked, stop } = start(day);
  for (const [i, name] of both.entries())
    await until(`the token of ${name} is renewed`, async () => (await tokenIn(name)) !== before[i]);
  const month = 30 * 24 * 3600;
  t.same(asked, [`karmada-member1 ${month}`, `karmada-impersonator ${month}`]);
  for (const name of both) {
    const { expiresAt = 0, issuedAt = 0 } = readBoundToken(await tokenIn(name)) ?? {};
    t.equal(expiresAt - issuedAt, 30 * day);
  }
  const secret = await control.client.get(secrets, { namespace, name: 'member1' });
  t.ok((secret['data'] as { caBundle?: string }).caBundle, 'the rest of the Secret stays');
  t.match(await client.list({ group: '', version: 'v1', resource: 'namespaces' }), { kind: 'NamespaceList' });
  t.notOk(signal.aborted);
  await stop();
});

t.test('tokens are renewed after four fifths of a short life', async t => {
  const { tokenIn, start } = await joined(t, requestedTokens(1000));
  const before = await tokenIn('member1');
  await until('a later token expires later', () => Date.now() - (readBoundToken(before)?.issuedAt ?? 0) > 2000);
  const early = start(700 * 1000);
  const { asked } = start(801 * 1000);
  await until('the token is renewed', async () => (await tokenIn('member1')) !== before);
  t.equal(asked[0], 'karmada-member1 1000');
  t.same(early.asked, []);
});

t.test('tokens that others have written stay, and an expired one is reported', async t => {
  const { tokenIn, setToken, events, start, control } = await joined(t, requestedTokens(1000));
  const sub = (account: string): string => `system:serviceaccount:${namespace}:${account}`;
  const forever = jwt({ sub: sub('karmada-member1'), iat: 1 });
  const ofOther = jwt({ sub: sub('other'), iat: 1, exp: 2 });
  await setToken('member1', forever);
  await setToken('member1-impersonator', ofOther);
  const first = start(0);
  const expired = jwt({ sub: sub('karmada-member1'), iat: 1, exp: 1000 });
  await setToken('member1', expired);
  const { asked } = start(0);
  await until('an Event tells of it', async () => (await events('TokenExpired')).length > 0);
  t.match(
    (await events('TokenExpired'))[0],
    /^the token in the Secret karmada-cluster\/member1 has expired at 1970-01-01T00:16:40.000Z and cannot be renewed: /,
  );
  t.ok(asked.every(each => each.startsWith('karmada-member1 ')));
  t.equal(await tokenIn('member1'), expired);
  t.equal(await tokenIn('member1-impersonator'), ofOther);
  t.ok(first.asked.length === 0 || first.asked[0] === 'karmada-member1 999');
  const leaving = { spec: { syncMode: 'Pull' } };
  await control.client.patch(resources.clusters, { name: 'member1' }, { type: 'merge', patch: leaving }).catch(() => 0);
});

t.test('a member that issues no later token', async t => {
  const { events, start, control } = await joined(t, requestedTokens(1000));
  const { stop } = start(0);
  await stop();
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const clock = { ...systemClock, now: () => Date.now() + 900 * 1000 };
  const { client } = control;
  const context = createControllerContext({ client, clock, log: silent, signal: stopping.signal, meter: noMeter });
  const connections = createMembers(client, 'test/1.0');
  t.teardown(() => connections.close());
  startTokenRenewal(context, {
    connect: memberContexts(connections, context),
    serves: () => true,
    request: () => Promise.resolve('text'),
  });
  await until('an Event tells of it', async () => (await events('TokenRenewalFailed')).length > 0);
  t.match(
    (await events('TokenRenewalFailed'))[0],
    /expires at .* and cannot be renewed: the cluster has issued no later token for the service account karmada-cluster\/karmada-member1$/,
  );
});

t.test('tokens of a lower maximum are used, and none is renewed twice within a minute', async t => {
  const { events, start, control, tokenIn } = await joined(
    t,
    boundTokens(() => t.fail('tokens are issued')),
  );
  const { stop } = start(0);
  await stop();
  const before = readBoundToken(await tokenIn('member1'));
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  let aheadMs = 2 * day;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const { client } = control;
  const context = createControllerContext({ client, clock, log: silent, signal: stopping.signal, meter: noMeter });
  const connections = createMembers(client, 'test/1.0');
  t.teardown(() => connections.close());
  let looks = 0;
  const asked: string[] = [];
  startTokenRenewal(context, {
    connect: memberContexts(connections, context),
    serves: () => ++looks > 0,
    request(_member, account) {
      asked.push(account);
      // It is due at once, and expires long before the present one.
      const now = Math.floor(clock.now() / 1000);
      const sub = `system:serviceaccount:${namespace}:${account}`;
      return Promise.resolve(jwt({ sub, iat: now - 2000 + asked.length, exp: now + 400 }));
    },
  });
  for (const name of both)
    await until(
      `the token of ${name} is renewed`,
      async () => (readBoundToken(await tokenIn(name))?.expiresAt ?? Infinity) < (before?.expiresAt ?? 0),
    );
  const touch = async (): Promise<void> => {
    const seen = looks;
    const labels = { seen: `${seen}` };
    await client.patch(resources.clusters, { name: 'member1' }, { type: 'merge', patch: { metadata: { labels } } });
    await until('it is looked at', () => looks > seen);
  };
  for (let i = 0; i < 3; i++) await touch();
  t.same(asked, ['karmada-member1', 'karmada-impersonator']);
  aheadMs += 61_000;
  await touch();
  await until('both are renewed again', () => asked.length === 4);
  t.same(await events('TokenRenewalFailed'), []);
});
