import { addQuantities, parseQuantity, quantityText } from '../../openapi/meta/quantity.js';
import { isApplied } from '../../registry/kinds/karmada/conditions.js';
import type { FederatedResourceQuota } from '../../registry/kinds/karmada/federated-resource-quota.js';
import { clusterOfExecutionNamespace } from '../../registry/kinds/karmada/names.js';
import type { ResourceList, Work } from '../../registry/kinds/karmada/types.js';

export type QuotaStatus = NonNullable<FederatedResourceQuota['status']>;
type ClusterQuotaStatus = NonNullable<QuotaStatus['aggregatedStatus']>[number];

/** What the quota of each cluster says of itself, by cluster; clusters that have it not, or say nothing yet, are left out. */
export function clusterStatuses(works: readonly Work[]): ClusterQuotaStatus[] {
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

/** What all clusters use together. */
export function sumOfUsed(statuses: readonly ClusterQuotaStatus[]): ResourceList {
  const sum: ResourceList = {};
  for (const { used } of statuses) {
    for (const [name, text] of Object.entries(used ?? {})) {
      const known = sum[name];
      sum[name] = known === undefined ? text : quantityText(addQuantities(parseQuantity(known), parseQuantity(text)));
    }
  }
  return sum;
}

/** The status of a quota whose use is what its clusters report (gate FederatedQuotaEnforcement off). */
export function quotaStatus({ spec }: FederatedResourceQuota, works: readonly Work[]): QuotaStatus {
  const statuses = clusterStatuses(works);
  const used = sumOfUsed(statuses);
  return {
    overall: spec.overall,
    ...(Object.keys(used).length > 0 ? { overallUsed: used } : {}),
    ...(statuses.length > 0 ? { aggregatedStatus: statuses } : {}),
  };
}
