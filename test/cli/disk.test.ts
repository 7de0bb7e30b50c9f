/** A server whose disk takes no more says so, goes on with what it has, and recovers by itself. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../storage/folder.js';
import { until } from '../storage/until.js';
import { run, up } from './process.js';

const prlimit = '/usr/bin/prlimit';
const skip = fs.existsSync(prlimit) ? false : 'there is no prlimit to make writes fail with';
const maps = '/api/v1/namespaces/default/configmaps';

t.test('a disk that takes nothing', { skip }, async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const { server, child, end } = await up(t, data, '--controllers=-*');
  const create = async (name: string): Promise<{ status: number; text: string }> =>
    server.call('POST', maps, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
    });
  const statusOf = async (what: string): Promise<number> => (await server.call('GET', what)).status;
  t.equal((await create('before')).status, 201);

  execFileSync(prlimit, [`--pid=${child.pid}`, '--fsize=0:']);
  const refused = await create('refused');
  t.equal(refused.status, 500);
  t.match(JSON.parse(refused.text), { kind: 'Status', reason: 'ServerTimeout' });
  await until('it says that it is not ready', async () => (await statusOf('/readyz')) === 500);
  t.match((await server.call('GET', '/readyz?verbose')).text, /\[-\]etcd failed/);
  t.equal(await statusOf(`${maps}/before`), 200, 'what is there is served');
  t.equal(await statusOf(maps), 200);

  execFileSync(prlimit, [`--pid=${child.pid}`, '--fsize=unlimited:']);
  await until('it is ready again', async () => (await statusOf('/readyz')) === 200);
  t.equal((await create('after')).status, 201);
  await end('SIGKILL');
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /\n {2}ok: / });
  const again = await up(t, data, '--controllers=-*');
  const { text } = await again.server.call('GET', maps);
  for (const name of ['before', 'after']) t.match(text, `"name":"${name}"`, name);
  t.notMatch(text, '"name":"refused"');
});
