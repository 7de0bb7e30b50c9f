/** The scenario `propagate` measures the control plane and its members apart. */
import t from 'tap';
import { table } from '../../bench/print.js';
import { merge } from '../../bench/sample.js';
import { propagate } from '../../bench/scenarios/propagate.js';
import { startWithMembers } from '../../bench/target.js';

const skip = process.platform === 'linux' ? false : 'there is no /proc to read';

t.test('the CPU time of members is not that of the control plane', { skip, timeout: 300_000 }, async t => {
  const target = await startWithMembers('flagship', 2);
  t.teardown(() => target.close());
  t.same(target.members, ['member1', 'member2']);
  t.equal(propagate.skip?.(target), undefined);
  const namespace = 'bench';
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await target.send('POST', '/api/v1/namespaces', JSON.stringify(object));
  const samples = await propagate.run(target, { namespace, count: 40 });
  t.same(
    samples.map(({ name, count }) => [name, count]),
    [
      ['propagate 10', 10],
      ['propagate 10 more', 10],
    ],
  );
  for (const sample of samples) {
    t.equal(sample.latencies.length, 10);
    t.ok((sample.cpuSeconds ?? 0) > 0, 'the control plane');
    t.ok((sample.memberCpuSeconds ?? 0) > 0, 'the members');
  }
});

t.test('CPU time is also printed in creates', t => {
  const round = { count: 10, seconds: 1, latencies: [1], cpuSeconds: 0.3, memberCpuSeconds: 0.2 };
  const rounds = [0.001, 0.002].map(createCpuSeconds => ({ name: 'propagate', ...round, createCpuSeconds }));
  const sample = merge(rounds);
  t.match(sample, { count: 20, cpuSeconds: 0.6, memberCpuSeconds: 0.4, createCpuSeconds: 0.0015 });
  const [head = '', , row = ''] = table([{ server: 'flagship', sample }], []).split('\n');
  const cells = (line: string): string[] => line.split('|').map(cell => cell.trim());
  const shown = Object.fromEntries(cells(head).map((title, i) => [title, cells(row)[i]]));
  t.match(shown, { 'CPU ms each': '30.0', 'in creates': '20.0', 'members CPU ms each': '20.0' });
  t.end();
});
