/** Requests for a group version that another server serves. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import t from 'tap';
import { issueClient } from '../../../authn/pki/authority.js';
import { type HttpClient, httpClient, watch } from '../../apiserver/http-client.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { until } from '../../authn/serve.js';
import { backend, type Backend } from '../backend.js';
import { grant, object, rbac } from '../fleet.js';
import {
  apiServices,
  availability,
  bundleOf,
  register,
  secondServer,
  widget,
  widgetDefinition,
} from './second-server.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';

const path = '/apis/example.com/v1/namespaces/default/widgets';

const trusting = (second: TestServer) => ({
  port: second.port,
  spec: { caBundle: bundleOf(second.pki.authority.certificate) },
});

t.test('a second server serves its kinds through the first one', async t => {
  const front = await runningServer(t);
  const second = await secondServer(t, front);
  const ask = httpClient(t, front);
  t.equal((await ask(`GET ${path}`)).status, 404);
  await register(front.client, trusting(second));
  t.equal(await availability(front.client, 'Passed'), 'all checks passed');
  await until(async () => (await ask(`GET ${path}`)).status === 200);

  const events = await watch(t, front, `${path}?watch=1`);
  t.equal(events.status, 200);
  t.equal((await ask(`POST ${path}`, { body: widget('one') })).status, 201);
  t.match(await events.next(), { type: 'ADDED', object: { kind: 'Widget', metadata: { name: 'one' } } });
  t.match((await ask(`GET ${path}`)).json.items, [{ metadata: { name: 'one' } }]);
  const patched = await ask(`PATCH ${path}/one`, { body: { spec: { a: 1 } }, type: 'application/merge-patch+json' });
  t.match(patched.json, { spec: { a: 1 } });
  t.match(await events.next(), { type: 'MODIFIED', object: { spec: { a: 1 } } });
  t.match((await ask('GET /apis/example.com/v1')).json, { kind: 'APIResourceList', groupVersion: 'example.com/v1' });
  t.equal((await ask(`DELETE ${path}/one`)).status, 200);
  t.match(await events.next(), { type: 'DELETED' });
  events.stop();
});

t.test('the second server authorizes the user of the request', async t => {
  const front = await runningServer(t);
  const second = await secondServer(t, front);
  await register(front.client, trusting(second));
  await availability(front.client, 'Passed');
  const rules = [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['*'] }];
  const role = object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'widgets', { rules });
  const jane = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' };
  await front.client.create(rbac('clusterroles'), role);
  await grant(front.client, 'widgets', jane, 'widgets');
  const credential = await issueClient(front.pki.authority, { name: 'jane', groups: ['dev'] });
  const ask = httpClient(t, { ...front, pki: { ...front.pki, admin: credential } });
  await until(async () => (await ask(`GET ${path}`)).json.message.includes('User "jane" cannot list'));
  await second.client.create(rbac('clusterroles'), role);
  await grant(second.client, 'widgets', jane, 'widgets');
  await until(async () => (await ask(`GET ${path}`)).status === 200);
});

t.test('an APIService takes precedence over a custom resource', async t => {
  const front = await runningServer(t);
  const second = await secondServer(t, front);
  await front.client.create(customResourceDefinitions, widgetDefinition);
  const ask = httpClient(t, front);
  await until(async () => (await ask(`POST ${path}`, { body: widget('here') })).status !== 404);
  await register(front.client, trusting(second));
  await availability(front.client, 'Passed');
  await until(async () => (await ask(`GET ${path}`)).json.items.length === 0);
  await front.client.delete(apiServices, { name: 'v1.example.com' });
  await until(async () => (await ask(`GET ${path}`)).json.items.length === 1);
});

interface Behind {
  readonly front: TestServer;
  readonly server: Backend;
  readonly ask: HttpClient;
  /** Waits until requests are passed on. */
  readonly isServed: () => Promise<void>;
}

/** Starts a server and one behind it, whose certificate is not verified. */
async function behind(t: Parameters<typeof backend>[0]): Promise<Behind> {
  const [front, server] = await Promise.all([runningServer(t), backend(t)]);
  const port = Number(new URL(server.url).port);
  await register(front.client, { port, spec: { insecureSkipTLSVerify: true } });
  const ask = httpClient(t, front);
  return {
    ...{ front, server, ask },
    async isServed() {
      await availability(front.client, 'Passed');
      await until(async () => (await ask('GET /apis/example.com/v1')).status === 200);
    },
  };
}

