/**
 * The native types of flowcontrol, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';

export interface ExemptPriorityLevelConfiguration {
  lendablePercent?: number;
  nominalConcurrencyShares?: number;
}

export interface FlowDistinguisherMethod {
  type?: string;
}

export interface FlowSchema extends KubeObject {
  spec?: FlowSchemaSpec;
  status?: FlowSchemaStatus;
}

export interface FlowSchemaCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface FlowSchemaSpec {
  distinguisherMethod?: FlowDistinguisherMethod;
  matchingPrecedence?: number;
  priorityLevelConfiguration?: PriorityLevelConfigurationReference;
  rules?: PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  conditions?: FlowSchemaCondition[];
}

export interface GroupSubject {
  name?: string;
}

export interface LimitResponse {
  queuing?: QueuingConfiguration;
  type?: string;
}

export interface LimitedPriorityLevelConfiguration {
  borrowingLimitPercent?: number;
  lendablePercent?: number;
  limitResponse?: LimitResponse;
  nominalConcurrencyShares?: number;
}

export interface NonResourcePolicyRule {
  nonResourceURLs?: string[];
  verbs?: string[];
}

export interface PolicyRulesWithSubjects {
  nonResourceRules?: NonResourcePolicyRule[];
  resourceRules?: ResourcePolicyRule[];
  subjects?: Subject[];
}

export interface PriorityLevelConfiguration extends KubeObject {
  spec?: PriorityLevelConfigurationSpec;
  status?: PriorityLevelConfigurationStatus;
}

export interface PriorityLevelConfigurationCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface PriorityLevelConfigurationReference {
  name?: string;
}

export interface PriorityLevelConfigurationSpec {
  exempt?: ExemptPriorityLevelConfiguration;
  limited?: LimitedPriorityLevelConfiguration;
  type?: string;
}

export interface PriorityLevelConfigurationStatus {
  conditions?: PriorityLevelConfigurationCondition[];
}

export interface QueuingConfiguration {
  handSize?: number;
  queueLengthLimit?: number;
  queues?: number;
}

export interface ResourcePolicyRule {
  apiGroups?: string[];
  clusterScope?: boolean;
  namespaces?: string[];
  resources?: string[];
  verbs?: string[];
}

export interface ServiceAccountSubject {
  name?: string;
  namespace?: string;
}

export interface Subject {
  group?: GroupSubject;
  kind?: string;
  serviceAccount?: ServiceAccountSubject;
  user?: UserSubject;
}

export interface UserSubject {
  name?: string;
}
