/** `flagship up --workers N`: several processes serve one store. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { connect, type Connection } from '../../aggregation/remote/connection.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { type FlagshipProcess, startFlagship } from '../../tools/flagship.js';
import { temporaryFolder } from '../apiserver/running.js';
import { plainNode } from '../../tools/plain-node.js';
import { until } from '../storage/until.js';
import { withoutInfo } from './process.js';

const skip = fs.existsSync('/proc/self/task') ? false : 'there is no /proc to find child processes in';

const childrenOf = (pid: number): number[] =>
  fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const lives = (pid: number): boolean => fs.existsSync(`/proc/${pid}`);

async function start(t: Test): Promise<FlagshipProcess> {
  const flagship = await startFlagship(['--controllers=-*', '--workers=2']);
  t.teardown(() => flagship.stop());
  return flagship;
}

/** Opens one connection. Connections are distributed over the workers in turn. */
function open(t: Test, { kubeconfig }: FlagshipProcess): Connection {
  const endpoint = kubeconfigEndpoint(kubeconfig);
  const connection = connect(endpoint, { userAgent: 'test', connections: 1, onlyHttp1: true });
  t.teardown(() => connection.close());
  return connection;
}

const maps = '/api/v1/namespaces/default/configmaps';

async function create(connection: Connection, name: string): Promise<number> {
  const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
  const answer = await connection.request({
    method: 'POST',
    path: maps,
    headers: { 'content-type': 'application/json' },
    body,
  });
  return answer.status;
}

async function names(connection: Connection): Promise<string[]> {
  const { body } = await connection.request({ method: 'GET', path: maps });
  const list = JSON.parse(body.toString()) as { items: { metadata: { name: string } }[] };
  return list.items.map(({ metadata }) => metadata.name).filter(name => name !== 'kube-root-ca.crt');
}

/** Returns the values of a metric by their labels. */
async function metric(connection: Connection, name: string): Promise<ReadonlyMap<string, number>> {
  const { body } = await connection.request({ method: 'GET', path: '/metrics' });
  const lines = body.toString().split('\n');
  const found = lines.filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return new Map(found.map(line => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

t.test('workers', { skip }, async t => {
  const flagship = await start(t);

  await t.test('writes of one worker can be read and watched at the others at once', async t => {
    const [a, b, c] = [open(t, flagship), open(t, flagship), open(t, flagship)];
    t.equal(childrenOf(flagship.pid).length, 2);
    const stop = new AbortController();
    const { body } = await c.stream({ method: 'GET', path: `${maps}?watch=1`, signal: stop.signal });
    for (let i = 0; i < 20; i++) {
      const [writer, reader] = i % 2 ? [a, b] : [b, a];
      t.equal(await create(writer, `n${i}`), 201);
      t.ok((await names(reader)).includes(`n${i}`), 'readable at once');
    }
    let seen = '';
    for await (const chunk of body) if ((seen += chunk.toString()).includes('"n19"')) break;
    const order = [...seen.matchAll(/"name":"(n\d+)"/g)].map(([, name]) => name);
    t.same(
      order,
      Array.from({ length: 20 }, (_, i) => `n${i}`),
    );
  });

  await t.test('metrics are the sums of all workers', async t => {
    const [a, b] = [open(t, flagship), open(t, flagship)];
    const created = async (connection: Connection): Promise<number> => {
      const counts = await metric(connection, 'apiserver_request_total');
      const [[, count] = ['', 0]] = [...counts].filter(([labels]) => /"POST".*"configmaps".*"201"/.test(labels));
      return count;
    };
    const before = await created(a);
    t.equal(await created(b), before, 'the same at every worker');
    for (const [i, connection] of [a, b, a].entries()) t.equal(await create(connection, `counted-${i}`), 201);
    t.equal(await created(a), before + 3);
    t.equal(await created(b), before + 3);
    const seats = await metric(a, 'apiserver_flowcontrol_nominal_limit_seats');
    const all = [...seats.values()].reduce((sum, value) => sum + value, 0);
    t.ok(all >= 2 * 600 && all < 2 * 620, `each worker has its seats: ${all}`); // shares are rounded up
  });

  await t.test('a port that is in use is reported in one line', async t => {
    const { server } = kubeconfigEndpoint(flagship.kubeconfig);
    const bind = new URL(server).host;
    const [command, ...args] = plainNode;
    const program = fileURLToPath(new URL('../../cli/flagship.js', import.meta.url));
    const directory = path.join(await temporaryFolder(t), 'data');
    const child = spawn(command, [...args, program, 'up', '--data-dir', directory, '--bind', bind, '--workers=2']);
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    t.same([code, withoutInfo(output)], [1, `flagship: the address ${bind} is in use\n`]);
  });

  await t.test('a worker that is killed is replaced, and no data is lost', async t => {
    t.equal(await create(open(t, flagship), 'before'), 201);
    const [first = 0, second = 0] = childrenOf(flagship.pid);
    process.kill(first, 'SIGKILL');
    await until('it is gone', () => !lives(first));
    t.ok((await names(open(t, flagship))).includes('before'), 'the other worker responds meanwhile');
    await until('another is there', () => childrenOf(flagship.pid).length === 2);
    process.kill(second, 'SIGKILL');
    await until('it is gone', () => !lives(second));
    await until('the new one answers', async () => {
      try {
        return (await names(open(t, flagship))).includes('before');
      } catch {
        return false; // no worker listens
      }
    });
    t.equal(await create(open(t, flagship), 'after'), 201);
  });

  await t.test('workers end with the process that holds the store', async t => {
    const workers = childrenOf(flagship.pid);
    process.kill(flagship.pid, 'SIGKILL');
    await until('all are gone', () => !workers.some(lives));
    const other = await start(t);
    const others = childrenOf(other.pid);
    await other.stop();
    t.notOk(others.some(lives));
  });
});
