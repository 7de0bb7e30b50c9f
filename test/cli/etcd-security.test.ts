/** Flagship with an etcd that requires client certificates or a password, and with an etcd cluster whose members fail. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { Etcd3 } from 'etcd3';
import t, { type Test } from 'tap';
import { authority } from '../storage/certificates.js';
import { startEtcd, startEtcdCluster, withoutEtcd } from '../storage/etcd-server.js';
import { temporaryFolder } from '../storage/folder.js';
import { until } from '../storage/until.js';
import { run, up, type Up } from './process.js';

const maps = '/api/v1/namespaces/default/configmaps';
const bare = '--controllers=-*';

async function create({ server }: Up, name: string): Promise<number> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  return (await server.call('POST', maps, { headers: { 'content-type': 'application/json' }, body })).status;
}

/** Writes the certificates of a CA, a server and a client, and returns a function from a file name to its path. */
async function certificates(folder: string): Promise<(name: string) => string> {
  const ca = authority();
  const at = (name: string): string => path.join(folder, name);
  await fs.writeFile(at('ca.crt'), ca.cert);
  for (const name of ['server', 'client']) {
    const { cert, key } = ca.issue(name);
    await fs.writeFile(at(`${name}.crt`), cert);
    await fs.writeFile(at(`${name}.key`), key);
  }
  return at;
}

t.test('TLS with client certificates', { skip: withoutEtcd }, async t => {
  const folder = await temporaryFolder(t);
  const at = await certificates(folder);
  const etcd = await startEtcd(t, {
    flags: [
      `--cert-file=${at('server.crt')}`,
      `--key-file=${at('server.key')}`,
      `--trusted-ca-file=${at('ca.crt')}`,
      '--client-cert-auth',
    ],
  });
  const servers = `--etcd-servers=${etcd.endpoint}`;
  const files = [
    `--etcd-cafile=${at('ca.crt')}`,
    `--etcd-certfile=${at('client.crt')}`,
    `--etcd-keyfile=${at('client.key')}`,
  ];
  const flagship = await up(t, at('data'), bare, servers, ...files);
  t.equal(await create(flagship, 'a'), 201);
  await flagship.end('SIGTERM');
  const stranger = await run(t, 'up', '--data-dir', at('other'), '--bind', '127.0.0.1:0', servers, files[0] ?? '');
  t.match(stranger, { code: 1, err: /^flagship: the storage cannot be used: etcd does not answer/m });
});

async function withUser(t: Test, endpoint: string): Promise<void> {
  const admin = new Etcd3({ hosts: endpoint });
  t.teardown(() => admin.close());
  await admin.role('root').create();
  await admin.user('root').create('secret');
  await admin.user('root').addRole('root');
  await admin.auth.authEnable();
}

t.test('authentication with user name and password, and a key prefix', { skip: withoutEtcd }, async t => {
  const folder = await temporaryFolder(t);
  const etcd = await startEtcd(t);
  await withUser(t, etcd.endpoint);
  await fs.writeFile(path.join(folder, 'password'), 'secret\n');
  const flagship = await up(
    ...([t, path.join(folder, 'data'), bare, `--etcd-servers=${etcd.endpoint}`, '--etcd-prefix=/tenant'] as const),
    ...['--etcd-username=root', `--etcd-password-file=${path.join(folder, 'password')}`],
  );
  t.equal(await create(flagship, 'a'), 201);
  const reader = new Etcd3({ hosts: etcd.endpoint, auth: { username: 'root', password: 'secret' } });
  t.teardown(() => reader.close());
  const value = await reader.get('/tenant/configmaps/default/a').buffer();
  t.equal(value?.toString('latin1', 0, 4), 'k8s\0');
  t.same(await reader.getAll().prefix('/registry').keys(), []);
});

t.test('members of an etcd cluster fail one after the other', { skip: withoutEtcd }, async t => {
  const cluster = await startEtcdCluster(t, 3);
  const servers = cluster.map(member => member.endpoint).join(',');
  const flagship = await up(t, path.join(await temporaryFolder(t), 'data'), bare, `--etcd-servers=${servers}`);
  const seen: string[] = [];
  const watch = await flagship.server.watch(`${maps}?watch=1`, {}, line => seen.push(line));
  for (const [i, member] of cluster.entries()) {
    await member.kill();
    // A write whose response is lost may have been executed; then the object exists already.
    await until(`a write without member ${i}`, async () => [201, 409].includes(await create(flagship, `without-${i}`)));
    await until('the watch goes on', () => seen.some(line => line.includes(`"name":"without-${i}"`)));
    await until('it is ready', async () => (await flagship.server.call('GET', '/readyz')).status === 200);
    await member.start();
  }
  if (watch.type === 'open') watch.close();
});
