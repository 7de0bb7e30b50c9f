/** How many requests of users may be under way to one cluster. */
import https from 'node:https';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import t from 'tap';
import { RequestShares } from '../../../aggregation/proxy/request-shares.js';
import { issueClient } from '../../../authn/pki/authority.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../storage/until.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { backend } from '../backend.js';
import { controlPlane, grant, join } from '../fleet.js';

const signal = new AbortController().signal;
const short = (user: string) => ({ user, isLong: false, signal });
const long = (user: string) => ({ user, isLong: true, signal });

t.test('a user has half of the requests, and the others wait in turns', async t => {
  const shares = new RequestShares('member1', { requests: 4, long: 2 });
  const first = shares.enter(short('jane'));
  const second = shares.enter(short('jane'));
  t.type(first, 'function');
  const order: string[] = [];
  const wait = (user: string, name: string): Promise<() => void> =>
    Promise.resolve(shares.enter(short(user))).then(leave => {
      order.push(name);
      return leave;
    });
  const waiting = ['jane 1', 'jane 2', 'jane 3'].map(name => wait('jane', name));
  const bob = [shares.enter(short('bob')), shares.enter(short('bob'))];
  for (const each of bob) t.type(each, 'function', 'what one user waits for does not delay others');
  const late = wait('eve', 'eve 1');
  t.same(order, []);
  (first as () => void)();
  (first as () => void)();
  (second as () => void)();
  await Promise.all([waiting[0], late]);
  t.same(order, ['jane 1', 'eve 1'], 'one of each user, and leaving twice counts once');
  (await (waiting[0] as Promise<() => void>))();
  await waiting[1];
  (bob[0] as () => void)();
  await waiting[2];
  t.same(order, ['jane 1', 'eve 1', 'jane 2', 'jane 3']);
});

t.test('refusals', async t => {
  const shares = new RequestShares('member1', { requests: 2, long: 4 });
  const refusal = (which: string) => ({
    code: 429,
    message: `too many requests ${which} for cluster member1, please try again later`,
    status: { reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } },
  });
  const controller = new AbortController();
  const enter = (user: string) => shares.enter({ ...short(user), signal: controller.signal });
  for (const user of ['jane', 'bob']) t.type(enter(user), 'function');
  const waiting = ['jane', 'jane', 'jane', 'jane'].map(user => Promise.resolve(enter(user)));
  t.throws(() => enter('jane'), refusal('of user "jane" wait'));
  waiting.push(...['bob', 'bob', 'bob', 'eve'].map(user => Promise.resolve(enter(user))));
  t.throws(() => enter('eve'), refusal('wait'));
  t.throws(() => enter('new'), refusal('wait'));
  const settled = Promise.allSettled(waiting);
  controller.abort(new Error('the client is gone'));
  for (const outcome of await settled)
    t.match(outcome, { status: 'rejected', reason: { message: 'the client is gone' } });
  const gone = AbortSignal.abort(new Error('gone'));
  await t.rejects(Promise.resolve(shares.enter({ ...short('jane'), signal: gone })), { message: 'gone' });

  const leaves = [shares.enter(long('jane')), shares.enter(long('jane'))];
  t.throws(() => shares.enter(long('jane')), refusal('of user "jane" last long'));
  for (const user of ['bob', 'eve']) t.type(shares.enter(long(user)), 'function');
  t.throws(() => shares.enter(long('new')), refusal('last long'));
  (leaves[0] as () => void)();
  t.type(shares.enter(long('new')), 'function');
  const brief = new RequestShares('member1', { requests: 1, long: 1 }, { waitMs: 20 });
  t.type(brief.enter(short('jane')), 'function');
  await t.rejects(Promise.resolve(brief.enter(short('bob'))), refusal('wait for too long'));
});

t.test('a request that lasts becomes a long one', async t => {
  const shares = new RequestShares('member1', { requests: 1, long: 1 }, { lastingMs: 20 });
  const leaveFirst = shares.enter(short('jane'));
  t.type(leaveFirst, 'function');
  const leaveSecond = await shares.enter(short('bob'));
  const refusal = { code: 429, message: /too many requests last long for/ };
  t.throws(() => shares.enter(long('eve')), refusal, 'it has taken the place of a long one');
  (leaveFirst as () => void)();
  const leaveLong = shares.enter(long('eve'));
  t.type(leaveLong, 'function', 'it has left that place');
  const third = Promise.resolve(shares.enter(short('jane')));
  // Timers of the same time fire in order: when a later request of another member has lasted long, the second one has, too.
  const others = new RequestShares('member2', { requests: 1, long: 1 }, { lastingMs: 20 });
  others.enter(short('jane'));
  const lasted = Promise.resolve(others.enter(short('bob'))).then(() => 'lasted');
  t.equal(await Promise.race([third, lasted]), 'lasted', 'one that cannot become a long one keeps its place');
  (leaveLong as () => void)();
  const leaveThird = await third;
  t.throws(() => shares.enter(long('eve')), refusal);
  leaveSecond();
  leaveThird();
  t.type(shares.enter(long('eve')), 'function');
  t.type(shares.enter(short('eve')), 'function');
});

