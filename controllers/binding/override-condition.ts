import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { type NewCondition, putConditions } from '../../client/runtime/conditions.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { shownList } from '../../lib/shown-list.js';

/** An override that was refused for a cluster, because it would move the object out of its namespace. */
export interface RefusedOverride {
  readonly cluster: string;
  readonly text: string;
}

// differs: Karmada has no such condition. It is set only after an override of the binding was refused.
const type = 'OverridesAccepted';

const shownClusters = 10;

function refused(refusals: readonly RefusedOverride[]): NewCondition {
  const sorted = refusals.toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
  const clusters = shownList(sorted, shownClusters, ({ cluster }) => cluster);
  const message = `Nothing was applied to the clusters ${clusters}: ${refusals[0]?.text ?? ''}`;
  return { type, status: 'False', reason: 'TenantBoundaryCrossed', message };
}

const accepted: NewCondition = {
  type,
  status: 'True',
  reason: 'OverridesAccepted',
  message: 'All override policies stay within their namespace.',
};

/** Writes the condition of a binding. A binding without any refused override, now or before, is not written. */
export async function putOverrideCondition(
  binding: Binding,
  refusals: readonly RefusedOverride[],
  { client, clock }: ControllerContext,
): Promise<void> {
  if (refusals.length === 0 && findCondition(binding.status?.conditions, type)?.status !== 'False') return;
  const resource = binding.metadata.namespace ? resources.resourceBindings : resources.clusterResourceBindings;
  await putConditions(client, resource, binding, [refusals.length > 0 ? refused(refusals) : accepted], clock.now());
}
