import { TimeSlice } from '../../lib/time-slice.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { bestImplicitPriority, matchesKind, noMatch } from '../../kinds/karmada/resource-selector.js';
import type { TenantBoundaries } from '../../kinds/karmada/tenant-boundaries.js';
import type { Cluster, OverridePolicy, Overriders } from '../../api/karmada/types.js';
import { BoundaryError, boundaryCrossed } from './boundary.js';
import { isForCluster, rulesOf } from './cluster-targets.js';
import { overrideCommand } from './command-overrider.js';
import { overrideField } from './field-overrider.js';
import { overrideImages } from './image-overrider.js';
import type { AppliedOverride, ApplyOverrides, OverrideReport } from './interface.js';
import { overrideMap } from './map-overrider.js';
import { patchOp, strictPatch } from './patch.js';
import type { PatchText } from './text-patcher.js';

/** Length of a time slice of overrides in milliseconds. */
const slice = 10;

/** The dependencies of one call of `ApplyOverrides`. */
interface ApplyDeps {
  readonly patchText: PatchText;
  readonly slice: TimeSlice;
  readonly report: OverrideReport | undefined;
  /** Checks the result of a rule. */
  readonly check?: BoundaryCheck | undefined;
}

type BoundaryCheck = (policy: OverridePolicy, before: KubeObject, after: KubeObject) => void;

/** Returns the check of tenant boundaries, which throws BoundaryError in the mode `enforce`; undefined in the mode `off`. */
function boundaryCheck(boundaries: TenantBoundaries, report: OverrideReport | undefined): BoundaryCheck | undefined {
  if (boundaries === 'off') return undefined;
  return (policy, before, after) => {
    const text = boundaryCrossed(policy, before, after);
    if (text === undefined) return;
    report?.crossed(text);
    if (boundaries === 'enforce') throw new BoundaryError(text);
  };
}

interface OverridingDeps {
  readonly boundaries: TenantBoundaries;
  readonly patchText: PatchText;
}

/** Returns an `ApplyOverrides`. ClusterOverridePolicies, which only administrators write, have no boundaries in any mode. */
export const overriding =
  ({ boundaries, patchText }: OverridingDeps): ApplyOverrides =>
  async (object, cluster, policies, report) => {
    const deps: ApplyDeps = { patchText, slice: new TimeSlice(slice), report };
    const { namespace } = object.metadata;
    const first = await applyAll(object, cluster, policies.clusterWide(object), deps);
    // Policies of the template's namespace match the result of the cluster-wide ones.
    const namespaced = namespace ? policies.namespaced(first.object, namespace) : [];
    const check = boundaryCheck(boundaries, report);
    const second = await applyAll(first.object, cluster, namespaced, { ...deps, check });
    return { object: second.object, clusterOverrides: first.applied, overrides: second.applied };
  };

/** Applies policies from the widest match to the closest, and by name among equals, so that the closest match and the last name win. */
async function applyAll(
  object: KubeObject,
  cluster: Cluster,
  policies: readonly OverridePolicy[],
  deps: ApplyDeps,
): Promise<{ object: KubeObject; applied: AppliedOverride[] }> {
  const { check, report } = deps;
  const matching: { readonly policy: OverridePolicy; readonly priority: number }[] = [];
  for (const policy of policies) {
    await deps.slice.pause();
    const priority = priorityOf(object, policy);
    if (priority > noMatch) matching.push({ policy, priority });
  }
  matching.sort((a, b) => a.priority - b.priority || (nameOf(a.policy) < nameOf(b.policy) ? -1 : 1));
  const applied: AppliedOverride[] = [];
  let result = object;
  for (const { policy } of matching) {
    for (const rule of rulesOf(policy)) {
      if (!isForCluster(rule, cluster)) continue;
      const { overriders } = rule;
      try {
        const next = await applyOne(result, overriders, deps);
        check?.(policy, result, next);
        result = next;
      } catch (error) {
        report?.ruled(policy, false);
        throw error;
      }
      report?.ruled(policy, true);
      applied.push({ policyName: nameOf(policy), overriders });
    }
  }
  // The sort is stable, so the rules of one policy keep their order.
  applied.sort((a, b) => (a.policyName < b.policyName ? -1 : a.policyName > b.policyName ? 1 : 0));
  return { object: result, applied };
}

const nameOf = (policy: OverridePolicy): string => policy.metadata.name ?? '';

/** Returns the implicit priority of a policy for an object. A policy without selectors matches every object, with the lowest priority. */
function priorityOf(object: KubeObject, { spec }: OverridePolicy): number {
  return spec.resourceSelectors?.length ? bestImplicitPriority(object, spec.resourceSelectors) : matchesKind;
}

/** Applies one rule, with its overriders in a fixed order, plaintext last. as pkg/util/overridemanager applyPolicyOverriders */
async function applyOne(object: KubeObject, overriders: Overriders, deps: ApplyDeps): Promise<KubeObject> {
  await deps.slice.pause();
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
    // Each step reads all containers or labels.
    await deps.slice.pause();
    result = step(result);
  }
  for (const field of overriders.fieldOverrider ?? []) {
    await deps.slice.pause();
    result = await overrideField(result, field, deps.patchText);
  }
  await deps.slice.pause();
  return strictPatch(
    result,
    (overriders.plaintext ?? []).map(operation => patchOp(operation.path, operation)),
  );
}
