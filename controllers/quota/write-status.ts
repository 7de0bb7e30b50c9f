import { errorText } from '../../apimachinery/errors/error-text.js';
import type { FederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import { resources } from '../../api/karmada/well-known.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, EventRecorder } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';

/** Updates the status of a quota, and records an event with the reason `WHATSucceed` or `WHATFailed`. Rethrows the error. */
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
