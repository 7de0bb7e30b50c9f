/** The life of a server: start, several servers at once, restart, failed starts, stop. */
import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import t from 'tap';
import type { Part } from '../../server/parts.js';
import { silent } from '../../server/logger.js';
import { startServer } from '../../server/start-server.js';
import { openEmbedded } from '../../storage/embedded/open-embedded.js';
import { customKind, definitionsPath, version } from '../custom-kinds.js';
import { httpClient, watch } from '../apiserver/http-client.js';
import { runningServer, temporaryFolder } from '../apiserver/running.js';
import { overriding } from '../storage/overriding.js';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const maps = { group: '', version: 'v1', resource: 'configmaps' };

t.test('a new server has the standard objects, and keeps its state over a restart', async t => {
  const directory = await temporaryFolder(t);
  const config = {
    storage: { type: 'embedded', directory: path.join(directory, 's') },
    pkiDirectory: path.join(directory, 'p'),
  } as const;
  const first = await runningServer(t, config);
  const { items } = await first.client.list(namespaces);
  t.same(
    items.map(item => item.metadata.name),
    ['default', 'karmada-system', 'kube-node-lease', 'kube-public', 'kube-system'],
  );
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kept', namespace: 'default' },
    data: { k: 'v' },
  };
  const created = await first.client.create(maps, object);
  const authority = first.pki.authority.certificate;
  const at = (revision: string) =>
    `GET /api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact&resourceVersion=${revision}`;
  const expired = { status: 410, json: { message: 'The resourceVersion for the provided list is too old.' } };
  for (const early of ['1', '2'])
    t.match(await httpClient(t, first)(at(early)), expired, `no state at revision ${early}`);
  t.match(await httpClient(t, first)(at(created.metadata.resourceVersion ?? '')), { status: 200 });
  const identity = async ({ client }: typeof first) => {
    const { items } = await client.list(leases, { namespace: 'kube-system' });
    t.equal(items.length, 1, 'one server');
    return items[0]?.metadata.uid;
  };
  const before = await identity(first);
  await first.stop();

  const second = await runningServer(t, config);
  t.not(await identity(second), before, 'a server that stops deletes its Lease');
  t.same(await second.client.get(maps, { name: 'kept', namespace: 'default' }), created);
  t.equal(second.pki.authority.certificate, authority, 'clients still trust it');
  t.equal((await second.client.list(namespaces)).items.length, 5);
});

t.test('tokens are issued and accepted while their RSA key is still generated', async t => {
  const directory = await temporaryFolder(t);
  const server = await runningServer(t, { pkiDirectory: path.join(directory, 'p'), tokens: 'RS256' });
  t.equal(server.pki.tokenKey.known, undefined, 'the start does not wait for the key');
  const ask = httpClient(t, server);
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await ask(`POST ${accounts}`, { body: { metadata: { name: 'robot' } } });
  const { json } = await ask(`POST ${accounts}/robot/token`, { body: { spec: {} } });
  const { token } = json['status'] as { readonly token: string };
  const review = await ask('POST /apis/authentication.k8s.io/v1/tokenreviews', { body: { spec: { token } } });
  t.match(review.json, { status: { authenticated: true, user: { username: 'system:serviceaccount:default:robot' } } });
  t.match((await ask('GET /openid/v1/jwks')).json, { keys: [{ alg: 'RS256' }] });
  await server.stop();
  const again = await runningServer(t, { pkiDirectory: path.join(directory, 'p') });
  t.equal(again.pki.tokenKey.known, server.pki.tokenKey.known, 'the next start finds the key');
});

t.test('a token key of an unsupported type fails the start', async t => {
  const pkiDirectory = await temporaryFolder(t);
  const { privateKey } = generateKeyPairSync('ed25519');
  await fs.writeFile(path.join(pkiDirectory, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await t.rejects(runningServer(t, { pkiDirectory }), {
    message: 'sa.key: cannot sign tokens with a key of type ed25519',
  });
});

t.test('several servers in one process are independent', async t => {
  const [karmada, member1, member2] = await Promise.all([
    runningServer(t),
    runningServer(t, { profile: 'kubernetes' }),
    runningServer(t, { profile: 'kubernetes' }),
  ]);
  const object = (namespace: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'mine', namespace },
  });
  await member1.client.create(maps, object('default'));
  t.equal((await member1.client.list(maps, { namespace: 'default' })).items.length, 1);
  for (const other of [karmada, member2])
    t.equal((await other.client.list(maps, { namespace: 'default' })).items.length, 0);
  t.equal((await member1.client.list(namespaces)).items.length, 4, 'members have no Karmada namespace');
  const stranger = httpClient(t, { ...member2, pki: member1.pki, port: member2.port });
  await t.rejects(stranger('GET /version'), "members do not trust each other's certificates");
  await member1.stop();
  t.match(await httpClient(t, member2)('GET /readyz'), { status: 200 }, 'the others go on when one stops');
});

t.test('parts are started in order and stopped in reverse', async t => {
  const events: string[] = [];
  const part = (name: string): Part => ({
    name,
    async start({ clientFor, signal }) {
      const client = clientFor({ name: 'system:test', groups: [] });
      t.equal((await client.list(namespaces)).items.length, 5, 'the API is served');
      events.push(`start ${name}`);
      signal.addEventListener('abort', () => events.push(`signal ${name}`));
      return { stop: async () => void events.push(`stop ${name}`) };
    },
  });
  const server = await runningServer(t, { parts: [part('a'), part('b')] });
  t.same(events, ['start a', 'start b']);
  await server.stop();
  t.same(events, ['start a', 'start b', 'signal a', 'signal b', 'stop b', 'stop a']);
});

