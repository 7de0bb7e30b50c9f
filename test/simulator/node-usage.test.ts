import t from 'tap';
import type { Node, Pod } from '../../openapi/gen/core-v1.js';
import { createNodeUsage } from '../../simulator/pods/node-usage.js';

const node = (name: string, cpu: string, more: Partial<Node> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { allocatable: { cpu, memory: '1Gi', pods: '3' } },
  ...more,
});

const pod = (cpu: string, more: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...more },
});

t.test('a Pod goes to the node with the fewest Pods that has capacity', t => {
  const usage = createNodeUsage();
  const nodes = [node('a', '2'), node('b', '1')];
  t.strictSame(usage.choose(pod('500m'), nodes), { node: 'a' });
  usage.take('1', pod('500m'), 'a');
  t.strictSame(usage.choose(pod('500m'), nodes), { node: 'b' });
  t.strictSame(usage.choose(pod('1500m'), nodes), { node: 'a' }, 'exactly the remaining capacity');
  t.strictSame(usage.choose(pod('1501m'), nodes), { reason: '0/2 nodes are available: 2 Insufficient cpu.' });
  t.end();
});

t.test('released capacity is free again, and taking it twice counts once', t => {
  const usage = createNodeUsage();
  const nodes = [node('a', '1')];
  usage.take('1', pod('1'), 'a');
  usage.take('1', pod('1'), 'a');
  t.match(usage.choose(pod('100m'), nodes), { reason: /Insufficient cpu/ });
  usage.release('1');
  t.strictSame(usage.choose(pod('1'), nodes), { node: 'a' });
  t.end();
});

t.test('a node takes no more Pods than its limit', t => {
  const usage = createNodeUsage();
  for (const key of ['1', '2', '3']) usage.take(key, pod('0'), 'a');
  t.strictSame(usage.choose(pod('0'), [node('a', '1')]), { reason: '0/1 nodes are available: 1 Too many pods.' });
  t.end();
});

t.test('a sidecar counts besides the containers, and the sum of a Pod is rounded up', t => {
  const usage = createNodeUsage();
  const sidecar = { name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '500m' } } };
  t.match(usage.choose(pod('600m', { initContainers: [sidecar] }), [node('a', '1')]), { reason: /Insufficient cpu/ });
  t.strictSame(usage.choose(pod('500m', { initContainers: [sidecar] }), [node('a', '1')]), { node: 'a' });
  const overhead = { cpu: '500u' };
  usage.take('1', pod('498600u', { overhead }), 'a');
  t.match(usage.choose(pod('500900u'), [node('a', '1')]), { reason: /Insufficient cpu/ });
  t.strictSame(usage.choose(pod('499500u', { overhead }), [node('a', '1')]), { node: 'a' });
  t.end();
});

t.test('cordoned nodes, non-matching labels and an empty list of nodes', t => {
  const usage = createNodeUsage();
  const nodes = [node('a', '1', { spec: { unschedulable: true } }), node('b', '1')];
  t.strictSame(usage.choose(pod('1', { nodeSelector: { zone: 'x' } }), nodes), {
    reason:
      "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable.",
  });
  t.strictSame(usage.choose(pod('1'), []), { reason: 'no nodes available to schedule pods' });
  t.end();
});

t.test('tainted nodes take Pods that tolerate the taint', t => {
  const usage = createNodeUsage();
  const taint = (key: string, effect: string): Node =>
    node('a', '1', { spec: { taints: [{ key, value: 'v', effect }] } });
  const reason = '0/1 nodes are available: 1 node(s) had untolerated taint(s).';
  const rows: readonly { given: Node; tolerations?: object[]; expect: object }[] = [
    { given: taint('k', 'NoSchedule'), expect: { reason } },
    { given: taint('k', 'NoExecute'), expect: { reason } },
    { given: taint('k', 'PreferNoSchedule'), expect: { node: 'a' } },
    { given: taint('k', 'NoSchedule'), tolerations: [{ key: 'k', operator: 'Exists' }], expect: { node: 'a' } },
    { given: taint('k', 'NoSchedule'), tolerations: [{ key: 'k', value: 'other' }], expect: { reason } },
  ];
  for (const { given, tolerations = [], expect } of rows)
    t.strictSame(usage.choose(pod('0', { tolerations }), [given]), expect);
  t.end();
});
