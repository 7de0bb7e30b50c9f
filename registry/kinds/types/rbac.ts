/**
 * The native types of rbac, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as meta from './meta.js';

export interface AggregationRule {
  clusterRoleSelectors?: meta.LabelSelector[];
}

export interface ClusterRole extends KubeObject {
  aggregationRule?: AggregationRule;
  rules?: PolicyRule[];
}

export interface ClusterRoleBinding extends KubeObject {
  roleRef?: RoleRef;
  subjects?: Subject[];
}

export interface PolicyRule {
  apiGroups?: string[];
  nonResourceURLs?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs?: string[];
}

export interface Role extends KubeObject {
  rules?: PolicyRule[];
}

export interface RoleBinding extends KubeObject {
  roleRef?: RoleRef;
  subjects?: Subject[];
}

export interface RoleRef {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

export interface Subject {
  apiGroup?: string;
  kind?: string;
  name?: string;
  namespace?: string;
}
