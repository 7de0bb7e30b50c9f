/** Proxies of the control plane to hostile servers. */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { memberBehaviours } from './behaviours.js';
import { assertStall, startFixture } from './fixture.js';

const mebibyte = 1024 * 1024;
const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters';

const numberOf = (name: string): number => memberBehaviours.findIndex(behaviour => behaviour.name === name);

t.test('a proxy passes on the response without buffering it', { timeout: 200_000 }, async t => {
  const fixture = await startFixture(t);
  const { server, hostile } = fixture;
  const { endpoint } = fixture.watched;
  await fixture.join('endless', hostile.url(numberOf('a list that never ends')));
  const start = await fixture.memory();
  await fixture.begin();
  const { ca, clientCertificate: cert, clientKey: key } = endpoint;
  const path = `${clusters}/endless/proxy/api/v1/pods?limit=1`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    https.get(endpoint.server + path, { ca, cert, key, agent: false }, resolve).on('error', reject);
  });
  t.equal(response.statusCode, 200);
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) if ((bytes += chunk.length) > 8 * mebibyte) break;
  response.destroy();
  const report = await fixture.report();
  assertStall(t, report, 'a list that never ends');
  const taken = report.peak - start.rss;
  t.ok(taken < 500 * mebibyte, `${Math.round(taken / mebibyte)} MiB of growth`);
  t.equal((await server.call('GET', '/version')).status, 200);
});

t.test('lists over all clusters leave out hostile members', { timeout: 300_000 }, async t => {
  const fixture = await startFixture(t);
  const { server, hostile } = fixture;
  const names = [
    'an item that never ends',
    'items of three million objects',
    'items nested 100,000 deep',
    'items that are numbers',
    'no JSON',
    'headers of megabytes',
    '1xx answers without end',
    'redirects to itself',
  ];
  await fixture.join('quiet', hostile.quiet);
  for (const [i, name] of names.entries()) await fixture.join(`m${i}`, hostile.url(numberOf(name)));
  const start = await fixture.memory();
  await fixture.begin();
  const answer = await server.call('GET', `${clusters}/*/proxy/api/v1/pods?limit=1`);
  t.equal(answer.status, 200);
  t.strictSame((JSON.parse(answer.text) as { items: unknown[] }).items.length, 0, 'no items of hostile members');
  const report = await fixture.report();
  assertStall(t, report, 'all clusters together');
  const taken = report.peak - start.rss;
  t.ok(taken < 700 * mebibyte, `${Math.round(taken / mebibyte)} MiB of growth`);
});

/** Starts an HTTP proxy. It answers to CONNECT with `answer`, or connects the client to the server that it asks for. Returns its URL. */
async function startProxy(t: Test, answer?: Buffer): Promise<string> {
  const proxy = http.createServer();
  const sockets = new Set<net.Socket>();
  proxy.on('connect', ({ url = '' }, socket: net.Socket) => {
    const { hostname, port } = new URL(`https://${url}`);
    const ends = answer ? [socket] : [socket, net.connect(Number(port), hostname)];
    for (const end of ends) sockets.add(end.on('error', () => undefined));
    const [, server] = ends;
    if (server) {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(server).pipe(socket);
    } else socket.end(answer ?? '');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

t.test(
  'hostile members behind proxies, and hostile proxies, do not hold the event loop',
  { timeout: 300_000 },
  async t => {
    const fixture = await startFixture(t);
    const { server, hostile } = fixture;
    const manyHeaders = Buffer.from(`HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(200_000)}`);
    await fixture.join('behind', hostile.url(numberOf('headers of megabytes')), await startProxy(t));
    await fixture.join('through', hostile.quiet, await startProxy(t, manyHeaders));
    await fixture.join('quiet', hostile.quiet, await startProxy(t));
    const pods = (name: string) => server.call('GET', `${clusters}/${name}/proxy/api/v1/pods?limit=1`);
    t.match(await pods('quiet'), { status: 200 }, 'requests pass through a proxy');
    for (const name of ['behind', 'through']) {
      await fixture.begin();
      for (let i = 0; i < 5; i++) t.match(await pods(name), { status: /^50[0-9]$/ });
      assertStall(t, await fixture.report(), name);
    }
  },
);

t.test('requests to the proxy of a cluster with an invalid address get a Status', async t => {
  const fixture = await startFixture(t);
  const { server } = fixture;
  const headers = { 'content-type': 'application/json' };
  const at = async (apiEndpoint: string, more: object = {}): Promise<readonly [number, number, string]> => {
    const body = JSON.stringify({
      ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'm' } },
      spec: {
        syncMode: 'Push',
        apiEndpoint,
        impersonatorSecretRef: { namespace: 'karmada-cluster', name: 's' },
        ...more,
      },
    });
    const made = await server.call('POST', clusters, { headers, body });
    if (made.status !== 201) return [made.status, 0, (JSON.parse(made.text) as { message: string }).message];
    const asked = await server.call('GET', `${clusters}/m/proxy/api`);
    await fixture.leave('m');
    const { kind, message } = JSON.parse(asked.text) as { kind: string; message: string };
    t.equal(kind, 'Status');
    return [201, asked.status, message];
  };
  const data = { token: Buffer.from('a\nb').toString('base64') };
  await fixture.create('/api/v1/namespaces/karmada-cluster/secrets', {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'karmada-cluster' }, data },
  });
  const port = /port: must be between 1 and 65535, inclusive/;
  t.match(await at('https://127.0.0.1:99999'), [422, 0, port]);
  t.match(await at('https://[::1]:99999'), [422, 0, port]);
  t.match(await at('127.0.0.1:99999'), [422, 0, /apiEndpoint/]);
  t.match(await at('https://127.0.0.1:1', { proxyURL: 'http://proxy:99999' }), [422, 0, port]);
  t.match(await at('ftp://127.0.0.1'), [201, 500, /unsupported protocol scheme "ftp"/]);
  t.match(await at('https://127.0.0.1:1'), [201, 500, /authorization/i], 'a token that no header can hold');
  t.match(await at('https://a b'), [422, 0, /invalid character " " in host name/]);
  t.match(await at('https://%zz'), [422, 0, /invalid URL escape/]);
  t.match(await at('https://a<b>'), [201, 500, /is not the URL of a server/]);
  t.match(await at('https://127.0.0.1:1', { proxyURL: 'socks5://127.0.0.1:1' }), [201, 500, /./]);
});
