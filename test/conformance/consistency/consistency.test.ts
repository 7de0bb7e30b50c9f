/**
 * Runs clients of one namespace while servers are killed, paused and disconnected, and checks that their operations and watches are those
 * of one linearizable store. FLAGSHIP_FAULTS is the number of faults, FLAGSHIP_SEED the seed of the choices; the seed is printed.
 */
import process from 'node:process';
import t, { type Test } from 'tap';
import type { Endpoint } from '../../../aggregation/interface.js';
import { random as randomOf } from '../../random.js';
import { startEtcdCluster, withoutEtcd } from '../../storage/etcd-server.js';
import { until } from '../../storage/until.js';
import { createNamespace, createNotes, runClient, runWatcher, writeLast } from './clients.js';
import { type Fault, faultsOfEtcd, faultsOfServer, slowDisk } from './faults.js';
import { historyFaults } from './linearizability.js';
import { type Flagship, startServer } from './servers.js';

const faultCount = Number(process.env['FLAGSHIP_FAULTS'] ?? 12);
const seed = Number(process.env['FLAGSHIP_SEED'] ?? Date.now() % 1_000_000);
const clientsPerServer = 3;
const keys = ['a', 'b', 'c', 'd'];
const timeout = 60_000 + faultCount * 20_000;

async function runUnderFaults(t: Test, servers: readonly Flagship[], faults: readonly Fault[]): Promise<void> {
  const [first] = servers;
  if (!first) throw new Error('there is no server');
  await createNamespace(first.endpoint);
  const notes = createNotes();
  const { next: random } = randomOf(seed);
  const stop = new AbortController();
  const last = notes.fresh();
  const watchers: Promise<void>[] = [];
  const watch = (endpoint: Endpoint, name: string): Promise<void> =>
    new Promise(begun => watchers.push(runWatcher({ name, endpoint, notes, keys, last, begun })));
  // The watchers start first, since changes before their start are not recorded.
  await Promise.all(servers.flatMap(({ endpoint }, s) => [0, 1].map(w => watch(endpoint, `watcher ${s}.${w}`))));
  const clients = servers.flatMap(({ endpoint }, s) =>
    Array.from({ length: clientsPerServer }, (_, c) =>
      runClient({ name: `client ${s}.${c}`, endpoint, notes, keys, random, signal: stop.signal }),
    ),
  );
  const injected = new Map<string, number>();
  for (let i = 0; i < faultCount; i++) {
    const fault = faults[Math.floor(random() * faults.length)];
    if (!fault) throw new Error('there is no fault');
    const before = notes.acknowledged;
    await fault.strike();
    await until(`writes go on after: ${fault.name}`, () => notes.acknowledged > before + 10, 40_000);
    injected.set(fault.name, (injected.get(fault.name) ?? 0) + 1);
  }
  stop.abort();
  await Promise.all(clients);
  await writeLast(first.endpoint, last);
  await Promise.all(watchers);
  const history = notes.history();
  t.same(historyFaults(history), [], `seed ${seed}`);
  const unknown = history.operations.filter(each => each.type === 'write' && each.outcome === 'unknown').length;
  t.comment(
    `seed ${seed}: ${history.operations.length} operations, ${notes.acknowledged} acknowledged writes, ${unknown} without an answer; ` +
      [...injected].map(([name, count]) => `${count} x ${name}`).join(', '),
  );
}

t.test('the embedded store is linearizable under faults', { timeout }, async t => {
  const server = await startServer(t, []);
  await runUnderFaults(t, [server], [...faultsOfServer(server), slowDisk(server)]);
});

t.test('the embedded store with workers is linearizable under faults', { timeout }, async t => {
  const server = await startServer(t, ['--workers=2']);
  await runUnderFaults(t, [server], [...faultsOfServer(server), slowDisk(server)]);
});

t.test('two servers on three etcd members are linearizable under faults', { skip: withoutEtcd, timeout }, async t => {
  const etcds = await startEtcdCluster(t, 3);
  const storage = `--storage=etcd=${etcds.map(({ endpoint }) => endpoint).join(',')}`;
  const first = await startServer(t, [storage]);
  const servers = [first, await startServer(t, [storage])];
  await runUnderFaults(t, servers, [...servers.flatMap(faultsOfServer), ...etcds.flatMap(faultsOfEtcd)]);
});
