/** Assumed workloads on the nodes of a member, from one question to the next. */
import t from 'tap';
import { atOnce } from '../../../../lib/time-slice.js';
import { AssumedNodes } from '../../../../scheduler/estimate/accurate/assumed-nodes.js';
import type { EstimatedNode } from '../../../../scheduler/estimate/accurate/interface.js';
import { NodeSnapshot } from '../../../../scheduler/estimate/accurate/node-snapshot.js';
import type { AssumedWorkload } from '../../../../scheduler/interface.js';

const node = (cpu: string, more: Partial<EstimatedNode> = {}): EstimatedNode => ({
  ...{ metadata: { labels: {} }, status: { allocatable: { cpu, pods: '4' } } },
  ...more,
});
const assuming = (replicas: number, cpu: string): AssumedWorkload => ({
  namespace: 'ns',
  components: [{ name: 'c', replicas, replicaRequirements: { resourceRequest: { cpu } } }],
});

/** Returns nodes with so many CPUs each. */
function openNodes(...cpus: string[]) {
  const snapshot = new NodeSnapshot();
  for (const [i, cpu] of cpus.entries()) snapshot.setNode(`n${i}`, node(cpu));
  const assumed = new AssumedNodes(snapshot);
  const free = (): number[] => snapshot.nodes.map(node => assumed.remainingOf(node).free('cpu') / 1000);
  const place = (...workloads: AssumedWorkload[]): number[] => {
    atOnce(assumed.update(workloads));
    return free();
  };
  return { snapshot, assumed, free, place };
}

t.test('each replica is on the first node on which it fits', async t => {
  const { place, snapshot, assumed } = openNodes('3', '2', '5');
  t.strictSame(place(), [3, 2, 5]);
  t.strictSame(place(assuming(2, '2')), [1, 0, 5]);
  t.strictSame(place(assuming(2, '2'), assuming(1, '1')), [0, 0, 5]);
  t.strictSame(
    snapshot.nodes.map(node => assumed.remainingOf(node).freePods),
    [2, 3, 4],
  );
  t.strictSame(place(assuming(1, '1')), [2, 2, 5], 'the others are taken back');
  t.strictSame(place(), [3, 2, 5]);
});

t.test('what fits of a workload that does not fit stays, and its other components are left out', async t => {
  const { place } = openNodes('3', '2');
  t.strictSame(place(assuming(9, '2')), [1, 0]);
  const [large, small] = [assuming(9, '2').components, assuming(1, '1').components];
  t.strictSame(place({ namespace: 'ns', components: [...large, ...small] }), [1, 0]);
  t.strictSame(place(assuming(0, '2'), assuming(-1, '2')), [3, 2]);
  t.strictSame(place(assuming(9, '0')), [3, 2], 'pods without requests only take slots');
});

t.test('the version tells which nodes have changed', async t => {
  const { place, snapshot, assumed } = openNodes('3', '2');
  place();
  const before = assumed.version;
  place(assuming(1, '3'));
  t.strictSame([...(assumed.changedSince(before) ?? [])], [snapshot.nodes[0]]);
  const placed = assumed.version;
  place(assuming(1, '3'));
  t.equal(assumed.version, placed, 'equal workloads are the same, whatever objects they are');
  t.strictSame([...(assumed.changedSince(placed) ?? [])], []);
});

t.test('a changed node places the workloads again that have looked at it', async t => {
  const { place, snapshot } = openNodes('3', '2');
  const workloads = [assuming(1, '3'), assuming(1, '2')];
  t.strictSame(place(...workloads), [0, 0]);
  snapshot.setNode('n1', node('4'));
  t.strictSame(place(...workloads), [0, 2]);
  snapshot.setNode('n0', node('1'));
  t.strictSame(place(...workloads), [1, 1], 'the first one has moved, and the second one has no room');
  snapshot.setNode('n0', undefined);
  t.strictSame(place(...workloads), [1]);
});

t.test('an interrupted update is made good by the next one', async t => {
  const { assumed, place, free } = openNodes(...Array<string>(2_000).fill('1'));
  const workloads = [assuming(3, '1'), assuming(1_990, '1')];
  const steps = assumed.update(workloads);
  steps.next();
  steps.return();
  const sum = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);
  t.ok(sum(free()) > 7, 'not all is placed');
  t.equal(sum(place(...workloads)), 7);
  const back = assumed.update([]);
  back.next();
  back.return();
  t.equal(sum(place(...workloads)), 7);
  t.equal(sum(place()), 2_000);
});

t.test('a malformed amount throws, and those before it are placed', async t => {
  const { place, free } = openNodes('3', '2');
  t.throws(() => place(assuming(1, '3'), assuming(1, 'x'), assuming(1, '2')));
  t.strictSame(free(), [0, 2]);
  t.strictSame(place(assuming(1, '3'), assuming(1, '2')), [0, 0]);
});
