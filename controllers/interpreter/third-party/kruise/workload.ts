/** Operations that several workloads of OpenKruise share. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { ExpectedError } from '../../../../lib/logging/cause.js';
import type { DependentReference, Replicas } from '../../interface.js';
import { assigned } from '../assigned.js';
import type { KindInterpreter } from '../kind.js';
import { templateDependencies, templateRequirements } from '../pod-template.js';
import { fieldAt, isLess, namespaceOf } from '../read.js';
import { replicasFrom } from '../replica-result.js';

/** Returns the dependencies. Throws if there are none: in Karmada `kube.getPodDependencies` returns nil then, which is no result. */
export function someDependencies(dependencies: readonly DependentReference[]): readonly DependentReference[] {
  if (dependencies.length === 0) throw new ExpectedError('the pod template has no dependencies');
  return dependencies;
}

/** Returns what the Pods of `spec.template` need, in the namespace of the workload; an empty list if they need nothing. */
export const podTemplateDependencies = (object: KubeObject): DependentReference[] =>
  templateDependencies(fieldAt(object, 'spec', 'template'), namespaceOf(object));

/** Returns the replicas of a workload with a pod template in `spec.template`. Throws if `count` is no number. */
export const workloadReplicas = (object: KubeObject, count: unknown): Replicas =>
  replicasFrom(count, templateRequirements(fieldAt(object, 'spec', 'template')));

/** Returns whether the workload's controller has observed the current spec. */
const isObserved = (object: KubeObject): boolean =>
  fieldAt(object, 'status', 'observedGeneration') === fieldAt(object, 'metadata', 'generation');

/** Returns whether one counter of the status is as high as another. */
const reaches = (object: KubeObject, counter: string, wanted: string): boolean =>
  !isLess(fieldAt(object, 'status', counter), fieldAt(object, 'status', wanted), `status.${counter}`);

/** Reports whether as many replicas as wanted are updated, and no fewer are available. */
export function isRolledOut(object: KubeObject): boolean {
  if (!isObserved(object)) return false;
  const wanted = fieldAt(object, 'spec', 'replicas');
  if (wanted !== undefined && isLess(fieldAt(object, 'status', 'updatedReplicas'), wanted, 'status.updatedReplicas'))
    return false;
  return reaches(object, 'availableReplicas', 'updatedReplicas');
}

/** Reports whether as many Pods as desired are updated, and no fewer are available. */
export const isDaemonRolledOut = (object: KubeObject): boolean =>
  isObserved(object) &&
  reaches(object, 'updatedNumberScheduled', 'desiredNumberScheduled') &&
  reaches(object, 'numberAvailable', 'updatedNumberScheduled');

/** The operations of a workload with `spec.replicas` and a pod template in `spec.template`. */
export const scalable = {
  replicas: object => workloadReplicas(object, fieldAt(object, 'spec', 'replicas')),
  reviseReplica: (object, replicas) => assigned(object, ['spec', 'replicas'], replicas),
  dependencies: object => someDependencies(podTemplateDependencies(object)),
} satisfies KindInterpreter;
