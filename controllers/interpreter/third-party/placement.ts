import type { JsonObject } from '../../../apimachinery/interface.js';
import { fieldAt } from './read.js';
import { isBlank } from './values.js';

/** Returns what fields of a pod require of nodes, and its priority class; empty without a pod. The values have any type. */
export function placementOf(pod: unknown, hardNodeAffinity?: unknown): JsonObject {
  if (pod === undefined) return {};
  const nodeSelector = fieldAt(pod, 'nodeSelector');
  const tolerations = fieldAt(pod, 'tolerations');
  const priorityClassName = fieldAt(pod, 'priorityClassName');
  return {
    nodeClaim: { nodeSelector, tolerations, hardNodeAffinity },
    ...(!isBlank(priorityClassName) && { priorityClassName }),
  };
}
