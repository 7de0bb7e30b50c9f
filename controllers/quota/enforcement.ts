import type { FederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import type { Binding, ResourceList } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { deepEqual } from '../../lib/json/equality.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { NamespaceUsage } from './namespace-usage.js';
import { type QuotaStatus, usedOf } from './quota-status.js';
import { writeQuotaStatus } from './write-status.js';

interface QuotaEnforcementOptions {
  /** Value of `--federated-resource-quota-sync-period` in milliseconds; 0: never. */
  readonly syncPeriodMs: number;
}

/**
 * Milliseconds from a change of the usage, or of what is charged, until the charge is compared with the usage. Admission charges a quota before the
 * binding is stored, and charges again when the server repeats a write after a conflict.
 *
 * differs: Karmada finds a wrong charge in the next period.
 */
const recheckMs = 1000;

const overallUsed = (quota: FederatedResourceQuota): ResourceList => quota.status?.overallUsed ?? {};

/**
 * Keeps `overallUsed` of a FederatedResourceQuota correct (gate FederatedQuotaEnforcement): admission charges every binding that
 * grows; this controller releases the usage of deleted bindings and corrects charges of writes that failed or were repeated.
 */
export function startQuotaEnforcement(context: ControllerContext, { syncPeriodMs }: QuotaEnforcementOptions): void {
  const { informers } = context;
  const recorder = context.recorder('federated-resource-quota-enforcement-controller');
  const quotas = informers.informer<FederatedResourceQuota>(resources.federatedResourceQuotas);
  const bindings = informers.informer<Binding>(resources.resourceBindings);
  const usage = new NamespaceUsage();
  context.run({
    name: 'federated-resource-quota-enforcement-controller',
    synced: [quotas.synced, bindings.synced],
    wire: queue => {
      quotas.onChange(({ key, old, new: quota }) => {
        if (!quota) return;
        if (!(old && deepEqual(old.spec.overall, quota.spec.overall))) queue.add(key);
        else if (!deepEqual(overallUsed(old), overallUsed(quota))) queue.addAfter(key, recheckMs);
      });
      bindings.onChange(({ old, new: binding }) => {
        if (!usage.replace(old, binding)) return;
        for (const quota of quotas.list((binding ?? old)?.metadata.namespace))
          queue.addAfter(keyOf(quota), binding ? recheckMs : 0);
      });
    },
    reconcile: async key => {
      const quota = quotas.get(key);
      if (!quota || quota.metadata.deletionTimestamp) return undefined;
      const statusOf = ({ status = {} }: FederatedResourceQuota): QuotaStatus => {
        const used = usedOf(quota, usage.of(quota.metadata.namespace ?? ''));
        const { overallUsed: _, ...rest } = status;
        return { ...rest, overall: quota.spec.overall, ...(Object.keys(used).length > 0 ? { overallUsed: used } : {}) };
      };
      // Most charges are right, and need no Event.
      if (!deepEqual(quota.status, statusOf(quota)))
        await writeQuotaStatus(context, recorder, quota, 'CollectOverallStatus', statusOf);
      return syncPeriodMs > 0 ? { againAfter: syncPeriodMs } : undefined;
    },
  });
}
