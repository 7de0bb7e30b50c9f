/** A control plane that stops while connections through its proxies are open. */
import { once } from 'node:events';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import t from 'tap';
import { until } from '../../authn/serve.js';
import { backend } from '../backend.js';
import { controlPlane, join } from '../fleet.js';

t.test('a server that stops ends proxied connections on both sides', async t => {
  // If it waited for connections, it would do so for longer than the test.
  const [control, member] = await Promise.all([controlPlane(t, { shutdownTimeoutMs: 3_600_000 }), backend(t)]);
  await join(control, 'member1', { server: member.url, authority: member.authority, token: 'x' });
  const { host, port, pki } = control;
  const open = (path: string, headers: Record<string, string> = {}) => {
    const tls = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
    const root = '/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy';
    const request = https.request({ host, port, path: root + path, agent: false, headers, ...tls });
    request.on('error', () => undefined);
    return request.end();
  };
  const ended: string[] = [];
  member.onRequest = (_request, response) => {
    response.write('x');
    response.on('close', () => ended.push('watch'));
  };
  member.onUpgrade = (_request, socket) => {
    socket.on('close', () => ended.push('tunnel'));
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  };
  const [watch] = (await once(open('/watch'), 'response')) as [IncomingMessage];
  const [, tunnel] = (await once(open('/exec', { connection: 'Upgrade', upgrade: 'x' }), 'upgrade')) as [
    IncomingMessage,
    Duplex,
  ];
  tunnel.on('error', () => undefined).resume();
  let text = '';
  const whole = (async () => {
    for await (const chunk of watch as AsyncIterable<Buffer>) text += chunk.toString();
  })();
  await control.stop();
  await whole;
  t.equal(text, 'x', 'the watch ends without an error');
  await until(() => ended.length === 2 && (tunnel.destroyed || tunnel.readableEnded));
  t.same(ended.sort(), ['tunnel', 'watch']);
});

t.test('a list of all clusters does not end as a whole one when the server stops', async t => {
  const [control, first, second] = await Promise.all([
    controlPlane(t, { shutdownTimeoutMs: 3_600_000 }),
    backend(t),
    backend(t),
  ]);
  for (const [name, { url, authority }] of Object.entries({ first, second }))
    await join(control, name, { server: url, authority, token: 'x' });
  const { host, port, pki } = control;
  const open = (path: string) => {
    const tls = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
    const root = '/apis/cluster.karmada.io/v1alpha1/clusters/*/proxy';
    return https.get({ host, port, path: root + path, agent: false, ...tls });
  };
  const items = [{ metadata: { name: 'a' }, filler: 'x'.repeat(256 * 1024) }];
  const held: string[] = [];
  const hold = (path: string | undefined): void => void held.push((path ?? '').replace(/\?.*/, ''));
  first.onRequest = ({ url }, response) => {
    if (url?.startsWith('/api/v1/things?')) return void response.end(JSON.stringify({ metadata: {}, items }));
    hold(url);
  };
  second.onRequest = ({ url }) => hold(url);
  const part = open('/api/v1/things');
  const [response] = (await once(part, 'response')) as [IncomingMessage];
  const whole = (async () => {
    for await (const _chunk of response as AsyncIterable<Buffer>);
  })();
  const [others, object] = [open('/api/v1/others'), open('/api/v1/others/a')].map(async request => {
    const [{ statusCode }] = (await once(request, 'response')) as [IncomingMessage];
    return statusCode;
  });
  await until(() => held.length === 5);
  const failed = t.rejects(whole, { code: 'ECONNRESET' });
  await control.stop();
  await failed;
  t.equal(await others, 503);
  t.equal(await object, 503);
});
