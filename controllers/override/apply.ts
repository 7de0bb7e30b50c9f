import type { KubeObject } from '../../openapi/interface.js';
import { clusterMatches } from '../../registry/kinds/karmada/cluster-affinity.js';
import { bestImplicitPriority, matchesKind, noMatch } from '../../registry/kinds/karmada/resource-selector.js';
import type { Cluster, OverridePolicy, Overriders } from '../../registry/kinds/karmada/types.js';
import { overrideCommand } from './command-overrider.js';
import { overrideField } from './field-overrider.js';
import { overrideImages } from './image-overrider.js';
import type { AppliedOverride, ApplyOverrides, OverrideReport } from './interface.js';
import { overrideMap } from './map-overrider.js';
import { patchOp, strictPatch } from './patch.js';

/** See `ApplyOverrides`. */
export const applyOverrides: ApplyOverrides = (object, cluster, policies, report) => {
  const { namespace } = object.metadata;
  const clusterWide = policies.filter(({ kind }) => kind === 'ClusterOverridePolicy');
  const own = policies.filter(
    ({ kind, metadata }) => kind === 'OverridePolicy' && namespace && metadata.namespace === namespace,
  );
  const first = applyAll(object, cluster, clusterWide, report);
  // Policies of the namespace are matched against what the cluster-wide ones made.
  const second = applyAll(first.object, cluster, own, report);
  return { object: second.object, clusterOverrides: first.applied, overrides: second.applied };
};

/** From the widest match to the closest, by name among equals: the last word has the closest match and the last name (CTL-035). */
function applyAll(
  object: KubeObject,
  cluster: Cluster,
  policies: readonly OverridePolicy[],
  report: OverrideReport | undefined,
): { object: KubeObject; applied: AppliedOverride[] } {
  const matching = policies
    .map(policy => ({ policy, priority: priorityOf(object, policy) }))
    .filter(({ priority }) => priority > noMatch)
    .sort((a, b) => a.priority - b.priority || (nameOf(a.policy) < nameOf(b.policy) ? -1 : 1));
  const applied: AppliedOverride[] = [];
  let result = object;
  for (const { policy } of matching) {
    for (const overriders of overridersFor(policy, cluster)) {
      try {
        result = applyOne(result, overriders);
      } catch (error) {
        report?.(policy, false);
        throw error;
      }
      report?.(policy, true);
      applied.push({ policyName: nameOf(policy), overriders });
    }
  }
  // Stable: the rules of one policy stay in their order.
  applied.sort((a, b) => (a.policyName < b.policyName ? -1 : a.policyName > b.policyName ? 1 : 0));
  return { object: result, applied };
}

const nameOf = (policy: OverridePolicy): string => policy.metadata.name ?? '';

/** No selectors select everything, as widely as can be. */
function priorityOf(object: KubeObject, { spec }: OverridePolicy): number {
  return spec.resourceSelectors?.length ? bestImplicitPriority(object, spec.resourceSelectors) : matchesKind;
}

function overridersFor({ spec }: OverridePolicy, cluster: Cluster): Overriders[] {
  const rules = spec.overrideRules?.length
    ? spec.overrideRules
    : [{ ...(spec.targetCluster ? { targetCluster: spec.targetCluster } : {}), overriders: spec.overriders ?? {} }];
  return rules
    .filter(({ targetCluster }) => !targetCluster || clusterMatches(cluster, targetCluster))
    .map(({ overriders }) => overriders);
}

/** One rule; its overriders come in a fixed order, plaintext last (API-036). */
function applyOne(object: KubeObject, overriders: Overriders): KubeObject {
  let result = object;
  for (const image of overriders.imageOverrider ?? []) result = overrideImages(result, image);
  for (const command of overriders.commandOverrider ?? []) result = overrideCommand(result, 'command', command);
  for (const args of overriders.argsOverrider ?? []) result = overrideCommand(result, 'args', args);
  for (const labels of overriders.labelsOverrider ?? []) result = overrideMap(result, 'labels', labels);
  for (const notes of overriders.annotationsOverrider ?? []) result = overrideMap(result, 'annotations', notes);
  for (const field of overriders.fieldOverrider ?? []) result = overrideField(result, field);
  return strictPatch(
    result,
    (overriders.plaintext ?? []).map(operation => patchOp(operation.path, operation)),
  );
}
