import { deepEqual } from '../../openapi/meta/equality.js';
import { errorText } from '../../openapi/meta/error-text.js';
import type { FederatedResourceQuota } from '../../registry/kinds/karmada/quota/federated-resource-quota.js';
import type { Work } from '../../registry/kinds/karmada/types.js';
import { resources } from '../../registry/kinds/karmada/well-known.js';
import { keyOf } from '../runtime/informer.js';
import type { ControllerContext } from '../runtime/interface.js';
import { updateObject } from '../runtime/update.js';
import { quotaStatus } from './quota-status.js';
import { quotaKeyOf, quotaWorkIndexers } from './static-assignments.js';

export interface QuotaStatusOptions {
  /** Admission charges quotas, and says what is used (gate FederatedQuotaEnforcement). */
  readonly enforced: boolean;
}

/** Gathers what clusters use of a FederatedResourceQuota onto it. */
export function startQuotaStatus(context: ControllerContext, { enforced }: QuotaStatusOptions): void {
  const { client, informers } = context;
  const recorder = context.recorder('federated-resource-quota-status-controller');
  const quotas = informers.informer<FederatedResourceQuota>(resources.federatedResourceQuotas);
  const works = informers.informer<Work>(resources.works, { indexers: quotaWorkIndexers });
  context.run({
    name: 'federated-resource-quota-status-controller',
    synced: [quotas.synced, works.synced],
    wire: queue => {
      quotas.onChange(({ old, new: quota }) => {
        if (quota && old?.metadata.generation !== quota.metadata.generation) queue.add(keyOf(quota));
      });
      works.onChange(({ old, new: work }) => {
        const key = old && quotaKeyOf(old);
        if (key && !(work && deepEqual(old.status, work.status))) queue.add(key);
      });
    },
    reconcile: async key => {
      const quota = quotas.get(key);
      if (!quota || quota.metadata.deletionTimestamp) return;
      try {
        const reported = works.byIndex('quota', key);
        await updateObject(
          client,
          resources.federatedResourceQuotas,
          quota,
          draft => {
            draft.status = quotaStatus(draft, reported, enforced);
          },
          { subresource: 'status' },
        );
      } catch (error) {
        const text = errorText(error);
        recorder.event(quota, 'Warning', 'AggregateStatusFailed', text);
        throw error;
      }
      const message = `Collect status of FederatedResourceQuota(${key}) succeed.`;
      recorder.event(quota, 'Normal', 'AggregateStatusSucceed', message);
    },
  });
}
