import fs from 'node:fs/promises';
import path from 'node:path';
import { Etcd3 } from 'etcd3';
import t from 'tap';
import { openEtcd } from '../../../storage/etcd/open-etcd.js';
import { bytes, errorCode, take, text, written } from '../../conformance/store.js';
import { authority } from '../certificates.js';
import { startEtcd, withoutEtcd } from '../etcd-server.js';
import { temporaryFolder } from '../folder.js';

const never = new AbortController().signal;

t.test('client and server certificates are verified', { skip: withoutEtcd }, async t => {
  const folder = await temporaryFolder(t);
  const ca = authority();
  const files = { ca: ca.cert, ...ca.issue('server') };
  for (const [name, content] of Object.entries(files)) await fs.writeFile(path.join(folder, name), content);
  const server = await startEtcd(t, {
    flags: [
      `--cert-file=${path.join(folder, 'cert')}`,
      `--key-file=${path.join(folder, 'key')}`,
      `--trusted-ca-file=${path.join(folder, 'ca')}`,
      '--client-cert-auth',
    ],
  });
  const options = { endpoints: [server.endpoint], compactionIntervalMs: 0, callMs: 5000 };
  const store = await openEtcd({ ...options, tls: { ca: ca.cert, ...ca.issue('flagship') } });
  const from = await store.revision();
  await store.put('/a', 'absent', bytes('1'));
  t.equal((await take(store.watch('/', from, never), 1)).length, 1);
  await store.close();
  const strangers = { ...options, callMs: 500 };
  t.equal(await errorCode(openEtcd({ ...strangers, tls: { ca: ca.cert } })), 'unavailable', 'no client certificate');
  const other = authority();
  const foreign = openEtcd({ ...strangers, tls: { ca: other.cert, ...ca.issue('flagship') } });
  t.equal(await errorCode(foreign), 'unavailable', 'a server of another authority');
});

t.test('username and password work, also after the tokens are lost', { skip: withoutEtcd }, async t => {
  const server = await startEtcd(t);
  const admin = new Etcd3({ hosts: server.endpoint });
  await admin.role('root').create();
  await admin.user('root').create('secret');
  await admin.user('root').addRole('root');
  await admin.auth.authEnable();
  admin.close();
  const options = { endpoints: [server.endpoint], compactionIntervalMs: 0, callMs: 5000 };
  t.equal(await errorCode(openEtcd(options)), 'unavailable', 'without a name');
  t.equal(await errorCode(openEtcd({ ...options, auth: { username: 'root', password: 'wrong' } })), 'unavailable');
  const store = await openEtcd({ ...options, auth: { username: 'root', password: 'secret' } });
  const from = await store.revision();
  written(await store.put('/a', 'absent', bytes('1')));
  const watching = take(store.watch('/', from, never), 2);
  // The restart drops its tokens.
  await server.kill();
  await server.start();
  const [a, b] = await Promise.all([store.get('/a'), store.put('/b', 'absent', bytes('2'))]);
  t.equal(text(a?.value), '1');
  t.match(b, { type: 'done' });
  t.equal((await watching).length, 2);
  await store.close();
});
