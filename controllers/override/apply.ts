import { TimeSlice } from '../../lib/time-slice.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import { bestImplicitPriority, matchesKind, noMatch } from '../../kinds/karmada/resource-selector.js';
import type { TenantBoundaries } from '../../kinds/karmada/tenant-boundaries.js';
import type { Cluster, OverridePolicy, Overriders } from '../../api/karmada/types.js';
import { BoundaryError, boundaryCrossed } from './boundary.js';
import { overrideCommand } from './command-overrider.js';
import { overrideField } from './field-overrider.js';
import { overrideImages } from './image-overrider.js';
import type { AppliedOverride, ApplyOverrides, OverrideReport } from './interface.js';
import { overrideMap } from './map-overrider.js';
import { patchOp, strictPatch } from './patch.js';
import type { PatchText } from './text-patcher.js';

/** Milliseconds that overrides hold the event loop before others have it. */
const slice = 10;

/** What a rule is applied with. */
interface Means {
  readonly patchText: PatchText;
  readonly slice: TimeSlice;
  readonly report: OverrideReport | undefined;
  /** Compares what a rule made with what it was given. */
  readonly judge?: Judge | undefined;
}

type Judge = (policy: OverridePolicy, before: KubeObject, after: KubeObject) => void;

/** Throws BoundaryError in the mode `enforce`. */
function judgeOf(boundaries: TenantBoundaries, report: OverrideReport | undefined): Judge | undefined {
  if (boundaries === 'off') return undefined;
  return (policy, before, after) => {
    const text = boundaryCrossed(policy, before, after);
    if (text === undefined) return;
    report?.crossed(text);
    if (boundaries === 'enforce') throw new BoundaryError(text);
  };
}

export interface OverridingDeps {
  readonly boundaries: TenantBoundaries;
  readonly patchText: PatchText;
}

/** Returns an `ApplyOverrides`. ClusterOverridePolicies are an administrator's, and have no limits in any mode. */
export const overriding =
  ({ boundaries, patchText }: OverridingDeps): ApplyOverrides =>
  async (object, cluster, policies, report) => {
    const means: Means = { patchText, slice: new TimeSlice(slice), report };
    const { namespace } = object.metadata;
    const clusterWide = policies.filter(({ kind }) => kind === 'ClusterOverridePolicy');
    const own = policies.filter(
      ({ kind, metadata }) => kind === 'OverridePolicy' && namespace && metadata.namespace === namespace,
    );
    const first = await applyAll(object, cluster, clusterWide, means);
    // Policies of the namespace are matched against what the cluster-wide ones made.
    const second = await applyAll(first.object, cluster, own, { ...means, judge: judgeOf(boundaries, report) });
    return { object: second.object, clusterOverrides: first.applied, overrides: second.applied };
  };

/** From the widest match to the closest, by name among equals: the last word has the closest match and the last name. */
async function applyAll(
  object: KubeObject,
  cluster: Cluster,
  policies: readonly OverridePolicy[],
  means: Means,
): Promise<{ object: KubeObject; applied: AppliedOverride[] }> {
  const { judge, report } = means;
  const matching: { readonly policy: OverridePolicy; readonly priority: number }[] = [];
  for (const policy of policies) {
    await means.slice.pause();
    const priority = priorityOf(object, policy);
    if (priority > noMatch) matching.push({ policy, priority });
  }
  matching.sort((a, b) => a.priority - b.priority || (nameOf(a.policy) < nameOf(b.policy) ? -1 : 1));
  const applied: AppliedOverride[] = [];
  let result = object;
  for (const { policy } of matching) {
    for (const overriders of overridersFor(policy, cluster)) {
      try {
        const next = await applyOne(result, overriders, means);
        judge?.(policy, result, next);
        result = next;
      } catch (error) {
        report?.ruled(policy, false);
        throw error;
      }
      report?.ruled(policy, true);
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

/** Applies one rule; its overriders come in a fixed order, plaintext last. as pkg/util/overridemanager applyPolicyOverriders */
async function applyOne(object: KubeObject, overriders: Overriders, means: Means): Promise<KubeObject> {
  await means.slice.pause();
  let result = object;
  const steps: readonly ((object: KubeObject) => KubeObject)[] = [
    ...(overriders.imageOverrider ?? []).map(image => (object: KubeObject) => overrideImages(object, image)),
    ...(overriders.commandOverrider ?? []).map(
      command => (object: KubeObject) => overrideCommand(object, 'command', command),
    ),
    ...(overriders.argsOverrider ?? []).map(args => (object: KubeObject) => overrideCommand(object, 'args', args)),
    object => overrideMap(object, 'labels', overriders.labelsOverrider ?? []),
    object => overrideMap(object, 'annotations', overriders.annotationsOverrider ?? []),
  ];
  for (const step of steps) {
    // Each goes through all containers or labels.
    await means.slice.pause();
    result = step(result);
  }
  for (const field of overriders.fieldOverrider ?? []) {
    await means.slice.pause();
    result = await overrideField(result, field, means.patchText);
  }
  await means.slice.pause();
  return strictPatch(
    result,
    (overriders.plaintext ?? []).map(operation => patchOp(operation.path, operation)),
  );
}
