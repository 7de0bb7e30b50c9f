/** Members that are reached through a proxy (spec.proxyURL, spec.proxyHeader). */
import { once } from 'node:events';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import { httpClient } from '../../apiserver/http-client.js';
import { backend } from '../backend.js';
import { connectProxy } from '../connect-proxy.js';
import { controlPlane, join } from '../fleet.js';
import { socksProxy } from '../socks-proxy.js';
import { createMembers } from '../../../aggregation/members/members.js';
import type { TestServer } from '../../apiserver/running.js';

const root = '/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy';

/** Sends text through an upgraded connection of the member, and returns what comes back. */
async function echoOf({ host, port, pki }: TestServer): Promise<string> {
  const request = https.request({
    ...{ host, port, path: `${root}/exec`, method: 'POST', agent: false },
    ...{ ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key },
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' },
  });
  request.on('error', () => undefined);
  const [, socket] = (await once(request.end(), 'upgrade')) as [IncomingMessage, Duplex];
  socket.on('error', () => undefined);
  socket.write('ping');
  const [echo] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return echo.toString();
}

t.test('requests and upgrades go through the HTTP proxy of the cluster', async t => {
  const [control, member] = await Promise.all([controlPlane(t), backend(t)]);
  const between = await connectProxy(t);
  const { tunnels } = between;

  await join(control, 'member1', { server: member.url, authority: member.authority, token: 'the-token' });
  const proxyURL = between.url;
  const patch = { spec: { proxyURL, proxyHeader: { 'x-token': 'secret' } } };
  await control.client.patch(resources.clusters, { name: 'member1' }, { type: 'merge', patch });

  let authorization: unknown;
  member.onRequest = (request, response) => {
    authorization = request.headers.authorization;
    response.end('hello');
  };
  const ask = httpClient(t, control);
  t.equal((await ask(`GET ${root}/api`)).text, 'hello');
  t.equal(authorization, 'Bearer the-token');
  const { host } = new URL(member.url);
  t.match(tunnels, [{ to: host, headers: { 'x-token': 'secret' } }]);

  member.onUpgrade = (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    socket.pipe(socket);
  };
  t.equal(await echoOf(control), 'ping');
  t.ok(tunnels.every(({ to, headers }) => to === host && headers['x-token'] === 'secret'));

  between.stop();
  const { status, json } = await ask(`GET ${root}/api`);
  t.equal(status, 500);
  t.match(json.message, /^(?:proxyconnect tcp: )?dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/);
});

t.test('requests, upgrades, and the clients of controllers go through the SOCKS proxy of the cluster', async t => {
  const [control, member] = await Promise.all([controlPlane(t), backend(t)]);
  const between = await socksProxy(t, 'user:secret');
  await join(control, 'member1', { server: member.url, authority: member.authority, token: 'the-token' });
  const patch = { spec: { proxyURL: `socks5://user:secret@${between.address}` } };
  const cluster = await control.client.patch(resources.clusters, { name: 'member1' }, { type: 'merge', patch });
  member.onRequest = ({ url }, response) => void response.end(url);
  member.onUpgrade = (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    socket.pipe(socket);
  };
  const ask = httpClient(t, control);
  t.equal((await ask(`GET ${root}/api`)).text, '/api');
  t.equal(await echoOf(control), 'ping');
  const members = createMembers(control.client, 'test/1.0');
  t.teardown(() => members.close());
  const { client } = await members.connect(cluster);
  const { body } = await client.raw({ method: 'GET', path: '/readyz' });
  t.equal(body.toString(), '/readyz');
  const { host } = new URL(member.url);
  t.ok(between.asked.length >= 2);
  t.ok(between.asked.every(address => address === `ipv4 ${host}`));
  between.reply = 2;
  await members.forget('member1');
  const refused = (await members.connect(cluster)).client.raw({ method: 'GET', path: '/readyz' });
  await t.rejects(refused, { message: /: unknown error connection not allowed by ruleset$/ });
  // No part of the account is in what users and the log see.
  await t.resolveMatch(
    refused.catch((error: unknown) => (error as Error).message.includes('secret')),
    false,
  );
});
