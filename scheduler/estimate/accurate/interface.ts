/** What the accurate estimator reads of the objects of a member. Nothing else of them has to be kept. */
import type { Labels } from '../../../apimachinery/selectors/label-requirement.js';
import type { ResourceList, Taint } from '../../../api/karmada/types.js';

export interface EstimatedNode {
  readonly metadata: { readonly labels?: Labels | undefined };
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  readonly status?: { readonly allocatable?: ResourceList };
}

interface EstimatedContainer {
  readonly resources?: { readonly requests?: ResourceList };
}

export interface EstimatedPod {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly EstimatedContainer[];
    readonly initContainers?: readonly EstimatedContainer[];
    readonly overhead?: ResourceList;
  };
  readonly status?: { readonly phase?: string };
}

export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface EstimatedQuota {
  readonly spec?: {
    readonly scopes?: readonly string[];
    readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
  };
  readonly status?: { readonly hard?: ResourceList; readonly used?: ResourceList };
}