t.test('paths of requests that last long', async t => {
  const [control, member] = await Promise.all([
    controlPlane(t, { parts: [aggregation({ userLimits: { requests: 2, long: 2 } })] }),
    backend(t),
  ]);
  await join(control, 'member1', { server: member.url, authority: member.authority, token: 'x' });
  let held: ServerResponse | undefined;
  member.onRequest = (_request, response) => {
    response.on('error', () => undefined).write('x');
    held = response;
  };
  const { host, port, pki } = control;
  const root = '/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy';
  const ask = httpClient(t, control);
  for (const path of [
    '/api/v1/watch/pods',
    '/api/v1/namespaces/default/services/x/proxy/events',
    '/api/v1/namespaces/default/pods/x/proxy/events',
    '/api/v1/nodes/x/proxy/events',
    '/api/v1/namespaces/default/pods/x/log',
  ]) {
    const tls = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
    const request = https.get({ host, port, path: root + path, agent: false, ...tls });
    await new Promise(resolve => request.on('response', response => resolve(response.resume())));
    const refused = await ask(`GET ${root}${path}`);
    t.equal(refused.status, 429, path);
    t.match(refused.json, { message: /last long/ }, path);
    const closed = new Promise(resolve => request.on('close', resolve));
    held?.end();
    await closed;
  }
  member.onRequest = (_request, response) => void response.end('done');
  for (const path of ['/api/v1/watch', '/api/v1/%zz', '/api/v1/pods'])
    t.type((await ask(`GET ${root}${path}`)).status, 'number', path);
});

t.test('one user cannot use up the requests to a member', async t => {
  const [control, slow, quick] = await Promise.all([
    controlPlane(t, { parts: [aggregation({ userLimits: { requests: 4, long: 2 } })] }),
    backend(t),
    backend(t),
  ]);
  for (const [name, { url, authority }] of Object.entries({ slow, quick }))
    await join(control, name, { server: url, authority, token: 'x' });
  quick.onRequest = (_request, response) => void response.end('quick');
  const held: ServerResponse[] = [];
  slow.onRequest = (request, response) => {
    if (request.headers['impersonate-user'] === 'bob') return void response.end('for bob');
    held.push(response.on('error', () => undefined));
    response.writeHead(200, { 'content-type': 'text/plain' }).write('x');
  };
  const root = (name: string): string => `/apis/cluster.karmada.io/v1alpha1/clusters/${name}/proxy`;
  const user = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' };
  await grant(control.client, 'bob', user, 'cluster-admin');
  const bob = await issueClient(control.pki.authority, { name: 'bob', groups: [] });
  const asBob = httpClient(t, { ...control, pki: { ...control.pki, admin: bob } });
  const ask = httpClient(t, control);
  const { host, port, pki } = control;
  const begin = (path: string): ClientRequest => {
    const { admin, authority } = pki;
    const at = { host, port, path: root('slow') + path, agent: false };
    const request = https.get({ ...at, ca: authority.certificate, cert: admin.certificate, key: admin.key });
    return request.on('error', () => undefined).on('response', response => response.resume());
  };
  const clients = [begin('/a'), begin('/b'), begin('/c')];
  await until('two requests are under way', () => held.length === 2);
  t.equal((await asBob(`GET ${root('slow')}/x`)).text, 'for bob', 'another user is not delayed');
  t.equal((await ask(`GET ${root('quick')}/x`)).text, 'quick', 'another member is not affected');
  held[0]?.end();
  await until('the third request is sent', () => held.length === 3);
  clients.push(begin('/api/v1/pods?watch=1'));
  await until('the watch is under way', () => held.length === 4);
  const refused = await ask(`GET ${root('slow')}/api/v1/pods?watch=true`);
  t.equal(refused.status, 429);
  t.equal(refused.headers['retry-after'], '1');
  t.match(refused.json, { reason: 'TooManyRequests', message: /of user "system:admin" last long for cluster slow/ });
  clients[3]?.destroy();
  await until('a watch that has ended makes room', async () => {
    const next = begin('/api/v1/pods?follow=true');
    clients.push(next);
    const status = await new Promise<number | undefined>(resolve =>
      next.on('response', ({ statusCode }: IncomingMessage) => resolve(statusCode)),
    );
    return status === 200;
  });
  for (const client of clients) client.destroy();
});

t.test('a request to all clusters is refused as a whole', async t => {
  const [control, full, other] = await Promise.all([
    controlPlane(t, { parts: [aggregation({ userLimits: { requests: 1, long: 1 } })] }),
    backend(t),
    backend(t),
  ]);
  for (const [name, { url, authority }] of Object.entries({ full, other }))
    await join(control, name, { server: url, authority, token: 'x' });
  const held: ServerResponse[] = [];
  full.onRequest = (_request, response) => void held.push(response.on('error', () => undefined));
  other.onRequest = (_request, response) =>
    void response.end(JSON.stringify({ metadata: {}, items: [{ metadata: { name: 'a' } }] }));
  const ask = httpClient(t, control);
  const root = '/apis/cluster.karmada.io/v1alpha1/clusters';
  const { host, port, pki } = control;
  // One is under way, and two wait.
  const statuses: (number | undefined)[] = [];
  const clients = ['/a', '/b', '/c', '/d'].map(path => {
    const tls = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
    const request = https.get({ host, port, path: `${root}/full/proxy${path}`, agent: false, ...tls });
    return request.on('error', () => undefined).on('response', response => statuses.push(response.resume().statusCode));
  });
  await until('all others are taken', () => statuses.length === 1 && held.length === 1);
  t.same(statuses, [429]);
  for (const path of ['/api/v1/things', '/api/v1/things/a']) {
    const refused = await ask(`GET ${root}/*/proxy${path}`);
    t.equal(refused.status, 429, path);
    t.equal(refused.headers['retry-after'], '1', path);
    t.match(refused.json, { reason: 'TooManyRequests', message: /wait for cluster full/ }, path);
  }
  for (const client of clients) client.destroy();
});
