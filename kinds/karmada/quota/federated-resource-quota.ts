/** Validates FederatedResourceQuotas. as pkg/webhook/federatedresourcequota */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { byteLength, labelMaxLength } from '../../../apimachinery/meta/names.js';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityText,
  zeroQuantity,
} from '../../../apimachinery/quantity/quantity.js';
import { quotaAmounts } from '../../kubernetes/core/limits/resource-quota-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { clusterName } from '../clusters/cluster-rules.js';
import { ruleRefusal } from '../refusal.js';
import type { WebhookRule } from '../rules.js';
import type { ResourceList } from '../../../api/karmada/types.js';

export interface FederatedResourceQuota extends KubeObject {
  spec: { overall: ResourceList; staticAssignments?: { clusterName: string; hard: ResourceList }[] };
  status?: {
    overall?: ResourceList;
    overallUsed?: ResourceList;
    aggregatedStatus?: { clusterName: string; hard?: ResourceList; used?: ResourceList }[];
  };
}

/** The amounts that are assigned to clusters must exist in `overall`, and must not exceed it. */
function assignments(spec: Field<FederatedResourceQuota['spec']>): void {
  const given = spec.at('staticAssignments');
  for (const [name, overall] of spec.at('overall').entries()) {
    const sum = (given.value ?? []).reduce(
      (total, { hard }) => (hard?.[name] === undefined ? total : addQuantities(total, parseQuantity(hard[name]))),
      zeroQuantity,
    );
    const limit = parseQuantity(overall.value ?? '0');
    if (compareQuantities(limit, sum) < 0) overall.invalid('overall is less than assignments', quantityText(limit));
  }
  const known = spec.at('overall').value ?? {};
  for (const assignment of given.items())
    for (const [name, amount] of assignment.at('hard').entries())
      if (known[name] === undefined) amount.invalid('assignment resourceName is not exist in overall', name);
}

function quota(root: Field<FederatedResourceQuota>): void {
  const name = root.at('metadata').at('name');
  // The name becomes the value of a label.
  if (byteLength(name.value ?? '') > labelMaxLength) name.invalid(`must be no more than ${labelMaxLength} characters`);
  const spec = root.at('spec');
  quotaAmounts(spec.at('overall'));
  for (const assignment of spec.at('staticAssignments').items()) {
    clusterName(assignment.at('clusterName'));
    quotaAmounts(assignment.at('hard'));
  }
  assignments(spec);
  const status = root.at('status');
  quotaAmounts(status.at('overall'));
  quotaAmounts(status.at('overallUsed'));
  for (const cluster of status.at('aggregatedStatus').items()) {
    clusterName(cluster.at('clusterName'));
    quotaAmounts(cluster.at('hard'));
    quotaAmounts(cluster.at('used'));
  }
}

/**
 * Refuses assignments that exceed the quota, or name a resource that it does not limit.
 * as pkg/webhook/federatedresourcequota ValidatingAdmission.Handle
 */
export const validateFederatedResourceQuota: WebhookRule<FederatedResourceQuota> = object => ruleRefusal(object, quota);