t.test('the server gets the user in headers, and no credentials', async t => {
  const { server, ask, isServed } = await behind(t);
  let seen: IncomingHttpHeaders = {};
  await isServed();
  server.onRequest = (request, response) => {
    if (request.url === '/apis/example.com/v1/things?a=b') seen = request.headers;
    response.end('{}');
  };
  const headers = {
    ...{ 'x-remote-user': 'root', 'x-remote-extra-a': 'b', 'impersonate-user': 'jane' },
    ...{ 'impersonate-group': 'system:masters', 'impersonate-uid': '7' },
    'impersonate-extra-acme.com%2Fproject': 'p',
  };
  t.equal((await ask('GET /apis/example.com/v1/things?a=b', { headers })).text, '{}');
  t.match(seen, {
    'x-remote-user': 'jane',
    'x-remote-uid': '7',
    'x-remote-group': 'system:masters, system:authenticated',
    'x-remote-extra-acme.com%2fproject': 'p',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-uri': '/apis/example.com/v1/things',
    'x-forwarded-host': server.url.slice('https://'.length),
    'x-forwarded-proto': 'https',
  });
  for (const name of ['x-remote-extra-a', 'authorization', 'impersonate-user']) t.notOk(seen[name], name);
});

t.test('a connection is upgraded', async t => {
  const { front, server, isServed } = await behind(t);
  await isServed();
  server.onUpgrade = (_request, socket: Duplex) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n');
    socket.pipe(socket);
  };
  const { authority, admin } = front.pki;
  const tls = { ca: authority.certificate, cert: admin.certificate, key: admin.key };
  const request = https.request({
    ...{ host: front.host, port: front.port, path: '/apis/example.com/v1/echo', agent: false, ...tls },
    headers: { connection: 'upgrade', upgrade: 'echo' },
  });
  const echoed = new Promise<string>((resolve, reject) => {
    request.on('error', reject).on('upgrade', (_response: IncomingMessage, socket: Duplex) => {
      socket.once('data', (chunk: Buffer) => {
        resolve(chunk.toString());
        socket.destroy();
      });
      socket.write('hello');
    });
  });
  request.end();
  t.equal(await echoed, 'hello');
});

t.test('a server that is not available is answered with 503', async t => {
  const { front, server, ask, isServed } = await behind(t);
  await isServed();
  await server.stop();
  const url = `${server.url}/apis/example.com/v1`;
  const address = server.url.slice('https://'.length);
  const refused = await ask(`GET ${path}`);
  t.equal(refused.status, 503);
  t.equal(
    refused.text.replace(/EOF|read: .*/, 'broken').trim(),
    refused.text.includes('dial')
      ? `error trying to reach service: dial tcp ${address}: connect: connection refused`
      : 'error trying to reach service: broken',
  );
  // The change of the APIService begins a check at once.
  const patch = { spec: { versionPriority: 11 } };
  await front.client.patch(apiServices, { name: 'v1.example.com' }, { type: 'merge', patch });
  t.equal(
    await availability(front.client, 'FailedDiscoveryCheck'),
    `failing or missing response from ${url}: Get "${url}": dial tcp ${address}: connect: connection refused`,
  );
  await until(async () => (await ask(`GET ${path}`)).text === 'service unavailable\n');
});

t.test('a check names what is wrong with a server', async t => {
  const { front, server } = await behind(t);
  const port = Number(new URL(server.url).port);
  server.onRequest = (_request, response) => response.writeHead(418).end();
  const url = `${server.url}/apis/example.com/v1`;
  const recheck = async (spec: object): Promise<string> => {
    await front.client.delete(apiServices, { name: 'v1.example.com' });
    await register(front.client, { port, spec });
    return availability(front.client, 'FailedDiscoveryCheck');
  };
  t.equal(
    await recheck({ insecureSkipTLSVerify: true }),
    `failing or missing response from ${url}: bad status from ${url}: 418`,
  );
  t.match(await recheck({}), 'tls: failed to verify certificate: x509: certificate signed by unknown authority');
  t.match(
    await recheck({ caBundle: bundleOf(server.authority) }),
    /x509: certificate is not valid for any names, but wanted to match widgets\.servers\.svc/,
  );
  server.onRequest = () => undefined;
  t.equal(
    await recheck({ insecureSkipTLSVerify: true }),
    `failing or missing response from ${url}: Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
  );
});

t.test('a request that an APIService leads back to this server ends', async t => {
  const front = await runningServer(t);
  await register(front.client, { port: front.port, spec: { insecureSkipTLSVerify: true } });
  t.match(await availability(front.client, 'FailedDiscoveryCheck'), ': 503');
  // Its own answer shows that it is not available, so it is declared to be.
  const name = 'v1.example.com';
  const isRefused = async (): Promise<boolean> => {
    const api = await front.client.get(apiServices, { name });
    const { conditions } = api['status'] as { conditions: { message: string; status: string }[] };
    if (conditions.some(({ message }) => message.endsWith(': 508'))) return true;
    const status = { conditions: conditions.map(condition => ({ ...condition, status: 'True' })) };
    await front.client.update(apiServices, { ...api, status }, { subresource: 'status' }).catch(() => undefined);
    return false;
  };
  await until(isRefused);
});
