/** Keeps the taints of nodes in line with their conditions. */
// as pkg/controller/nodelifecycle doNoScheduleTaintingPass, processTaintBaseEviction
import type { Node, Taint } from '../../openapi/gen/core-v1.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { nodes } from '../../api/kubernetes/resources.js';
import { notReadyTaint, unreachableTaint, unschedulableTaint } from '../../api/kubernetes/well-known.js';

/** Conditions besides Ready that keep new Pods away while they are True. */
const pressures: Readonly<Record<string, string>> = {
  MemoryPressure: 'node.kubernetes.io/memory-pressure',
  DiskPressure: 'node.kubernetes.io/disk-pressure',
  PIDPressure: 'node.kubernetes.io/pid-pressure',
  NetworkUnavailable: 'node.kubernetes.io/network-unavailable',
};

const managed = new Set([notReadyTaint, unreachableTaint, unschedulableTaint, ...Object.values(pressures)]);

/**
 * Returns the taints that a node should have: foreign ones unchanged, and those of this controller according to the conditions. A node without
 * the condition Ready keeps the taint `not-ready` that admission gave it.
 */
export function taintsOf({ spec, status }: Node, now: string): Taint[] {
  const before = spec?.taints ?? [];
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready')?.status;
  const wanted: Taint[] = [];
  const want = (key: string, effect: string): void => {
    const known = before.find(taint => taint.key === key && taint.effect === effect);
    wanted.push(known ?? { key, effect, timeAdded: now });
  };
  if (ready === undefined)
    wanted.push(...before.filter(({ key }) => key === notReadyTaint || key === unreachableTaint));
  else if (ready !== 'True')
    for (const effect of ['NoSchedule', 'NoExecute'])
      want(ready === 'False' ? notReadyTaint : unreachableTaint, effect);
  if (spec?.unschedulable) want(unschedulableTaint, 'NoSchedule');
  for (const [type, key] of Object.entries(pressures))
    if (conditions.some(condition => condition.type === type && condition.status === 'True')) want(key, 'NoSchedule');
  // Taints keep their order, so that nothing is written when nothing changes.
  const kept = before.filter(taint => !managed.has(taint.key) || wanted.includes(taint));
  return [...kept, ...wanted.filter(taint => !before.includes(taint))];
}

/** Runs the controller; it leaves alone nodes that are being deleted. */
export function startNodeTaints(context: ControllerContext): void {
  const { client, clock, informers } = context;
  const mirror = informers.informer<Node>(nodes);
  context.run({
    name: 'node-lifecycle-controller',
    synced: [mirror.synced],
    wire: queue => mirror.onChange(({ new: node }) => node && queue.add(keyOf(node))),
    async reconcile(name) {
      const node = mirror.get(name);
      if (!node || node.metadata.deletionTimestamp) return;
      await updateObject<Node>(client, nodes, node, draft => {
        const taints = taintsOf(draft, timestamp(clock.now()));
        const spec = (draft.spec ??= {});
        if (taints.length > 0) spec.taints = taints;
        else delete spec.taints;
      });
    },
  });
}
