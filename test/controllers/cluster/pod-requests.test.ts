/** Sums of the requests of pods. as pkg/util Resource.AddPodRequest */
import t from 'tap';
import { PodGroup, podRequests, PodSum, requireFewNames } from '../../../controllers/cluster/pod-requests.js';

const pod = (cpu: string, init?: string, overhead?: string) =>
  podRequests({
    containers: [{ name: 'c', resources: { requests: { cpu } } }],
    ...(init !== undefined && { initContainers: [{ name: 'i', resources: { requests: { cpu: init } } }] }),
    ...(overhead !== undefined && { overhead: { cpu: overhead } }),
  });

/** Returns the sum of pods in this order. */
async function sumOf(...pods: readonly ReturnType<typeof pod>[]) {
  const group = new PodGroup();
  pods.forEach((requests, i) => group.set(`p${i}`, requests));
  return group.list();
}

t.test('the requests of a group are those of its pods', async t => {
  t.strictSame(await sumOf(), {});
  t.strictSame(await sumOf(pod('100m'), pod('1')), { cpu: '1100m', pods: '2' });
  t.strictSame(await sumOf(pod('1', undefined, '250m')), { cpu: '1250m', pods: '1' }, 'with the overhead');
  const two = podRequests({
    containers: [
      { resources: { requests: { cpu: '1', memory: '1Gi' } } },
      { resources: { requests: { cpu: '1' } } },
      {},
    ],
  });
  t.strictSame(await sumOf(two), { cpu: '2', memory: '1Gi', pods: '1' });
});

t.test('each amount is rounded up before it is added', async t => {
  t.strictSame(await sumOf(pod('100500u', undefined, '500u'), pod('500u')), { cpu: '103m', pods: '2' });
  t.strictSame(await sumOf(pod('1m', '1500u')), { cpu: '2m', pods: '1' });
  const bytes = podRequests({
    containers: [{ resources: { requests: { memory: '100m' } } }, { resources: { requests: { memory: '100m' } } }],
  });
  t.strictSame(await sumOf(bytes, bytes), { memory: '4', pods: '2' });
});

t.test('an init container makes the sum so far at least as large as its request', async t => {
  t.strictSame(await sumOf(pod('1', '3')), { cpu: '3', pods: '1' });
  t.strictSame(await sumOf(pod('1', '500m')), { cpu: '1', pods: '1' });
  t.strictSame(await sumOf(pod('1', '3', '1')), { cpu: '4', pods: '1' }, 'the overhead is added afterwards');
  t.strictSame(await sumOf(pod('1', '3'), pod('1')), { cpu: '4', pods: '2' });
  t.strictSame(await sumOf(pod('1'), pod('1', '3')), { cpu: '3', pods: '2' }, 'the order of pods matters');
});

t.test('a group follows its pods', async t => {
  const group = new PodGroup();
  group.set('a', pod('1'));
  group.set('b', pod('2'));
  t.strictSame(await group.list(), { cpu: '3', pods: '2' });
  group.set('a', pod('5'));
  t.strictSame(await group.list(), { cpu: '7', pods: '2' });
  group.delete('b');
  t.strictSame(await group.list(), { cpu: '5', pods: '1' });
  t.equal(group.size, 1);
  t.equal(group.get('b'), undefined);
});

t.test('the sum of a cluster follows the groups', async t => {
  const sum = new PodSum();
  const first = pod('1');
  t.equal(sum.set('node1', 'a', first), true);
  t.equal(sum.set('node1', 'a', first), false, 'the same requests');
  sum.set('node2', 'b', pod('2'));
  t.strictSame(await sum.list(), { cpu: '3', pods: '2' });
  t.equal(await sum.list(), await sum.list(), 'kept while nothing changes');
  sum.delete('node1', 'a');
  t.equal(sum.group('node1'), undefined, 'an empty group is dropped');
  t.strictSame(await sum.list(), { cpu: '2', pods: '1' });
  sum.delete('node1', 'a');
  sum.delete('node2', 'other');
  t.strictSame(await sum.list(), { cpu: '2', pods: '1' }, 'a removal of what is not there changes nothing');
});

t.test('what cannot be summed', async t => {
  t.throws(() => pod('1x'));
  t.doesNotThrow(() => requireFewNames({ size: 1000 }));
  t.throws(() => requireFewNames({ size: 1001 }), { message: 'the cluster has more than 1000 kinds of resources' });
  const names = (from: number) =>
    podRequests({ overhead: Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`r${from + i}`, '1'])) });
  await t.rejects(sumOf(names(0), names(600)), { message: /more than 1000 kinds/ });
});