t.test('a failed start reports its error and releases everything', async t => {
  const directory = await temporaryFolder(t);
  const base = {
    profile: 'karmada',
    log: silent,
    listen: { host: '127.0.0.1', port: 0 },
    pkiDirectory: path.join(directory, 'pki'),
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
  } as const;
  const taken = net.createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await new Promise(resolve => taken.once('listening', resolve));
  const { port } = taken.address() as net.AddressInfo;
  await t.rejects(startServer({ ...base, listen: { host: '127.0.0.1', port } }), { code: 'EADDRINUSE' });

  const broken: Part = { name: 'broken', start: () => Promise.reject(new Error('cannot')) };
  await t.rejects(startServer({ ...base, parts: [broken] }), { message: 'cannot' });

  const server = await startServer(base);
  await t.rejects(startServer(base), { code: 'locked' }, 'the directory is in use');
  await server.stop();
  const again = await startServer(base);
  await again.stop();

  await fs.writeFile(path.join(directory, 'file'), '');
  const inFile = { type: 'embedded', directory: path.join(directory, 'file', 'storage') } as const;
  await t.rejects(startServer({ ...base, storage: inFile }), { code: 'ENOTDIR' });
});

t.test('a start that fails while the store is slow reports only the first error', async t => {
  const directory = await temporaryFolder(t);
  const backend = await openEmbedded({ directory: path.join(directory, 'storage') });
  t.teardown(() => backend.close());
  let answer: () => void = () => undefined;
  const later = new Promise<void>(resolve => (answer = resolve));
  const slow = overriding(backend, { range: (...asked) => later.then(() => backend.range(...asked)) });
  const unhandled: unknown[] = [];
  const onRejection = (error: unknown): void => void unhandled.push(error);
  process.prependListener('unhandledRejection', onRejection);
  t.teardown(() => process.off('unhandledRejection', onRejection));
  const starting = startServer({
    profile: 'karmada',
    log: silent,
    listen: { host: '127.0.0.1', port: 0 },
    pkiDirectory: path.join(directory, 'pki'),
    storage: { type: 'opened', backend: slow },
    startFrontend: () => {
      setImmediate(answer); // after the server has begun to stop
      return Promise.reject(new Error('no port'));
    },
  });
  await t.rejects(starting, { message: 'no port' });
  await new Promise(setImmediate);
  t.same(unhandled, []);
});

t.test('stopping ends watches and refuses connections', async t => {
  const server = await runningServer(t);
  const watching = await watch(t, server, '/api/v1/namespaces?watch=1&resourceVersion=0');
  for (let i = 0; i < 5; i++) t.match(await watching.next(), { type: 'ADDED' });
  const stopped = server.stop();
  t.equal(await watching.next(), undefined);
  await stopped;
  await t.rejects(httpClient(t, server)('GET /readyz'), { code: 'ECONNREFUSED' });
  t.equal(server.stop(), stopped, 'a second stop returns the same promise');
});

t.test('requests without a client certificate', async t => {
  const open = await runningServer(t);
  const closed = await runningServer(t, { anonymous: false });
  const headers = { authorization: 'Bearer wrong' };
  for (const server of [open, closed]) {
    const ask = httpClient(t, { ...server, pki: { ...server.pki, admin: { certificate: '', key: '' } } });
    t.match(await ask('GET /readyz'), { status: 200 });
    t.match(await ask('GET /version', { headers }), { status: 401 }, 'a wrong token is refused');
    const expected = server === open ? { status: 403 } : { status: 401 };
    t.match(await ask('GET /api/v1/secrets'), expected);
  }
});

t.test('connect requests go to the registered handler only', async t => {
  const rests: string[] = [];
  const server = await runningServer(t, {
    connects: {
      'pods/proxy': async request => {
        rests.push(`${request.name} ${request.rest} ${request.exchange.query}`);
        request.exchange.respond(200, request.answerHeaders(), Buffer.from('through'));
      },
    },
  });
  const ask = httpClient(t, server);
  const pods = '/api/v1/namespaces/default/pods';
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  t.equal((await ask(`POST ${pods}`, { body: { metadata: { name: 'p' }, spec } })).status, 201);
  t.match(await ask(`GET ${pods}/p/proxy/a%2Fb/c/?x=y`), { status: 200, text: 'through' });
  t.same(rests, ['p /a%2Fb/c/ x=y'], 'the rest of the path is passed on unchanged');
  t.match((await ask(`GET ${pods}/q/log`)).json, { reason: 'NotFound', message: 'pods "q" not found' });
  t.match((await ask(`POST ${pods}/p/exec?dryRun=All`)).json, { message: 'dryRun is not supported' });
});

t.test('the first object of a new kind waits until every server can serve the kind', async t => {
  const directory = await temporaryFolder(t);
  const backend = await openEmbedded({ directory: path.join(directory, 'storage') });
  t.teardown(() => backend.close());
  const shared = { storage: { type: 'opened', backend }, pkiDirectory: path.join(directory, 'pki') } as const;
  const first = await runningServer(t, { ...shared, profile: 'kubernetes' });
  const second = await runningServer(t, { ...shared, profile: 'kubernetes', populated: Promise.resolve() });
  const asked = httpClient(t, second);
  await httpClient(t, first)(`POST ${definitionsPath}`, {
    body: customKind('Foo', [version()], { scope: 'Cluster' }),
  });
  const foos = '/apis/example.com/v1/foos';
  while ((await asked(`GET ${foos}`)).status !== 200); // until the kind is served
  const foo = (name: string) => ({ body: { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name } } });
  const began = performance.now();
  t.equal((await asked(`POST ${foos}`, foo('a'))).status, 201);
  t.ok(performance.now() - began >= 1990, 'other servers have had time to see the kind');
  t.equal((await asked(`POST ${foos}`, foo('b'))).status, 201);
  await second.stop();
});
