/**
 * `node --expose-gc --no-opt memory-child.js BINDINGS CLUSTERS`: decides about bindings that were never scheduled, and prints the memory that remains, as JSON
 * (`SchedulingMemory`). It is a process of its own, in which nothing else takes memory.
 */
import process from 'node:process';
import type { Binding, Cluster, TargetCluster } from '../../api/karmada/types.js';
import { keyOf } from '../../client/key.js';
import { generalEstimator } from '../../scheduler/estimate/general.js';
import { attempt } from '../../scheduler/loop/attempt.js';
import { BindingClasses } from '../../scheduler/loop/wake-ups/binding-classes.js';
import { decided } from '../../scheduler/loop/decided.js';
import { DecisionClasses } from '../../scheduler/place/classes.js';
import { bindingsOf, clustersOf } from '../scheduling-world.js';
import type { SchedulingMemory } from './scheduling-memory.js';

const estimators = [generalEstimator];

const nobody = (): never => {
  throw new Error('no members are asked');
};

/** What a scheduler keeps of its decisions. */
class Scheduler {
  readonly decisions = new DecisionClasses({ estimators });
  readonly bindings = new BindingClasses(() => true);

  /** Returns the targets of each binding that is placed. */
  async schedule(bindings: readonly Binding[], clusters: readonly Cluster[]): Promise<(readonly TargetCluster[])[]> {
    const options = { enableEmptyWorkloadPropagation: false, estimators, classes: this.decisions };
    const placed: (readonly TargetCluster[])[] = [];
    for (const binding of bindings) {
      const { clusters: targets } = await decided(attempt(binding, clusters, undefined, options), nobody);
      this.bindings.set(keyOf(binding), { ...binding, spec: { ...binding.spec, clusters: [...(targets ?? [])] } });
      if (targets?.length) placed.push(targets);
    }
    return placed;
  }
}

/** Returns the bytes of the objects in the heap, without garbage. */
function usedBytes(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error('Node.js runs without --expose-gc');
  for (let i = 0; i < 3; i++) gc();
  return process.memoryUsage().heapUsed;
}

const [bindingCount = 0, clusterCount = 0] = process.argv.slice(2).map(Number);
// Compiled code takes memory, too.
await new Scheduler().schedule(bindingsOf(300), clustersOf(50));

const before = usedBytes();
const world = { bindings: bindingsOf(bindingCount), clusters: clustersOf(clusterCount) };
const inputBytes = usedBytes() - before;
const scheduler = new Scheduler();
const placed = await scheduler.schedule(world.bindings, world.clusters);
const targets = placed.reduce((sum, { length }) => sum + length, 0);
const both = usedBytes() - before - inputBytes;
placed.length = 0;
const keptBytes = usedBytes() - before - inputBytes;
const memory: SchedulingMemory = {
  ...{ bindings: world.bindings.length, clusters: world.clusters.length },
  ...{ targets, inputBytes, keptBytes, targetBytes: both - keptBytes },
};
// What is measured is used once more, so that none of it is garbage before.
if (scheduler.bindings.alone.size > 0) throw new Error('a binding is of no class');
process.stdout.write(JSON.stringify(memory));
