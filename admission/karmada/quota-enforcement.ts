import { isConflict, StatusError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import { bindingUsage, mayUseOtherwise, usageChange } from '../../kinds/karmada/quota/binding-usage.js';
import type { FederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import { chargeQuota } from '../../kinds/karmada/quota/quota-charge.js';
import type { Binding, ResourceList } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Denial } from '../webhook-refusal.js';

const attempts = 5;

interface Charged {
  readonly quota: FederatedResourceQuota;
  readonly used: ResourceList;
}

const internalError = (text: string): Denial => ({ code: 500, message: `Internal error occurred: ${text}` });

/**
 * Charges the additional usage of a binding to the quotas of the namespace, or returns a denial if one of them would be exceeded. All
 * quotas are checked before any is charged. A dry run charges nothing.
 */
// as pkg/webhook/resourcebinding validateFederatedResourceQuota
export async function enforceQuotas(
  client: Client,
  binding: Binding,
  old: Binding | undefined,
  dryRun: boolean,
): Promise<Denial | undefined> {
  const { namespace = '', name = '' } = binding.metadata;
  if (old ? !mayUseOtherwise(binding.spec, old.spec) : !binding.spec.clusters?.length) return undefined;
  const change = usageChange(bindingUsage(binding.spec), old ? bindingUsage(old.spec) : new Map());
  if (change.size === 0) return undefined;

  const chargedUids = new Set<string>();
  /** Returns the quotas to write, or the message of an exceeded one. */
  const plan = async (): Promise<readonly Charged[] | string> => {
    const charged: Charged[] = [];
    for (const quota of (await client.list(resources.federatedResourceQuotas, { namespace })).items) {
      if (chargedUids.has(quota.metadata.uid ?? '')) continue;
      const charge = chargeQuota(quota as FederatedResourceQuota, change);
      if (charge.type === 'exceeded') return charge.message;
      if (charge.type === 'charged') charged.push({ quota: quota as FederatedResourceQuota, used: charge.used });
    }
    return charged;
  };

  for (let attempt = 1; ; attempt++) {
    const charged = await plan();
    if (typeof charged === 'string') return { code: 403, reason: 'QuotaExceeded', message: charged };
    try {
      for (const { quota, used } of charged) {
        const status = { ...quota.status, overallUsed: used };
        await client.update(resources.federatedResourceQuotas, { ...quota, status }, { subresource: 'status', dryRun });
        chargedUids.add(quota.metadata.uid ?? '');
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const where = `RB ${namespace}/${name}: ${error.message}`;
      if (!isConflict(error)) return internalError(`permanent error updating FRQ statuses for ${where}`);
      if (attempt === attempts)
        return internalError(`failed to apply FederatedResourceQuota updates after multiple retries for ${where}`);
    }
  }
}
