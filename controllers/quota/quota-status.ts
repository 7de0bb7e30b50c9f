import { type Amounts, addAmounts, amountsOf, amountsText } from '../../apimachinery/quantity/amounts.js';
import { type Quantity } from '../../apimachinery/quantity/quantity.js';
import { isApplied } from '../../kinds/karmada/conditions.js';
import type { FederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { ResourceList, Work } from '../../api/karmada/types.js';

export type QuotaStatus = NonNullable<FederatedResourceQuota['status']>;
type ClusterQuotaStatus = NonNullable<QuotaStatus['aggregatedStatus']>[number];

/** Returns the status of the ResourceQuota of each cluster, without clusters where it is not applied or has not reported yet. */
function clusterStatuses(works: readonly Work[]): ClusterQuotaStatus[] {
  return works
    .flatMap(work => {
      const clusterName = clusterOfExecutionNamespace(work.metadata.namespace ?? '');
      const [manifest] = work.status?.manifestStatuses ?? [];
      if (clusterName === undefined || !manifest || !isApplied(work)) return [];
      const { hard, used } = (manifest.status ?? {}) as { hard?: ResourceList; used?: ResourceList };
      return [{ clusterName, ...(hard ? { hard } : {}), ...(used ? { used } : {}) }];
    })
    .sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1));
}

/** Returns the sum of the usage of all clusters. */
function sumOfUsed(statuses: readonly ClusterQuotaStatus[]): ResourceList {
  const sum = new Map<string, Quantity>();
  for (const { used } of statuses) addAmounts(sum, amountsOf(used));
  return amountsText(sum);
}

/** Returns the part of a namespace's usage that the quota limits (gate FederatedQuotaEnforcement). */
export const usedOf = ({ spec }: FederatedResourceQuota, usage: Amounts): ResourceList =>
  amountsText(new Map([...usage].filter(([name]) => name in spec.overall)));

/** Returns the status of a quota from the reports of its clusters. If `enforced`, `overall` and `overallUsed` are left to others. */
export function quotaStatus(
  { spec, status }: FederatedResourceQuota,
  works: readonly Work[],
  enforced: boolean,
): QuotaStatus {
  const statuses = clusterStatuses(works);
  const aggregated = statuses.length > 0 ? { aggregatedStatus: statuses } : {};
  if (enforced) {
    const { aggregatedStatus: _, ...rest } = status ?? {};
    return { ...rest, ...aggregated };
  }
  const used = sumOfUsed(statuses);
  return { overall: spec.overall, ...(Object.keys(used).length > 0 ? { overallUsed: used } : {}), ...aggregated };
}
