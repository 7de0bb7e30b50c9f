/** What the ResourceQuotas of a namespace leave for a workload. as pkg/estimator/server/framework/plugins/resourcequota */
import { addAmount, type Amounts } from '../../../apimachinery/quantity/amounts.js';
import {
  multiplyQuantity,
  parseQuantity,
  type Quantity,
  quantitySign,
  subtractQuantities,
} from '../../../apimachinery/quantity/quantity.js';
import {
  matchesRequirement,
  requirementFaults,
  selectorOperators,
} from '../../../apimachinery/selectors/label-requirement.js';
import type { Component, ReplicaRequirements } from '../../../api/karmada/types.js';
import { roundedAmount } from '../../../kinds/karmada/quota/counted-amount.js';
import { isExtendedResource } from '../../../kinds/shared/rules/resource-names.js';
import { ownValue } from '../../../lib/collections/own-value.js';
import type { AssumedWorkload } from '../../interface.js';
import { maxInt32 } from '../resource-summary.js';
import { resourceValue } from '../resource-value.js';
import type { EstimatedQuota, ScopeRequirement } from './interface.js';

const requests = 'requests.';

const isComputeResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isExtendedResource(name);

// --- scopes ---------------------------------------------------------------------------------------------------------

/** Whether pods are terminating, their QoS and their affinity cannot be estimated: these scopes match nothing. */
function scopeMatches({ scopeName, operator, values = [] }: ScopeRequirement, priorityClass: string): boolean {
  const known = ownValue(selectorOperators, operator);
  if (scopeName !== 'PriorityClass' || !known) return false;
  if (known === 'exists') return priorityClass !== '';
  const requirement = { key: scopeName, operator: known, values };
  const labels = priorityClass === '' ? {} : { [scopeName]: priorityClass };
  return requirementFaults(requirement).length === 0 && matchesRequirement(requirement, labels);
}

/** Returns whether a quota counts pods of a priority class. One scope that matches is enough, as in Karmada. */
function appliesTo({ spec }: EstimatedQuota): (requirements: ReplicaRequirements | undefined) => boolean {
  const scopes: ScopeRequirement[] = [
    ...(spec?.scopes ?? []).map(scopeName => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  if (scopes.length === 0) return () => true;
  return requirements =>
    requirements !== undefined && scopes.some(scope => scopeMatches(scope, requirements.priorityClassName ?? ''));
}

// --- amounts --------------------------------------------------------------------------------------------------------

/** Returns what is free of the resources that pods request. `requests.cpu` counts rather than `cpu`. */
function freeAmounts({ status }: EstimatedQuota): Map<string, Quantity> {
  const free = new Map<string, Quantity>();
  for (const name of Object.keys(status?.hard ?? {}).sort()) {
    const resource = name.startsWith(requests) ? name.slice(requests.length) : name;
    const [hard, used] = [status?.hard?.[name], status?.used?.[name]];
    if (!isComputeResource(resource) || hard === undefined || used === undefined) continue;
    free.set(resource, subtractQuantities(parseQuantity(hard), parseQuantity(used)));
  }
  return free;
}

/** Returns the sum of the requests of all replicas. */
function totalOf(components: readonly Component[]): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const { replicas, replicaRequirements } of components)
    for (const [name, text] of Object.entries(replicaRequirements?.resourceRequest ?? {})) {
      if (!isComputeResource(name)) continue;
      addAmount(total, name, multiplyQuantity(roundedAmount(name, parseQuantity(text)), replicas));
    }
  return total;
}

/** Subtracts amounts from the free ones. Returns false if one is not free. */
function take(free: Map<string, Quantity>, wanted: Amounts): boolean {
  for (const [name, amount] of wanted) {
    const available = free.get(name);
    if (!available) continue;
    const left = subtractQuantities(available, amount);
    if (quantitySign(left) < 0) return false;
    free.set(name, left);
  }
  return true;
}

/** Returns how often the wanted amounts are free. Resources that the quota does not limit do not count. as pkg/util Resource.MaxDivided */
function timesFree(free: Amounts, wanted: Amounts): number {
  let result = Infinity;
  for (const [name, amount] of wanted) {
    const available = free.get(name);
    const value = resourceValue(name, amount);
    if (available && value > 0) result = Math.min(result, Math.trunc(resourceValue(name, available) / value));
  }
  return result > maxInt32 ? maxInt32 : result;
}

/** Returns the components of the assumed workloads of a namespace. */
const assumedIn = (assumed: readonly AssumedWorkload[], namespace: string): Component[] =>
  assumed.filter(workload => workload.namespace === namespace).flatMap(({ components }) => components);

/** Returns how often the wanted amounts are free in a quota after the assumed components took theirs. */
function timesLeft(quota: EstimatedQuota, wanted: Amounts, assumed: readonly Component[]): number {
  const free = freeAmounts(quota);
  const applies = appliesTo(quota);
  const taken = assumed.filter(({ replicaRequirements }) => replicaRequirements && applies(replicaRequirements));
  return take(free, totalOf(taken)) ? timesFree(free, wanted) : 0;
}

// --- estimates ------------------------------------------------------------------------------------------------------

/** Returns how many replicas the quotas of their namespace allow. Throws if a quantity is malformed. */
export function replicasInQuotas(
  quotas: readonly EstimatedQuota[],
  requirements: ReplicaRequirements,
  assumed: readonly AssumedWorkload[] = [],
): number {
  const wanted = new Map(
    Object.entries(requirements.resourceRequest ?? {}).map(([name, text]) => [name, parseQuantity(text)]),
  );
  const others = assumedIn(assumed, requirements.namespace ?? '');
  const limits = quotas.filter(quota => appliesTo(quota)(requirements)).map(quota => timesLeft(quota, wanted, others));
  return Math.min(maxInt32, ...limits);
}

/** Returns how many sets of components the quotas of their namespace allow. Throws if a quantity is malformed. */
export function setsInQuotas(
  quotas: readonly EstimatedQuota[],
  { namespace, components }: AssumedWorkload,
  assumed: readonly AssumedWorkload[] = [],
): number {
  const others = assumedIn(assumed, namespace);
  const limits = quotas.map(quota => {
    const applies = appliesTo(quota);
    const matched = components.filter(({ replicaRequirements }) => applies(replicaRequirements));
    return matched.length === 0 ? maxInt32 : timesLeft(quota, totalOf(matched), others);
  });
  return Math.min(maxInt32, ...limits);
}
