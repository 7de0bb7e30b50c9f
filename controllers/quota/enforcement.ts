import type { FederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { deepEqual } from '../../lib/json/equality.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { usedByBindings } from './quota-status.js';
import { writeQuotaStatus } from './write-status.js';

interface QuotaEnforcementOptions {
  /** Value of `--federated-resource-quota-sync-period` in milliseconds; 0: never. */
  readonly syncPeriod: number;
}

/**
 * Milliseconds after a correction until the usage is computed again. Admission charges a quota before the binding is stored: a correction in between does
 * not count the binding, and takes its charge back.
 *
 * differs: Karmada finds it in the next period.
 */
const recheckMs = 1000;

/**
 * Keeps `overallUsed` of a FederatedResourceQuota correct (gate FederatedQuotaEnforcement): admission charges every binding that
 * grows; this controller releases the usage of deleted bindings and, every period, corrects charges of writes that failed.
 */
export function startQuotaEnforcement(context: ControllerContext, { syncPeriod }: QuotaEnforcementOptions): void {
  const { informers } = context;
  const recorder = context.recorder('federated-resource-quota-enforcement-controller');
  const quotas = informers.informer<FederatedResourceQuota>(resources.federatedResourceQuotas);
  const bindings = informers.informer<Binding>(resources.resourceBindings);
  context.run({
    name: 'federated-resource-quota-enforcement-controller',
    synced: [quotas.synced, bindings.synced],
    wire: queue => {
      quotas.onChange(({ old, new: quota }) => {
        if (quota && !(old && deepEqual(old.spec.overall, quota.spec.overall))) queue.add(keyOf(quota));
      });
      bindings.onChange(({ old, new: binding }) => {
        if (old && !binding) for (const quota of quotas.list(old.metadata.namespace)) queue.add(keyOf(quota));
      });
    },
    reconcile: async key => {
      const quota = quotas.get(key);
      if (!quota || quota.metadata.deletionTimestamp) return undefined;
      let isCorrected = false;
      await writeQuotaStatus(context, recorder, quota, 'CollectOverallStatus', ({ status = {} }) => {
        const overallUsed = usedByBindings(quota, bindings.list(quota.metadata.namespace));
        const { overallUsed: before = {}, ...rest } = status;
        isCorrected = !deepEqual(before, overallUsed);
        const used = Object.keys(overallUsed).length > 0 ? { overallUsed } : {};
        return { ...rest, overall: quota.spec.overall, ...used };
      });
      if (isCorrected) return { againAfter: recheckMs };
      return syncPeriod > 0 ? { againAfter: syncPeriod } : undefined;
    },
  });
}
