/**
 * The native types of admissionregistration, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as meta from './meta.js';

export interface ApplyConfiguration {
  expression?: string;
}

export interface AuditAnnotation {
  key?: string;
  valueExpression?: string;
}

export interface ExpressionWarning {
  fieldRef?: string;
  warning?: string;
}

export interface JSONPatch {
  expression?: string;
}

export interface MatchCondition {
  expression?: string;
  name?: string;
}

export interface MatchResources {
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: string;
  namespaceSelector?: meta.LabelSelector;
  objectSelector?: meta.LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
}

export interface MutatingAdmissionPolicy extends KubeObject {
  spec?: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicyBinding extends KubeObject {
  spec?: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingSpec {
  matchResources?: MatchResources;
  paramRef?: ParamRef;
  policyName?: string;
}

export interface MutatingAdmissionPolicySpec {
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchConstraints?: MatchResources;
  mutations?: Mutation[];
  paramKind?: ParamKind;
  reinvocationPolicy?: string;
  variables?: Variable[];
}

export interface MutatingWebhook {
  admissionReviewVersions?: string[];
  clientConfig?: WebhookClientConfig;
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchPolicy?: string;
  name?: string;
  namespaceSelector?: meta.LabelSelector;
  objectSelector?: meta.LabelSelector;
  reinvocationPolicy?: string;
  rules?: RuleWithOperations[];
  sideEffects?: string;
  timeoutSeconds?: number;
}

export interface MutatingWebhookConfiguration extends KubeObject {
  webhooks?: MutatingWebhook[];
}

export interface Mutation {
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
  patchType?: string;
}

export interface NamedRuleWithOperations {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resourceNames?: string[];
  resources?: string[];
  scope?: string;
}

export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  parameterNotFoundAction?: string;
  selector?: meta.LabelSelector;
}

export interface RuleWithOperations {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resources?: string[];
  scope?: string;
}

export interface ServiceReference {
  name?: string;
  namespace?: string;
  path?: string;
  port?: number;
}

export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[];
}

export interface ValidatingAdmissionPolicy extends KubeObject {
  spec?: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyBinding extends KubeObject {
  spec?: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingSpec {
  matchResources?: MatchResources;
  paramRef?: ParamRef;
  policyName?: string;
  validationActions?: string[];
}

export interface ValidatingAdmissionPolicySpec {
  auditAnnotations?: AuditAnnotation[];
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchConstraints?: MatchResources;
  paramKind?: ParamKind;
  validations?: Validation[];
  variables?: Variable[];
}

export interface ValidatingAdmissionPolicyStatus {
  conditions?: meta.Condition[];
  observedGeneration?: number;
  typeChecking?: TypeChecking;
}

export interface ValidatingWebhook {
  admissionReviewVersions?: string[];
  clientConfig?: WebhookClientConfig;
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchPolicy?: string;
  name?: string;
  namespaceSelector?: meta.LabelSelector;
  objectSelector?: meta.LabelSelector;
  rules?: RuleWithOperations[];
  sideEffects?: string;
  timeoutSeconds?: number;
}

export interface ValidatingWebhookConfiguration extends KubeObject {
  webhooks?: ValidatingWebhook[];
}

export interface Validation {
  expression?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

export interface Variable {
  expression?: string;
  name?: string;
}

export interface WebhookClientConfig {
  caBundle?: string;
  service?: ServiceReference;
  url?: string;
}
