import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Revision } from '../../../storage/interface.js';
import { openTestEtcd, startEtcd, withoutEtcd } from '../etcd-server.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';
import { type Seen, check } from './check.js';
import { startWriter } from './child.js';

const rounds = 50;

t.test('embedded: no acknowledged write is lost when the writer is killed', { timeout: 300_000 }, async t => {
  const directory = await temporaryFolder(t);
  const where = { type: 'embedded', directory, snapshotBytes: 300_000, historyBytes: 4_000_000 } as const;
  const seen: Seen = { revision: 1 as Revision, changes: new Map() };
  let total = 0;
  for (let round = 0; round < rounds; round++) {
    const writer = startWriter(t, where, `r${round}`);
    await until('the writer writes', () => writer.acknowledged.length > 0);
    await pause(Math.random() * 120);
    await writer.kill();
    const store = await openEmbedded(where);
    await check(t, store, seen, writer.acknowledged, `round ${round}`);
    await store.close();
    total += writer.acknowledged.length;
  }
  t.comment(`${rounds} kills, ${total} acknowledged writes`);
});

t.test(
  'etcd: no acknowledged write is lost when the writer or etcd is killed',
  { skip: withoutEtcd, timeout: 300_000 },
  async t => {
    const server = await startEtcd(t);
    const where = { type: 'etcd', endpoint: server.endpoint } as const;
    const store = await openTestEtcd(server);
    t.teardown(() => store.close());
    const seen: Seen = { revision: await store.revision(), changes: new Map() };
    let total = 0;
    // The next writer starts before this one is killed, since etcd supports several.
    let next = startWriter(t, where, 'r0');
    for (let round = 0; round < rounds; round++) {
      const writer = next;
      next = startWriter(t, where, `r${round + 1}`);
      await until('the writer writes', () => writer.acknowledged.length > 0);
      await pause(Math.random() * 80);
      if (round % 4 === 3) {
        await server.kill();
        await server.start();
        const before = writer.acknowledged.length;
        await until('the writer goes on', () => writer.acknowledged.length > before);
        t.same(
          writer.failures.filter(failure => failure !== 'failed unavailable'),
          [],
        );
      }
      await writer.kill();
      await check(t, store, seen, writer.acknowledged, `round ${round}`);
      total += writer.acknowledged.length;
    }
    t.comment(`${rounds} kills, ${total} acknowledged writes`);
  },
);
