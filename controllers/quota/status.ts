import { deepEqual } from '../../lib/json/equality.js';
import type { FederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import type { Work } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { wakeOnGeneration } from '../../client/runtime/generation.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { quotaStatus } from './quota-status.js';
import { cachedQuotaKeyOf, quotaWorkIndexers } from './static-assignments.js';
import { writeQuotaStatus } from './write-status.js';

interface QuotaStatusOptions {
  /** Admission charges quotas and writes the usage (gate FederatedQuotaEnforcement). */
  readonly enforced: boolean;
}

/** Aggregates the usage that clusters report into the status of the FederatedResourceQuota. */
export function startQuotaStatus(context: ControllerContext, { enforced }: QuotaStatusOptions): void {
  const { informers } = context;
  const recorder = context.recorder('federated-resource-quota-status-controller');
  const quotas = informers.informer<FederatedResourceQuota>(resources.federatedResourceQuotas);
  const works = informers.informer<Work>(resources.works, { indexers: quotaWorkIndexers });
  context.run({
    name: 'federated-resource-quota-status-controller',
    synced: [quotas.synced, works.synced],
    wire: queue => {
      wakeOnGeneration(queue, quotas);
      works.onChange(change => {
        const key = cachedQuotaKeyOf(change.oldCached);
        if (key && !(change.new && deepEqual(change.old?.status, change.new.status))) queue.add(key);
      });
    },
    reconcile: async key => {
      const quota = quotas.get(key);
      if (!quota || quota.metadata.deletionTimestamp) return;
      const reported = works.byIndex('quota', key);
      const statusOf = (current: FederatedResourceQuota) => quotaStatus(current, reported, enforced);
      await writeQuotaStatus(context, recorder, quota, 'AggregateStatus', statusOf);
    },
  });
}
