import { errorText } from '../../openapi/meta/error-text.js';
import type { FederatedResourceQuota } from '../../registry/kinds/karmada/quota/federated-resource-quota.js';
import { resources } from '../../registry/kinds/karmada/well-known.js';
import { keyOf } from '../runtime/informer.js';
import type { ControllerContext, EventRecorder } from '../runtime/interface.js';
import { updateObject } from '../runtime/update.js';

/** Changes the status of a quota, and tells how that went by events with the reasons `WHATSucceed` and `WHATFailed`. */
export async function writeQuotaStatus(
  { client }: ControllerContext,
  recorder: EventRecorder,
  quota: FederatedResourceQuota,
  what: 'AggregateStatus' | 'CollectOverallStatus',
  statusOf: (quota: FederatedResourceQuota) => NonNullable<FederatedResourceQuota['status']>,
): Promise<void> {
  try {
    await updateObject(
      client,
      resources.federatedResourceQuotas,
      quota,
      draft => {
        draft.status = statusOf(draft);
      },
      { subresource: 'status' },
    );
  } catch (error) {
    recorder.event(quota, 'Warning', `${what}Failed`, errorText(error));
    throw error;
  }
  const message = `Collect status of FederatedResourceQuota(${keyOf(quota)}) succeed.`;
  recorder.event(quota, 'Normal', `${what}Succeed`, message);
}
