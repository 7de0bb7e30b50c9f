/** The head and the worker groups of a Ray cluster, which RayCluster, RayJob and RayService describe in the same way. */
import type { Component } from '../../../../api/karmada/types.js';
import { maxComponents } from '../../answers/decode.js';
import { refuseMany } from '../../answers/fields.js';
import { templateRequirements } from '../pod-template.js';
import { itemsOf, fieldAt, fieldIfAny } from '../read.js';
import { type ComponentValues, componentsFrom } from '../replica-result.js';
import { isBlank, isTruthy } from '../values.js';

/** Returns the template of the head's pod; undefined if there is none. */
export const headTemplate = (cluster: unknown): unknown => fieldIfAny(cluster, 'headGroupSpec', 'template');

/** Returns the groups of workers. Throws if there are too many: each becomes a component. */
export function workerGroups(cluster: unknown): readonly unknown[] {
  const groups = itemsOf(fieldIfAny(cluster, 'workerGroupSpecs') ?? [], 'workerGroupSpecs');
  refuseMany(groups, maxComponents, 'worker groups');
  return groups;
}

/** Returns the field `replicas` of a group; 0 if it is absent. */
export function groupReplicas(group: unknown): unknown {
  const replicas = fieldAt(group, 'replicas');
  return isTruthy(replicas) ? replicas : 0;
}

function headComponent(template: unknown): ComponentValues {
  return { name: 'ray-head', replicas: 1, replicaRequirements: templateRequirements(template) };
}

function workerComponent(group: unknown, i: number): ComponentValues {
  const name = fieldAt(group, 'groupName');
  const template = fieldAt(group, 'template');
  return {
    name: isBlank(name) ? `worker-${i + 1}` : name,
    replicas: groupReplicas(group),
    replicaRequirements: template === undefined ? undefined : templateRequirements(template),
  };
}

/** Returns the components of a Ray cluster: one head, and the worker groups. Rejects if a value has a wrong type. */
export async function rayComponents(cluster: unknown): Promise<Component[]> {
  const head = headTemplate(cluster);
  const heads = await componentsFrom(head === undefined ? [] : [head], headComponent);
  return [...heads, ...(await componentsFrom(workerGroups(cluster), workerComponent))];
}
