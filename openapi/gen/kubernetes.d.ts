// Made by `npm run generate`. Do not edit.
export interface components {
 schemas: {
  "io.k8s.api.admissionregistration.v1.ApplyConfiguration": {
   expression?: string;
  };
  "io.k8s.api.admissionregistration.v1.AuditAnnotation": {
   key: string;
   valueExpression: string;
  };
  "io.k8s.api.admissionregistration.v1.ExpressionWarning": {
   fieldRef: string;
   warning: string;
  };
  "io.k8s.api.admissionregistration.v1.JSONPatch": {
   expression?: string;
  };
  "io.k8s.api.admissionregistration.v1.MatchCondition": {
   name: string;
   expression: string;
  };
  "io.k8s.api.admissionregistration.v1.MatchResources": {
   namespaceSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   objectSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   resourceRules?: components["schemas"]["io.k8s.api.admissionregistration.v1.NamedRuleWithOperations"][];
   excludeResourceRules?: components["schemas"]["io.k8s.api.admissionregistration.v1.NamedRuleWithOperations"][];
   matchPolicy?: string;
  };
  "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec"];
  };
  "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingSpec"];
  };
  "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding"][];
  };
  "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingSpec": {
   policyName?: string;
   paramRef?: components["schemas"]["io.k8s.api.admissionregistration.v1.ParamRef"];
   matchResources?: components["schemas"]["io.k8s.api.admissionregistration.v1.MatchResources"];
  };
  "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy"][];
  };
  "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec": {
   paramKind?: components["schemas"]["io.k8s.api.admissionregistration.v1.ParamKind"];
   matchConstraints?: components["schemas"]["io.k8s.api.admissionregistration.v1.MatchResources"];
   variables?: components["schemas"]["io.k8s.api.admissionregistration.v1.Variable"][];
   mutations?: components["schemas"]["io.k8s.api.admissionregistration.v1.Mutation"][];
   failurePolicy?: string;
   matchConditions?: components["schemas"]["io.k8s.api.admissionregistration.v1.MatchCondition"][];
   reinvocationPolicy?: string;
  };
  "io.k8s.api.admissionregistration.v1.MutatingWebhook": {
   name: string;
   clientConfig: components["schemas"]["io.k8s.api.admissionregistration.v1.WebhookClientConfig"];
   rules?: components["schemas"]["io.k8s.api.admissionregistration.v1.RuleWithOperations"][];
   failurePolicy?: string;
   matchPolicy?: string;
   namespaceSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   objectSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   sideEffects: string;
   timeoutSeconds?: number;
   admissionReviewVersions: string[];
   reinvocationPolicy?: string;
   matchConditions?: components["schemas"]["io.k8s.api.admissionregistration.v1.MatchCondition"][];
  };
  "io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   webhooks?: components["schemas"]["io.k8s.api.admissionregistration.v1.MutatingWebhook"][];
  };
  "io.k8s.api.admissionregistration.v1.MutatingWebhookConfigurationList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration"][];
  };
  "io.k8s.api.admissionregistration.v1.Mutation": {
   patchType: string;
   applyConfiguration?: components["schemas"]["io.k8s.api.admissionregistration.v1.ApplyConfiguration"];
   jsonPatch?: components["schemas"]["io.k8s.api.admissionregistration.v1.JSONPatch"];
  };
  "io.k8s.api.admissionregistration.v1.NamedRuleWithOperations": {
   resourceNames?: string[];
   operations?: string[];
   apiGroups?: string[];
   apiVersions?: string[];
   resources?: string[];
   scope?: string;
  };
  "io.k8s.api.admissionregistration.v1.ParamKind": {
   apiVersion?: string;
   kind?: string;
  };
  "io.k8s.api.admissionregistration.v1.ParamRef": {
   name?: string;
   namespace?: string;
   selector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   parameterNotFoundAction?: string;
  };
  "io.k8s.api.admissionregistration.v1.RuleWithOperations": {
   operations?: string[];
   apiGroups?: string[];
   apiVersions?: string[];
   resources?: string[];
   scope?: string;
  };
  "io.k8s.api.admissionregistration.v1.ServiceReference": {
   namespace: string;
   name: string;
   path?: string;
   port?: number;
  };
  "io.k8s.api.admissionregistration.v1.TypeChecking": {
   expressionWarnings?: components["schemas"]["io.k8s.api.admissionregistration.v1.ExpressionWarning"][];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec"];
   status?: components["schemas"]["io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus"];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec"];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding"][];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec": {
   policyName: string;
   paramRef?: components["schemas"]["io.k8s.api.admissionregistration.v1.ParamRef"];
   matchResources?: components["schemas"]["io.k8s.api.admissionregistration.v1.MatchResources"];
   validationActions: string[];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy"][];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec": {
   paramKind?: components["schemas"]["io.k8s.api.admissionregistration.v1.ParamKind"];
   matchConstraints?: components["schemas"]["io.k8s.api.admissionregistration.v1.MatchResources"];
   validations?: components["schemas"]["io.k8s.api.admissionregistration.v1.Validation"][];
   failurePolicy?: string;
   auditAnnotations?: components["schemas"]["io.k8s.api.admissionregistration.v1.AuditAnnotation"][];
   matchConditions?: components["schemas"]["io.k8s.api.admissionregistration.v1.MatchCondition"][];
   variables?: components["schemas"]["io.k8s.api.admissionregistration.v1.Variable"][];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus": {
   observedGeneration?: number;
   typeChecking?: components["schemas"]["io.k8s.api.admissionregistration.v1.TypeChecking"];
   conditions?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Condition"][];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingWebhook": {
   name: string;
   clientConfig: components["schemas"]["io.k8s.api.admissionregistration.v1.WebhookClientConfig"];
   rules?: components["schemas"]["io.k8s.api.admissionregistration.v1.RuleWithOperations"][];
   failurePolicy?: string;
   matchPolicy?: string;
   namespaceSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   objectSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   sideEffects: string;
   timeoutSeconds?: number;
   admissionReviewVersions: string[];
   matchConditions?: components["schemas"]["io.k8s.api.admissionregistration.v1.MatchCondition"][];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   webhooks?: components["schemas"]["io.k8s.api.admissionregistration.v1.ValidatingWebhook"][];
  };
  "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfigurationList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration"][];
  };
  "io.k8s.api.admissionregistration.v1.Validation": {
   expression: string;
   message?: string;
   reason?: string;
   messageExpression?: string;
  };
  "io.k8s.api.admissionregistration.v1.Variable": {
   name: string;
   expression: string;
  };
  "io.k8s.api.admissionregistration.v1.WebhookClientConfig": {
   url?: string;
   service?: components["schemas"]["io.k8s.api.admissionregistration.v1.ServiceReference"];
   caBundle?: string;
  };
  "io.k8s.api.apps.v1.ControllerRevision": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   data?: components["schemas"]["io.k8s.apimachinery.pkg.runtime.RawExtension"];
   revision: number;
  };
  "io.k8s.api.apps.v1.ControllerRevisionList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.apps.v1.ControllerRevision"][];
  };
  "io.k8s.api.apps.v1.DaemonSet": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.apps.v1.DaemonSetSpec"];
   status?: components["schemas"]["io.k8s.api.apps.v1.DaemonSetStatus"];
  };
  "io.k8s.api.apps.v1.DaemonSetCondition": {
   type: string;
   status: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.apps.v1.DaemonSetList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.apps.v1.DaemonSet"][];
  };
  "io.k8s.api.apps.v1.DaemonSetSpec": {
   selector: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   template: components["schemas"]["io.k8s.api.core.v1.PodTemplateSpec"];
   updateStrategy?: components["schemas"]["io.k8s.api.apps.v1.DaemonSetUpdateStrategy"];
   minReadySeconds?: number;
   revisionHistoryLimit?: number;
  };
  "io.k8s.api.apps.v1.DaemonSetStatus": {
   currentNumberScheduled: number;
   numberMisscheduled: number;
   desiredNumberScheduled: number;
   numberReady: number;
   observedGeneration?: number;
   updatedNumberScheduled?: number;
   numberAvailable?: number;
   numberUnavailable?: number;
   collisionCount?: number;
   conditions?: components["schemas"]["io.k8s.api.apps.v1.DaemonSetCondition"][];
  };
  "io.k8s.api.apps.v1.DaemonSetUpdateStrategy": {
   type?: string;
   rollingUpdate?: components["schemas"]["io.k8s.api.apps.v1.RollingUpdateDaemonSet"];
  };
  "io.k8s.api.apps.v1.Deployment": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.apps.v1.DeploymentSpec"];
   status?: components["schemas"]["io.k8s.api.apps.v1.DeploymentStatus"];
  };
  "io.k8s.api.apps.v1.DeploymentCondition": {
   type: string;
   status: string;
   lastUpdateTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.apps.v1.DeploymentList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.apps.v1.Deployment"][];
  };
  "io.k8s.api.apps.v1.DeploymentSpec": {
   replicas?: number;
   selector: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   template: components["schemas"]["io.k8s.api.core.v1.PodTemplateSpec"];
   strategy?: components["schemas"]["io.k8s.api.apps.v1.DeploymentStrategy"];
   minReadySeconds?: number;
   revisionHistoryLimit?: number;
   paused?: boolean;
   progressDeadlineSeconds?: number;
  };
  "io.k8s.api.apps.v1.DeploymentStatus": {
   observedGeneration?: number;
   replicas?: number;
   updatedReplicas?: number;
   readyReplicas?: number;
   availableReplicas?: number;
   unavailableReplicas?: number;
   terminatingReplicas?: number;
   conditions?: components["schemas"]["io.k8s.api.apps.v1.DeploymentCondition"][];
   collisionCount?: number;
  };
  "io.k8s.api.apps.v1.DeploymentStrategy": {
   type?: string;
   rollingUpdate?: components["schemas"]["io.k8s.api.apps.v1.RollingUpdateDeployment"];
  };
  "io.k8s.api.apps.v1.ReplicaSet": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.apps.v1.ReplicaSetSpec"];
   status?: components["schemas"]["io.k8s.api.apps.v1.ReplicaSetStatus"];
  };
  "io.k8s.api.apps.v1.ReplicaSetCondition": {
   type: string;
   status: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.apps.v1.ReplicaSetList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.apps.v1.ReplicaSet"][];
  };
  "io.k8s.api.apps.v1.ReplicaSetSpec": {
   replicas?: number;
   minReadySeconds?: number;
   selector: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   template?: components["schemas"]["io.k8s.api.core.v1.PodTemplateSpec"];
  };
  "io.k8s.api.apps.v1.ReplicaSetStatus": {
   replicas: number;
   fullyLabeledReplicas?: number;
   readyReplicas?: number;
   availableReplicas?: number;
   terminatingReplicas?: number;
   observedGeneration?: number;
   conditions?: components["schemas"]["io.k8s.api.apps.v1.ReplicaSetCondition"][];
  };
  "io.k8s.api.apps.v1.RollingUpdateDaemonSet": {
   maxUnavailable?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
   maxSurge?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
  };
  "io.k8s.api.apps.v1.RollingUpdateDeployment": {
   maxUnavailable?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
   maxSurge?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
  };
  "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy": {
   partition?: number;
   maxUnavailable?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
  };
  "io.k8s.api.apps.v1.StatefulSet": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.apps.v1.StatefulSetSpec"];
   status?: components["schemas"]["io.k8s.api.apps.v1.StatefulSetStatus"];
  };
  "io.k8s.api.apps.v1.StatefulSetCondition": {
   type: string;
   status: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.apps.v1.StatefulSetList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.apps.v1.StatefulSet"][];
  };
  "io.k8s.api.apps.v1.StatefulSetOrdinals": {
   start?: number;
  };
  "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy": {
   whenDeleted?: string;
   whenScaled?: string;
  };
  "io.k8s.api.apps.v1.StatefulSetSpec": {
   replicas?: number;
   selector: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   template: components["schemas"]["io.k8s.api.core.v1.PodTemplateSpec"];
   volumeClaimTemplates?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeClaim"][];
   serviceName?: string;
   podManagementPolicy?: string;
   updateStrategy?: components["schemas"]["io.k8s.api.apps.v1.StatefulSetUpdateStrategy"];
   revisionHistoryLimit?: number;
   minReadySeconds?: number;
   persistentVolumeClaimRetentionPolicy?: components["schemas"]["io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy"];
   ordinals?: components["schemas"]["io.k8s.api.apps.v1.StatefulSetOrdinals"];
  };
  "io.k8s.api.apps.v1.StatefulSetStatus": {
   observedGeneration?: number;
   replicas: number;
   readyReplicas?: number;
   currentReplicas?: number;
   updatedReplicas?: number;
   currentRevision?: string;
   updateRevision?: string;
   collisionCount?: number;
   conditions?: components["schemas"]["io.k8s.api.apps.v1.StatefulSetCondition"][];
   availableReplicas?: number;
  };
  "io.k8s.api.apps.v1.StatefulSetUpdateStrategy": {
   type?: string;
   rollingUpdate?: components["schemas"]["io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy"];
  };
  "io.k8s.api.authentication.v1.BoundObjectReference": {
   kind?: string;
   apiVersion?: string;
   name?: string;
   uid?: string;
  };
  "io.k8s.api.authentication.v1.SelfSubjectReview": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   status?: components["schemas"]["io.k8s.api.authentication.v1.SelfSubjectReviewStatus"];
  };
  "io.k8s.api.authentication.v1.SelfSubjectReviewStatus": {
   userInfo?: components["schemas"]["io.k8s.api.authentication.v1.UserInfo"];
  };
  "io.k8s.api.authentication.v1.TokenRequest": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.authentication.v1.TokenRequestSpec"];
   status?: components["schemas"]["io.k8s.api.authentication.v1.TokenRequestStatus"];
  };
  "io.k8s.api.authentication.v1.TokenRequestSpec": {
   audiences?: string[];
   expirationSeconds?: number;
   boundObjectRef?: components["schemas"]["io.k8s.api.authentication.v1.BoundObjectReference"];
  };
  "io.k8s.api.authentication.v1.TokenRequestStatus": {
   token?: string;
   expirationTimestamp?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  };
  "io.k8s.api.authentication.v1.TokenReview": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.authentication.v1.TokenReviewSpec"];
   status?: components["schemas"]["io.k8s.api.authentication.v1.TokenReviewStatus"];
  };
  "io.k8s.api.authentication.v1.TokenReviewSpec": {
   token: string;
   audiences?: string[];
  };
  "io.k8s.api.authentication.v1.TokenReviewStatus": {
   authenticated?: boolean;
   user?: components["schemas"]["io.k8s.api.authentication.v1.UserInfo"];
   audiences?: string[];
   error?: string;
  };
  "io.k8s.api.authentication.v1.UserInfo": {
   username?: string;
   uid?: string;
   groups?: string[];
   extra?: {
    [key: string]: string[];
   };
  };
  "io.k8s.api.authorization.v1.FieldSelectorAttributes": {
   rawSelector?: string;
   requirements?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement"][];
  };
  "io.k8s.api.authorization.v1.LabelSelectorAttributes": {
   rawSelector?: string;
   requirements?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement"][];
  };
  "io.k8s.api.authorization.v1.LocalSubjectAccessReview": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.authorization.v1.SubjectAccessReviewSpec"];
   status?: components["schemas"]["io.k8s.api.authorization.v1.SubjectAccessReviewStatus"];
  };
  "io.k8s.api.authorization.v1.NonResourceAttributes": {
   path?: string;
   verb?: string;
  };
  "io.k8s.api.authorization.v1.NonResourceRule": {
   verbs: string[];
   nonResourceURLs?: string[];
  };
  "io.k8s.api.authorization.v1.ResourceAttributes": {
   namespace?: string;
   verb?: string;
   group?: string;
   version?: string;
   resource?: string;
   subresource?: string;
   name?: string;
   fieldSelector?: components["schemas"]["io.k8s.api.authorization.v1.FieldSelectorAttributes"];
   labelSelector?: components["schemas"]["io.k8s.api.authorization.v1.LabelSelectorAttributes"];
  };
  "io.k8s.api.authorization.v1.ResourceRule": {
   verbs: string[];
   apiGroups?: string[];
   resources?: string[];
   resourceNames?: string[];
  };
  "io.k8s.api.authorization.v1.SelfSubjectAccessReview": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec"];
   status?: components["schemas"]["io.k8s.api.authorization.v1.SubjectAccessReviewStatus"];
  };
  "io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec": {
   resourceAttributes?: components["schemas"]["io.k8s.api.authorization.v1.ResourceAttributes"];
   nonResourceAttributes?: components["schemas"]["io.k8s.api.authorization.v1.NonResourceAttributes"];
  };
  "io.k8s.api.authorization.v1.SelfSubjectRulesReview": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec"];
   status?: components["schemas"]["io.k8s.api.authorization.v1.SubjectRulesReviewStatus"];
  };
  "io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec": {
   namespace?: string;
  };
  "io.k8s.api.authorization.v1.SubjectAccessReview": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.authorization.v1.SubjectAccessReviewSpec"];
   status?: components["schemas"]["io.k8s.api.authorization.v1.SubjectAccessReviewStatus"];
  };
  "io.k8s.api.authorization.v1.SubjectAccessReviewSpec": {
   resourceAttributes?: components["schemas"]["io.k8s.api.authorization.v1.ResourceAttributes"];
   nonResourceAttributes?: components["schemas"]["io.k8s.api.authorization.v1.NonResourceAttributes"];
   user?: string;
   groups?: string[];
   extra?: {
    [key: string]: string[];
   };
   uid?: string;
  };
  "io.k8s.api.authorization.v1.SubjectAccessReviewStatus": {
   allowed: boolean;
   denied?: boolean;
   reason?: string;
   evaluationError?: string;
  };
  "io.k8s.api.authorization.v1.SubjectRulesReviewStatus": {
   resourceRules: components["schemas"]["io.k8s.api.authorization.v1.ResourceRule"][];
   nonResourceRules: components["schemas"]["io.k8s.api.authorization.v1.NonResourceRule"][];
   incomplete: boolean;
   evaluationError?: string;
  };
  "io.k8s.api.autoscaling.v1.CrossVersionObjectReference": {
   kind: string;
   name: string;
   apiVersion?: string;
  };
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec"];
   status?: components["schemas"]["io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus"];
  };
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler"][];
  };
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec": {
   scaleTargetRef: components["schemas"]["io.k8s.api.autoscaling.v1.CrossVersionObjectReference"];
   minReplicas?: number;
   maxReplicas: number;
   targetCPUUtilizationPercentage?: number;
  };
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus": {
   observedGeneration?: number;
   lastScaleTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   currentReplicas: number;
   desiredReplicas: number;
   currentCPUUtilizationPercentage?: number;
  };
  "io.k8s.api.autoscaling.v1.Scale": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.autoscaling.v1.ScaleSpec"];
   status?: components["schemas"]["io.k8s.api.autoscaling.v1.ScaleStatus"];
  };
  "io.k8s.api.autoscaling.v1.ScaleSpec": {
   replicas?: number;
  };
  "io.k8s.api.autoscaling.v1.ScaleStatus": {
   replicas: number;
   selector?: string;
  };
  "io.k8s.api.autoscaling.v2.ContainerResourceMetricSource": {
   name: string;
   target: components["schemas"]["io.k8s.api.autoscaling.v2.MetricTarget"];
   container: string;
  };
  "io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus": {
   name: string;
   current: components["schemas"]["io.k8s.api.autoscaling.v2.MetricValueStatus"];
   container: string;
  };
  "io.k8s.api.autoscaling.v2.CrossVersionObjectReference": {
   kind: string;
   name: string;
   apiVersion?: string;
  };
  "io.k8s.api.autoscaling.v2.ExternalMetricSource": {
   metric: components["schemas"]["io.k8s.api.autoscaling.v2.MetricIdentifier"];
   target: components["schemas"]["io.k8s.api.autoscaling.v2.MetricTarget"];
  };
  "io.k8s.api.autoscaling.v2.ExternalMetricStatus": {
   metric: components["schemas"]["io.k8s.api.autoscaling.v2.MetricIdentifier"];
   current: components["schemas"]["io.k8s.api.autoscaling.v2.MetricValueStatus"];
  };
  "io.k8s.api.autoscaling.v2.HPAScalingPolicy": {
   type: string;
   value: number;
   periodSeconds: number;
  };
  "io.k8s.api.autoscaling.v2.HPAScalingRules": {
   stabilizationWindowSeconds?: number;
   selectPolicy?: string;
   policies?: components["schemas"]["io.k8s.api.autoscaling.v2.HPAScalingPolicy"][];
   tolerance?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  };
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec"];
   status?: components["schemas"]["io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus"];
  };
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior": {
   scaleUp?: components["schemas"]["io.k8s.api.autoscaling.v2.HPAScalingRules"];
   scaleDown?: components["schemas"]["io.k8s.api.autoscaling.v2.HPAScalingRules"];
  };
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition": {
   type: string;
   status: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler"][];
  };
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec": {
   scaleTargetRef: components["schemas"]["io.k8s.api.autoscaling.v2.CrossVersionObjectReference"];
   minReplicas?: number;
   maxReplicas: number;
   metrics?: components["schemas"]["io.k8s.api.autoscaling.v2.MetricSpec"][];
   behavior?: components["schemas"]["io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior"];
  };
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus": {
   observedGeneration?: number;
   lastScaleTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   currentReplicas?: number;
   desiredReplicas: number;
   currentMetrics?: components["schemas"]["io.k8s.api.autoscaling.v2.MetricStatus"][];
   conditions?: components["schemas"]["io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition"][];
  };
  "io.k8s.api.autoscaling.v2.MetricIdentifier": {
   name: string;
   selector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
  };
  "io.k8s.api.autoscaling.v2.MetricSpec": {
   type: string;
   object?: components["schemas"]["io.k8s.api.autoscaling.v2.ObjectMetricSource"];
   pods?: components["schemas"]["io.k8s.api.autoscaling.v2.PodsMetricSource"];
   resource?: components["schemas"]["io.k8s.api.autoscaling.v2.ResourceMetricSource"];
   containerResource?: components["schemas"]["io.k8s.api.autoscaling.v2.ContainerResourceMetricSource"];
   external?: components["schemas"]["io.k8s.api.autoscaling.v2.ExternalMetricSource"];
  };
  "io.k8s.api.autoscaling.v2.MetricStatus": {
   type: string;
   object?: components["schemas"]["io.k8s.api.autoscaling.v2.ObjectMetricStatus"];
   pods?: components["schemas"]["io.k8s.api.autoscaling.v2.PodsMetricStatus"];
   resource?: components["schemas"]["io.k8s.api.autoscaling.v2.ResourceMetricStatus"];
   containerResource?: components["schemas"]["io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus"];
   external?: components["schemas"]["io.k8s.api.autoscaling.v2.ExternalMetricStatus"];
  };
  "io.k8s.api.autoscaling.v2.MetricTarget": {
   type: string;
   value?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   averageValue?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   averageUtilization?: number;
  };
  "io.k8s.api.autoscaling.v2.MetricValueStatus": {
   value?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   averageValue?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   averageUtilization?: number;
  };
  "io.k8s.api.autoscaling.v2.ObjectMetricSource": {
   describedObject: components["schemas"]["io.k8s.api.autoscaling.v2.CrossVersionObjectReference"];
   target: components["schemas"]["io.k8s.api.autoscaling.v2.MetricTarget"];
   metric: components["schemas"]["io.k8s.api.autoscaling.v2.MetricIdentifier"];
  };
  "io.k8s.api.autoscaling.v2.ObjectMetricStatus": {
   metric: components["schemas"]["io.k8s.api.autoscaling.v2.MetricIdentifier"];
   current: components["schemas"]["io.k8s.api.autoscaling.v2.MetricValueStatus"];
   describedObject: components["schemas"]["io.k8s.api.autoscaling.v2.CrossVersionObjectReference"];
  };
  "io.k8s.api.autoscaling.v2.PodsMetricSource": {
   metric: components["schemas"]["io.k8s.api.autoscaling.v2.MetricIdentifier"];
   target: components["schemas"]["io.k8s.api.autoscaling.v2.MetricTarget"];
  };
  "io.k8s.api.autoscaling.v2.PodsMetricStatus": {
   metric: components["schemas"]["io.k8s.api.autoscaling.v2.MetricIdentifier"];
   current: components["schemas"]["io.k8s.api.autoscaling.v2.MetricValueStatus"];
  };
  "io.k8s.api.autoscaling.v2.ResourceMetricSource": {
   name: string;
   target: components["schemas"]["io.k8s.api.autoscaling.v2.MetricTarget"];
  };
  "io.k8s.api.autoscaling.v2.ResourceMetricStatus": {
   name: string;
   current: components["schemas"]["io.k8s.api.autoscaling.v2.MetricValueStatus"];
  };
  "io.k8s.api.batch.v1.CronJob": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.batch.v1.CronJobSpec"];
   status?: components["schemas"]["io.k8s.api.batch.v1.CronJobStatus"];
  };
  "io.k8s.api.batch.v1.CronJobList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.batch.v1.CronJob"][];
  };
  "io.k8s.api.batch.v1.CronJobSpec": {
   schedule: string;
   timeZone?: string;
   startingDeadlineSeconds?: number;
   concurrencyPolicy?: string;
   suspend?: boolean;
   jobTemplate: components["schemas"]["io.k8s.api.batch.v1.JobTemplateSpec"];
   successfulJobsHistoryLimit?: number;
   failedJobsHistoryLimit?: number;
  };
  "io.k8s.api.batch.v1.CronJobStatus": {
   active?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"][];
   lastScheduleTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   lastSuccessfulTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  };
  "io.k8s.api.batch.v1.Job": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.batch.v1.JobSpec"];
   status?: components["schemas"]["io.k8s.api.batch.v1.JobStatus"];
  };
  "io.k8s.api.batch.v1.JobCondition": {
   type: string;
   status: string;
   lastProbeTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.batch.v1.JobList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.batch.v1.Job"][];
  };
  "io.k8s.api.batch.v1.JobSpec": {
   parallelism?: number;
   completions?: number;
   activeDeadlineSeconds?: number;
   podFailurePolicy?: components["schemas"]["io.k8s.api.batch.v1.PodFailurePolicy"];
   successPolicy?: components["schemas"]["io.k8s.api.batch.v1.SuccessPolicy"];
   backoffLimit?: number;
   backoffLimitPerIndex?: number;
   maxFailedIndexes?: number;
   selector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   manualSelector?: boolean;
   template: components["schemas"]["io.k8s.api.core.v1.PodTemplateSpec"];
   ttlSecondsAfterFinished?: number;
   completionMode?: string;
   suspend?: boolean;
   podReplacementPolicy?: string;
   managedBy?: string;
  };
  "io.k8s.api.batch.v1.JobStatus": {
   conditions?: components["schemas"]["io.k8s.api.batch.v1.JobCondition"][];
   startTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   completionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   active?: number;
   succeeded?: number;
   failed?: number;
   terminating?: number;
   completedIndexes?: string;
   failedIndexes?: string;
   uncountedTerminatedPods?: components["schemas"]["io.k8s.api.batch.v1.UncountedTerminatedPods"];
   ready?: number;
  };
  "io.k8s.api.batch.v1.JobTemplateSpec": {
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.batch.v1.JobSpec"];
  };
  "io.k8s.api.batch.v1.PodFailurePolicy": {
   rules: components["schemas"]["io.k8s.api.batch.v1.PodFailurePolicyRule"][];
  };
  "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement": {
   containerName?: string;
   operator: string;
   values: number[];
  };
  "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern": {
   type: string;
   status?: string;
  };
  "io.k8s.api.batch.v1.PodFailurePolicyRule": {
   action: string;
   onExitCodes?: components["schemas"]["io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement"];
   onPodConditions?: components["schemas"]["io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern"][];
  };
  "io.k8s.api.batch.v1.SuccessPolicy": {
   rules: components["schemas"]["io.k8s.api.batch.v1.SuccessPolicyRule"][];
  };
  "io.k8s.api.batch.v1.SuccessPolicyRule": {
   succeededIndexes?: string;
   succeededCount?: number;
  };
  "io.k8s.api.batch.v1.UncountedTerminatedPods": {
   succeeded?: string[];
   failed?: string[];
  };
  "io.k8s.api.certificates.v1.CertificateSigningRequest": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.certificates.v1.CertificateSigningRequestSpec"];
   status?: components["schemas"]["io.k8s.api.certificates.v1.CertificateSigningRequestStatus"];
  };
  "io.k8s.api.certificates.v1.CertificateSigningRequestCondition": {
   type: string;
   status: string;
   reason?: string;
   message?: string;
   lastUpdateTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  };
  "io.k8s.api.certificates.v1.CertificateSigningRequestList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.certificates.v1.CertificateSigningRequest"][];
  };
  "io.k8s.api.certificates.v1.CertificateSigningRequestSpec": {
   request: string;
   signerName: string;
   expirationSeconds?: number;
   usages?: string[];
   username?: string;
   uid?: string;
   groups?: string[];
   extra?: {
    [key: string]: string[];
   };
  };
  "io.k8s.api.certificates.v1.CertificateSigningRequestStatus": {
   conditions?: components["schemas"]["io.k8s.api.certificates.v1.CertificateSigningRequestCondition"][];
   certificate?: string;
  };
  "io.k8s.api.coordination.v1.Lease": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.coordination.v1.LeaseSpec"];
  };
  "io.k8s.api.coordination.v1.LeaseList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.coordination.v1.Lease"][];
  };
  "io.k8s.api.coordination.v1.LeaseSpec": {
   holderIdentity?: string;
   leaseDurationSeconds?: number;
   acquireTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"];
   renewTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"];
   leaseTransitions?: number;
   strategy?: string;
   preferredHolder?: string;
  };
  "io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource": {
   volumeID: string;
   fsType?: string;
   partition?: number;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.Affinity": {
   nodeAffinity?: components["schemas"]["io.k8s.api.core.v1.NodeAffinity"];
   podAffinity?: components["schemas"]["io.k8s.api.core.v1.PodAffinity"];
   podAntiAffinity?: components["schemas"]["io.k8s.api.core.v1.PodAntiAffinity"];
  };
  "io.k8s.api.core.v1.AppArmorProfile": {
   type: string;
   localhostProfile?: string;
  };
  "io.k8s.api.core.v1.AttachedVolume": {
   name: string;
   devicePath: string;
  };
  "io.k8s.api.core.v1.AzureDiskVolumeSource": {
   diskName: string;
   diskURI: string;
   cachingMode?: string;
   fsType?: string;
   readOnly?: boolean;
   kind?: string;
  };
  "io.k8s.api.core.v1.AzureFilePersistentVolumeSource": {
   secretName: string;
   shareName: string;
   readOnly?: boolean;
   secretNamespace?: string;
  };
  "io.k8s.api.core.v1.AzureFileVolumeSource": {
   secretName: string;
   shareName: string;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.Binding": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   target: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
  };
  "io.k8s.api.core.v1.CSIPersistentVolumeSource": {
   driver: string;
   volumeHandle: string;
   readOnly?: boolean;
   fsType?: string;
   volumeAttributes?: {
    [key: string]: string;
   };
   controllerPublishSecretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   nodeStageSecretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   nodePublishSecretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   controllerExpandSecretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   nodeExpandSecretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
  };
  "io.k8s.api.core.v1.CSIVolumeSource": {
   driver: string;
   readOnly?: boolean;
   fsType?: string;
   volumeAttributes?: {
    [key: string]: string;
   };
   nodePublishSecretRef?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"];
  };
  "io.k8s.api.core.v1.Capabilities": {
   add?: string[];
   drop?: string[];
  };
  "io.k8s.api.core.v1.CephFSPersistentVolumeSource": {
   monitors: string[];
   path?: string;
   user?: string;
   secretFile?: string;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.CephFSVolumeSource": {
   monitors: string[];
   path?: string;
   user?: string;
   secretFile?: string;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"];
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.CinderPersistentVolumeSource": {
   volumeID: string;
   fsType?: string;
   readOnly?: boolean;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
  };
  "io.k8s.api.core.v1.CinderVolumeSource": {
   volumeID: string;
   fsType?: string;
   readOnly?: boolean;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"];
  };
  "io.k8s.api.core.v1.ClientIPConfig": {
   timeoutSeconds?: number;
  };
  "io.k8s.api.core.v1.ClusterTrustBundleProjection": {
   name?: string;
   signerName?: string;
   labelSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   optional?: boolean;
   path: string;
  };
  "io.k8s.api.core.v1.ComponentCondition": {
   type: string;
   status: string;
   message?: string;
   error?: string;
  };
  "io.k8s.api.core.v1.ComponentStatus": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   conditions?: components["schemas"]["io.k8s.api.core.v1.ComponentCondition"][];
  };
  "io.k8s.api.core.v1.ComponentStatusList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.ComponentStatus"][];
  };
  "io.k8s.api.core.v1.ConfigMap": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   immutable?: boolean;
   data?: {
    [key: string]: string;
   };
   binaryData?: {
    [key: string]: string;
   };
  };
  "io.k8s.api.core.v1.ConfigMapEnvSource": {
   name?: string;
   optional?: boolean;
  };
  "io.k8s.api.core.v1.ConfigMapKeySelector": {
   name?: string;
   key: string;
   optional?: boolean;
  };
  "io.k8s.api.core.v1.ConfigMapList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.ConfigMap"][];
  };
  "io.k8s.api.core.v1.ConfigMapNodeConfigSource": {
   namespace: string;
   name: string;
   uid?: string;
   resourceVersion?: string;
   kubeletConfigKey: string;
  };
  "io.k8s.api.core.v1.ConfigMapProjection": {
   name?: string;
   items?: components["schemas"]["io.k8s.api.core.v1.KeyToPath"][];
   optional?: boolean;
  };
  "io.k8s.api.core.v1.ConfigMapVolumeSource": {
   name?: string;
   items?: components["schemas"]["io.k8s.api.core.v1.KeyToPath"][];
   defaultMode?: number;
   optional?: boolean;
  };
  "io.k8s.api.core.v1.Container": {
   name: string;
   image?: string;
   command?: string[];
   args?: string[];
   workingDir?: string;
   ports?: components["schemas"]["io.k8s.api.core.v1.ContainerPort"][];
   envFrom?: components["schemas"]["io.k8s.api.core.v1.EnvFromSource"][];
   env?: components["schemas"]["io.k8s.api.core.v1.EnvVar"][];
   resources?: components["schemas"]["io.k8s.api.core.v1.ResourceRequirements"];
   resizePolicy?: components["schemas"]["io.k8s.api.core.v1.ContainerResizePolicy"][];
   restartPolicy?: string;
   restartPolicyRules?: components["schemas"]["io.k8s.api.core.v1.ContainerRestartRule"][];
   volumeMounts?: components["schemas"]["io.k8s.api.core.v1.VolumeMount"][];
   volumeDevices?: components["schemas"]["io.k8s.api.core.v1.VolumeDevice"][];
   livenessProbe?: components["schemas"]["io.k8s.api.core.v1.Probe"];
   readinessProbe?: components["schemas"]["io.k8s.api.core.v1.Probe"];
   startupProbe?: components["schemas"]["io.k8s.api.core.v1.Probe"];
   lifecycle?: components["schemas"]["io.k8s.api.core.v1.Lifecycle"];
   terminationMessagePath?: string;
   terminationMessagePolicy?: string;
   imagePullPolicy?: string;
   securityContext?: components["schemas"]["io.k8s.api.core.v1.SecurityContext"];
   stdin?: boolean;
   stdinOnce?: boolean;
   tty?: boolean;
  };
  "io.k8s.api.core.v1.ContainerExtendedResourceRequest": {
   containerName: string;
   resourceName: string;
   requestName: string;
  };
  "io.k8s.api.core.v1.ContainerImage": {
   names?: string[];
   sizeBytes?: number;
  };
  "io.k8s.api.core.v1.ContainerPort": {
   name?: string;
   hostPort?: number;
   containerPort: number;
   protocol?: string;
   hostIP?: string;
  };
  "io.k8s.api.core.v1.ContainerResizePolicy": {
   resourceName: string;
   restartPolicy: string;
  };
  "io.k8s.api.core.v1.ContainerRestartRule": {
   action: string;
   exitCodes?: components["schemas"]["io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes"];
  };
  "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes": {
   operator: string;
   values?: number[];
  };
  "io.k8s.api.core.v1.ContainerState": {
   waiting?: components["schemas"]["io.k8s.api.core.v1.ContainerStateWaiting"];
   running?: components["schemas"]["io.k8s.api.core.v1.ContainerStateRunning"];
   terminated?: components["schemas"]["io.k8s.api.core.v1.ContainerStateTerminated"];
  };
  "io.k8s.api.core.v1.ContainerStateRunning": {
   startedAt?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  };
  "io.k8s.api.core.v1.ContainerStateTerminated": {
   exitCode: number;
   signal?: number;
   reason?: string;
   message?: string;
   startedAt?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   finishedAt?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   containerID?: string;
  };
  "io.k8s.api.core.v1.ContainerStateWaiting": {
   reason?: string;
   message?: string;
  };
  "io.k8s.api.core.v1.ContainerStatus": {
   name: string;
   state?: components["schemas"]["io.k8s.api.core.v1.ContainerState"];
   lastState?: components["schemas"]["io.k8s.api.core.v1.ContainerState"];
   ready: boolean;
   restartCount: number;
   image: string;
   imageID: string;
   containerID?: string;
   started?: boolean;
   allocatedResources?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   resources?: components["schemas"]["io.k8s.api.core.v1.ResourceRequirements"];
   volumeMounts?: components["schemas"]["io.k8s.api.core.v1.VolumeMountStatus"][];
   user?: components["schemas"]["io.k8s.api.core.v1.ContainerUser"];
   allocatedResourcesStatus?: components["schemas"]["io.k8s.api.core.v1.ResourceStatus"][];
   stopSignal?: string;
  };
  "io.k8s.api.core.v1.ContainerUser": {
   linux?: components["schemas"]["io.k8s.api.core.v1.LinuxContainerUser"];
  };
  "io.k8s.api.core.v1.DaemonEndpoint": {
   Port: number;
  };
  "io.k8s.api.core.v1.DownwardAPIProjection": {
   items?: components["schemas"]["io.k8s.api.core.v1.DownwardAPIVolumeFile"][];
  };
  "io.k8s.api.core.v1.DownwardAPIVolumeFile": {
   path: string;
   fieldRef?: components["schemas"]["io.k8s.api.core.v1.ObjectFieldSelector"];
   resourceFieldRef?: components["schemas"]["io.k8s.api.core.v1.ResourceFieldSelector"];
   mode?: number;
  };
  "io.k8s.api.core.v1.DownwardAPIVolumeSource": {
   items?: components["schemas"]["io.k8s.api.core.v1.DownwardAPIVolumeFile"][];
   defaultMode?: number;
  };
  "io.k8s.api.core.v1.EmptyDirVolumeSource": {
   medium?: string;
   sizeLimit?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  };
  "io.k8s.api.core.v1.EndpointAddress": {
   ip: string;
   hostname?: string;
   nodeName?: string;
   targetRef?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
  };
  "io.k8s.api.core.v1.EndpointPort": {
   name?: string;
   port: number;
   protocol?: string;
   appProtocol?: string;
  };
  "io.k8s.api.core.v1.EndpointSubset": {
   addresses?: components["schemas"]["io.k8s.api.core.v1.EndpointAddress"][];
   notReadyAddresses?: components["schemas"]["io.k8s.api.core.v1.EndpointAddress"][];
   ports?: components["schemas"]["io.k8s.api.core.v1.EndpointPort"][];
  };
  "io.k8s.api.core.v1.Endpoints": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   subsets?: components["schemas"]["io.k8s.api.core.v1.EndpointSubset"][];
  };
  "io.k8s.api.core.v1.EndpointsList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.Endpoints"][];
  };
  "io.k8s.api.core.v1.EnvFromSource": {
   prefix?: string;
   configMapRef?: components["schemas"]["io.k8s.api.core.v1.ConfigMapEnvSource"];
   secretRef?: components["schemas"]["io.k8s.api.core.v1.SecretEnvSource"];
  };
  "io.k8s.api.core.v1.EnvVar": {
   name: string;
   value?: string;
   valueFrom?: components["schemas"]["io.k8s.api.core.v1.EnvVarSource"];
  };
  "io.k8s.api.core.v1.EnvVarSource": {
   fieldRef?: components["schemas"]["io.k8s.api.core.v1.ObjectFieldSelector"];
   resourceFieldRef?: components["schemas"]["io.k8s.api.core.v1.ResourceFieldSelector"];
   configMapKeyRef?: components["schemas"]["io.k8s.api.core.v1.ConfigMapKeySelector"];
   secretKeyRef?: components["schemas"]["io.k8s.api.core.v1.SecretKeySelector"];
   fileKeyRef?: components["schemas"]["io.k8s.api.core.v1.FileKeySelector"];
  };
  "io.k8s.api.core.v1.EphemeralContainer": {
   name: string;
   image?: string;
   command?: string[];
   args?: string[];
   workingDir?: string;
   ports?: components["schemas"]["io.k8s.api.core.v1.ContainerPort"][];
   envFrom?: components["schemas"]["io.k8s.api.core.v1.EnvFromSource"][];
   env?: components["schemas"]["io.k8s.api.core.v1.EnvVar"][];
   resources?: components["schemas"]["io.k8s.api.core.v1.ResourceRequirements"];
   resizePolicy?: components["schemas"]["io.k8s.api.core.v1.ContainerResizePolicy"][];
   restartPolicy?: string;
   restartPolicyRules?: components["schemas"]["io.k8s.api.core.v1.ContainerRestartRule"][];
   volumeMounts?: components["schemas"]["io.k8s.api.core.v1.VolumeMount"][];
   volumeDevices?: components["schemas"]["io.k8s.api.core.v1.VolumeDevice"][];
   livenessProbe?: components["schemas"]["io.k8s.api.core.v1.Probe"];
   readinessProbe?: components["schemas"]["io.k8s.api.core.v1.Probe"];
   startupProbe?: components["schemas"]["io.k8s.api.core.v1.Probe"];
   lifecycle?: components["schemas"]["io.k8s.api.core.v1.Lifecycle"];
   terminationMessagePath?: string;
   terminationMessagePolicy?: string;
   imagePullPolicy?: string;
   securityContext?: components["schemas"]["io.k8s.api.core.v1.SecurityContext"];
   stdin?: boolean;
   stdinOnce?: boolean;
   tty?: boolean;
   targetContainerName?: string;
  };
  "io.k8s.api.core.v1.EphemeralVolumeSource": {
   volumeClaimTemplate?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeClaimTemplate"];
  };
  "io.k8s.api.core.v1.Event": {
   kind?: string;
   apiVersion?: string;
   metadata: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   involvedObject: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
   reason?: string;
   message?: string;
   source?: components["schemas"]["io.k8s.api.core.v1.EventSource"];
   firstTimestamp?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   lastTimestamp?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   count?: number;
   type?: string;
   eventTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"];
   series?: components["schemas"]["io.k8s.api.core.v1.EventSeries"];
   action?: string;
   related?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
   reportingComponent?: string;
   reportingInstance?: string;
  };
  "io.k8s.api.core.v1.EventList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.Event"][];
  };
  "io.k8s.api.core.v1.EventSeries": {
   count?: number;
   lastObservedTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"];
  };
  "io.k8s.api.core.v1.EventSource": {
   component?: string;
   host?: string;
  };
  "io.k8s.api.core.v1.ExecAction": {
   command?: string[];
  };
  "io.k8s.api.core.v1.FCVolumeSource": {
   targetWWNs?: string[];
   lun?: number;
   fsType?: string;
   readOnly?: boolean;
   wwids?: string[];
  };
  "io.k8s.api.core.v1.FileKeySelector": {
   volumeName: string;
   path: string;
   key: string;
   optional?: boolean;
  };
  "io.k8s.api.core.v1.FlexPersistentVolumeSource": {
   driver: string;
   fsType?: string;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   readOnly?: boolean;
   options?: {
    [key: string]: string;
   };
  };
  "io.k8s.api.core.v1.FlexVolumeSource": {
   driver: string;
   fsType?: string;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"];
   readOnly?: boolean;
   options?: {
    [key: string]: string;
   };
  };
  "io.k8s.api.core.v1.FlockerVolumeSource": {
   datasetName?: string;
   datasetUUID?: string;
  };
  "io.k8s.api.core.v1.GCEPersistentDiskVolumeSource": {
   pdName: string;
   fsType?: string;
   partition?: number;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.GRPCAction": {
   port: number;
   service?: string;
  };
  "io.k8s.api.core.v1.GitRepoVolumeSource": {
   repository: string;
   revision?: string;
   directory?: string;
  };
  "io.k8s.api.core.v1.GlusterfsPersistentVolumeSource": {
   endpoints: string;
   path: string;
   readOnly?: boolean;
   endpointsNamespace?: string;
  };
  "io.k8s.api.core.v1.GlusterfsVolumeSource": {
   endpoints: string;
   path: string;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.HTTPGetAction": {
   path?: string;
   port: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
   host?: string;
   scheme?: string;
   httpHeaders?: components["schemas"]["io.k8s.api.core.v1.HTTPHeader"][];
  };
  "io.k8s.api.core.v1.HTTPHeader": {
   name: string;
   value: string;
  };
  "io.k8s.api.core.v1.HostAlias": {
   ip: string;
   hostnames?: string[];
  };
  "io.k8s.api.core.v1.HostIP": {
   ip: string;
  };
  "io.k8s.api.core.v1.HostPathVolumeSource": {
   path: string;
   type?: string;
  };
  "io.k8s.api.core.v1.ISCSIPersistentVolumeSource": {
   targetPortal: string;
   iqn: string;
   lun: number;
   iscsiInterface?: string;
   fsType?: string;
   readOnly?: boolean;
   portals?: string[];
   chapAuthDiscovery?: boolean;
   chapAuthSession?: boolean;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   initiatorName?: string;
  };
  "io.k8s.api.core.v1.ISCSIVolumeSource": {
   targetPortal: string;
   iqn: string;
   lun: number;
   iscsiInterface?: string;
   fsType?: string;
   readOnly?: boolean;
   portals?: string[];
   chapAuthDiscovery?: boolean;
   chapAuthSession?: boolean;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"];
   initiatorName?: string;
  };
  "io.k8s.api.core.v1.ImageVolumeSource": {
   reference?: string;
   pullPolicy?: string;
  };
  "io.k8s.api.core.v1.ImageVolumeStatus": {
   imageRef: string;
  };
  "io.k8s.api.core.v1.KeyToPath": {
   key: string;
   path: string;
   mode?: number;
  };
  "io.k8s.api.core.v1.Lifecycle": {
   postStart?: components["schemas"]["io.k8s.api.core.v1.LifecycleHandler"];
   preStop?: components["schemas"]["io.k8s.api.core.v1.LifecycleHandler"];
   stopSignal?: string;
  };
  "io.k8s.api.core.v1.LifecycleHandler": {
   exec?: components["schemas"]["io.k8s.api.core.v1.ExecAction"];
   httpGet?: components["schemas"]["io.k8s.api.core.v1.HTTPGetAction"];
   tcpSocket?: components["schemas"]["io.k8s.api.core.v1.TCPSocketAction"];
   sleep?: components["schemas"]["io.k8s.api.core.v1.SleepAction"];
  };
  "io.k8s.api.core.v1.LimitRange": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.LimitRangeSpec"];
  };
  "io.k8s.api.core.v1.LimitRangeItem": {
   type: string;
   max?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   min?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   default?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   defaultRequest?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   maxLimitRequestRatio?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
  };
  "io.k8s.api.core.v1.LimitRangeList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.LimitRange"][];
  };
  "io.k8s.api.core.v1.LimitRangeSpec": {
   limits: components["schemas"]["io.k8s.api.core.v1.LimitRangeItem"][];
  };
  "io.k8s.api.core.v1.LinuxContainerUser": {
   uid: number;
   gid: number;
   supplementalGroups?: number[];
  };
  "io.k8s.api.core.v1.LoadBalancerIngress": {
   ip?: string;
   hostname?: string;
   ipMode?: string;
   ports?: components["schemas"]["io.k8s.api.core.v1.PortStatus"][];
  };
  "io.k8s.api.core.v1.LoadBalancerStatus": {
   ingress?: components["schemas"]["io.k8s.api.core.v1.LoadBalancerIngress"][];
  };
  "io.k8s.api.core.v1.LocalObjectReference": {
   name?: string;
  };
  "io.k8s.api.core.v1.LocalVolumeSource": {
   path: string;
   fsType?: string;
  };
  "io.k8s.api.core.v1.ModifyVolumeStatus": {
   targetVolumeAttributesClassName?: string;
   status: string;
  };
  "io.k8s.api.core.v1.NFSVolumeSource": {
   server: string;
   path: string;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.Namespace": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.NamespaceSpec"];
   status?: components["schemas"]["io.k8s.api.core.v1.NamespaceStatus"];
  };
  "io.k8s.api.core.v1.NamespaceCondition": {
   type: string;
   status: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.core.v1.NamespaceList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.Namespace"][];
  };
  "io.k8s.api.core.v1.NamespaceSpec": {
   finalizers?: string[];
  };
  "io.k8s.api.core.v1.NamespaceStatus": {
   phase?: string;
   conditions?: components["schemas"]["io.k8s.api.core.v1.NamespaceCondition"][];
  };
  "io.k8s.api.core.v1.Node": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.NodeSpec"];
   status?: components["schemas"]["io.k8s.api.core.v1.NodeStatus"];
  };
  "io.k8s.api.core.v1.NodeAddress": {
   type: string;
   address: string;
  };
  "io.k8s.api.core.v1.NodeAffinity": {
   requiredDuringSchedulingIgnoredDuringExecution?: components["schemas"]["io.k8s.api.core.v1.NodeSelector"];
   preferredDuringSchedulingIgnoredDuringExecution?: components["schemas"]["io.k8s.api.core.v1.PreferredSchedulingTerm"][];
  };
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus": {
   resourceClaimName: string;
   containers?: string[];
   resources: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
  };
  "io.k8s.api.core.v1.NodeCondition": {
   type: string;
   status: string;
   lastHeartbeatTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.core.v1.NodeConfigSource": {
   configMap?: components["schemas"]["io.k8s.api.core.v1.ConfigMapNodeConfigSource"];
  };
  "io.k8s.api.core.v1.NodeConfigStatus": {
   assigned?: components["schemas"]["io.k8s.api.core.v1.NodeConfigSource"];
   active?: components["schemas"]["io.k8s.api.core.v1.NodeConfigSource"];
   lastKnownGood?: components["schemas"]["io.k8s.api.core.v1.NodeConfigSource"];
   error?: string;
  };
  "io.k8s.api.core.v1.NodeDaemonEndpoints": {
   kubeletEndpoint?: components["schemas"]["io.k8s.api.core.v1.DaemonEndpoint"];
  };
  "io.k8s.api.core.v1.NodeFeatures": {
   supplementalGroupsPolicy?: boolean;
  };
  "io.k8s.api.core.v1.NodeList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.Node"][];
  };
  "io.k8s.api.core.v1.NodeRuntimeHandler": {
   name?: string;
   features?: components["schemas"]["io.k8s.api.core.v1.NodeRuntimeHandlerFeatures"];
  };
  "io.k8s.api.core.v1.NodeRuntimeHandlerFeatures": {
   recursiveReadOnlyMounts?: boolean;
   userNamespaces?: boolean;
  };
  "io.k8s.api.core.v1.NodeSelector": {
   nodeSelectorTerms: components["schemas"]["io.k8s.api.core.v1.NodeSelectorTerm"][];
  };
  "io.k8s.api.core.v1.NodeSelectorRequirement": {
   key: string;
   operator: string;
   values?: string[];
  };
  "io.k8s.api.core.v1.NodeSelectorTerm": {
   matchExpressions?: components["schemas"]["io.k8s.api.core.v1.NodeSelectorRequirement"][];
   matchFields?: components["schemas"]["io.k8s.api.core.v1.NodeSelectorRequirement"][];
  };
  "io.k8s.api.core.v1.NodeSpec": {
   podCIDR?: string;
   podCIDRs?: string[];
   providerID?: string;
   unschedulable?: boolean;
   taints?: components["schemas"]["io.k8s.api.core.v1.Taint"][];
   configSource?: components["schemas"]["io.k8s.api.core.v1.NodeConfigSource"];
   externalID?: string;
  };
  "io.k8s.api.core.v1.NodeStatus": {
   capacity?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   allocatable?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   phase?: string;
   conditions?: components["schemas"]["io.k8s.api.core.v1.NodeCondition"][];
   addresses?: components["schemas"]["io.k8s.api.core.v1.NodeAddress"][];
   daemonEndpoints?: components["schemas"]["io.k8s.api.core.v1.NodeDaemonEndpoints"];
   nodeInfo?: components["schemas"]["io.k8s.api.core.v1.NodeSystemInfo"];
   images?: components["schemas"]["io.k8s.api.core.v1.ContainerImage"][];
   volumesInUse?: string[];
   volumesAttached?: components["schemas"]["io.k8s.api.core.v1.AttachedVolume"][];
   config?: components["schemas"]["io.k8s.api.core.v1.NodeConfigStatus"];
   runtimeHandlers?: components["schemas"]["io.k8s.api.core.v1.NodeRuntimeHandler"][];
   features?: components["schemas"]["io.k8s.api.core.v1.NodeFeatures"];
   declaredFeatures?: string[];
  };
  "io.k8s.api.core.v1.NodeSwapStatus": {
   capacity?: number;
  };
  "io.k8s.api.core.v1.NodeSystemInfo": {
   machineID: string;
   systemUUID: string;
   bootID: string;
   kernelVersion: string;
   osImage: string;
   containerRuntimeVersion: string;
   kubeletVersion: string;
   kubeProxyVersion: string;
   operatingSystem: string;
   architecture: string;
   swap?: components["schemas"]["io.k8s.api.core.v1.NodeSwapStatus"];
  };
  "io.k8s.api.core.v1.ObjectFieldSelector": {
   apiVersion?: string;
   fieldPath: string;
  };
  "io.k8s.api.core.v1.ObjectReference": {
   kind?: string;
   namespace?: string;
   name?: string;
   uid?: string;
   apiVersion?: string;
   resourceVersion?: string;
   fieldPath?: string;
  };
  "io.k8s.api.core.v1.PersistentVolume": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeSpec"];
   status?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeStatus"];
  };
  "io.k8s.api.core.v1.PersistentVolumeClaim": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeClaimSpec"];
   status?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeClaimStatus"];
  };
  "io.k8s.api.core.v1.PersistentVolumeClaimCondition": {
   type: string;
   status: string;
   lastProbeTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.core.v1.PersistentVolumeClaimList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeClaim"][];
  };
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec": {
   accessModes?: string[];
   selector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   resources?: components["schemas"]["io.k8s.api.core.v1.VolumeResourceRequirements"];
   volumeName?: string;
   storageClassName?: string;
   volumeMode?: string;
   dataSource?: components["schemas"]["io.k8s.api.core.v1.TypedLocalObjectReference"];
   dataSourceRef?: components["schemas"]["io.k8s.api.core.v1.TypedObjectReference"];
   volumeAttributesClassName?: string;
  };
  "io.k8s.api.core.v1.PersistentVolumeClaimStatus": {
   phase?: string;
   accessModes?: string[];
   capacity?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   conditions?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeClaimCondition"][];
   allocatedResources?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   allocatedResourceStatuses?: {
    [key: string]: string;
   };
   currentVolumeAttributesClassName?: string;
   modifyVolumeStatus?: components["schemas"]["io.k8s.api.core.v1.ModifyVolumeStatus"];
  };
  "io.k8s.api.core.v1.PersistentVolumeClaimTemplate": {
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeClaimSpec"];
  };
  "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource": {
   claimName: string;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.PersistentVolumeList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.PersistentVolume"][];
  };
  "io.k8s.api.core.v1.PersistentVolumeSpec": {
   capacity?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   gcePersistentDisk?: components["schemas"]["io.k8s.api.core.v1.GCEPersistentDiskVolumeSource"];
   awsElasticBlockStore?: components["schemas"]["io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource"];
   hostPath?: components["schemas"]["io.k8s.api.core.v1.HostPathVolumeSource"];
   glusterfs?: components["schemas"]["io.k8s.api.core.v1.GlusterfsPersistentVolumeSource"];
   nfs?: components["schemas"]["io.k8s.api.core.v1.NFSVolumeSource"];
   rbd?: components["schemas"]["io.k8s.api.core.v1.RBDPersistentVolumeSource"];
   iscsi?: components["schemas"]["io.k8s.api.core.v1.ISCSIPersistentVolumeSource"];
   cinder?: components["schemas"]["io.k8s.api.core.v1.CinderPersistentVolumeSource"];
   cephfs?: components["schemas"]["io.k8s.api.core.v1.CephFSPersistentVolumeSource"];
   fc?: components["schemas"]["io.k8s.api.core.v1.FCVolumeSource"];
   flocker?: components["schemas"]["io.k8s.api.core.v1.FlockerVolumeSource"];
   flexVolume?: components["schemas"]["io.k8s.api.core.v1.FlexPersistentVolumeSource"];
   azureFile?: components["schemas"]["io.k8s.api.core.v1.AzureFilePersistentVolumeSource"];
   vsphereVolume?: components["schemas"]["io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource"];
   quobyte?: components["schemas"]["io.k8s.api.core.v1.QuobyteVolumeSource"];
   azureDisk?: components["schemas"]["io.k8s.api.core.v1.AzureDiskVolumeSource"];
   photonPersistentDisk?: components["schemas"]["io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource"];
   portworxVolume?: components["schemas"]["io.k8s.api.core.v1.PortworxVolumeSource"];
   scaleIO?: components["schemas"]["io.k8s.api.core.v1.ScaleIOPersistentVolumeSource"];
   local?: components["schemas"]["io.k8s.api.core.v1.LocalVolumeSource"];
   storageos?: components["schemas"]["io.k8s.api.core.v1.StorageOSPersistentVolumeSource"];
   csi?: components["schemas"]["io.k8s.api.core.v1.CSIPersistentVolumeSource"];
   accessModes?: string[];
   claimRef?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
   persistentVolumeReclaimPolicy?: string;
   storageClassName?: string;
   mountOptions?: string[];
   volumeMode?: string;
   nodeAffinity?: components["schemas"]["io.k8s.api.core.v1.VolumeNodeAffinity"];
   volumeAttributesClassName?: string;
  };
  "io.k8s.api.core.v1.PersistentVolumeStatus": {
   phase?: string;
   message?: string;
   reason?: string;
   lastPhaseTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  };
  "io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource": {
   pdID: string;
   fsType?: string;
  };
  "io.k8s.api.core.v1.Pod": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.PodSpec"];
   status?: components["schemas"]["io.k8s.api.core.v1.PodStatus"];
  };
  "io.k8s.api.core.v1.PodAffinity": {
   requiredDuringSchedulingIgnoredDuringExecution?: components["schemas"]["io.k8s.api.core.v1.PodAffinityTerm"][];
   preferredDuringSchedulingIgnoredDuringExecution?: components["schemas"]["io.k8s.api.core.v1.WeightedPodAffinityTerm"][];
  };
  "io.k8s.api.core.v1.PodAffinityTerm": {
   labelSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   namespaces?: string[];
   topologyKey: string;
   namespaceSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   matchLabelKeys?: string[];
   mismatchLabelKeys?: string[];
  };
  "io.k8s.api.core.v1.PodAntiAffinity": {
   requiredDuringSchedulingIgnoredDuringExecution?: components["schemas"]["io.k8s.api.core.v1.PodAffinityTerm"][];
   preferredDuringSchedulingIgnoredDuringExecution?: components["schemas"]["io.k8s.api.core.v1.WeightedPodAffinityTerm"][];
  };
  "io.k8s.api.core.v1.PodCertificateProjection": {
   signerName: string;
   keyType: string;
   maxExpirationSeconds?: number;
   credentialBundlePath?: string;
   keyPath?: string;
   certificateChainPath?: string;
   userAnnotations?: {
    [key: string]: string;
   };
  };
  "io.k8s.api.core.v1.PodCondition": {
   type: string;
   observedGeneration?: number;
   status: string;
   lastProbeTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.core.v1.PodDNSConfig": {
   nameservers?: string[];
   searches?: string[];
   options?: components["schemas"]["io.k8s.api.core.v1.PodDNSConfigOption"][];
  };
  "io.k8s.api.core.v1.PodDNSConfigOption": {
   name?: string;
   value?: string;
  };
  "io.k8s.api.core.v1.PodExtendedResourceClaimStatus": {
   requestMappings: components["schemas"]["io.k8s.api.core.v1.ContainerExtendedResourceRequest"][];
   resourceClaimName: string;
  };
  "io.k8s.api.core.v1.PodIP": {
   ip: string;
  };
  "io.k8s.api.core.v1.PodList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.Pod"][];
  };
  "io.k8s.api.core.v1.PodOS": {
   name: string;
  };
  "io.k8s.api.core.v1.PodReadinessGate": {
   conditionType: string;
  };
  "io.k8s.api.core.v1.PodResourceClaim": {
   name: string;
   resourceClaimName?: string;
   resourceClaimTemplateName?: string;
  };
  "io.k8s.api.core.v1.PodResourceClaimStatus": {
   name: string;
   resourceClaimName?: string;
  };
  "io.k8s.api.core.v1.PodSchedulingGate": {
   name: string;
  };
  "io.k8s.api.core.v1.PodSchedulingGroup": {
   podGroupName?: string;
  };
  "io.k8s.api.core.v1.PodSecurityContext": {
   seLinuxOptions?: components["schemas"]["io.k8s.api.core.v1.SELinuxOptions"];
   windowsOptions?: components["schemas"]["io.k8s.api.core.v1.WindowsSecurityContextOptions"];
   runAsUser?: number;
   runAsGroup?: number;
   runAsNonRoot?: boolean;
   supplementalGroups?: number[];
   supplementalGroupsPolicy?: string;
   fsGroup?: number;
   sysctls?: components["schemas"]["io.k8s.api.core.v1.Sysctl"][];
   fsGroupChangePolicy?: string;
   seccompProfile?: components["schemas"]["io.k8s.api.core.v1.SeccompProfile"];
   appArmorProfile?: components["schemas"]["io.k8s.api.core.v1.AppArmorProfile"];
   seLinuxChangePolicy?: string;
  };
  "io.k8s.api.core.v1.PodSpec": {
   volumes?: components["schemas"]["io.k8s.api.core.v1.Volume"][];
   initContainers?: components["schemas"]["io.k8s.api.core.v1.Container"][];
   containers: components["schemas"]["io.k8s.api.core.v1.Container"][];
   ephemeralContainers?: components["schemas"]["io.k8s.api.core.v1.EphemeralContainer"][];
   restartPolicy?: string;
   terminationGracePeriodSeconds?: number;
   activeDeadlineSeconds?: number;
   dnsPolicy?: string;
   nodeSelector?: {
    [key: string]: string;
   };
   serviceAccountName?: string;
   serviceAccount?: string;
   automountServiceAccountToken?: boolean;
   nodeName?: string;
   hostNetwork?: boolean;
   hostPID?: boolean;
   hostIPC?: boolean;
   shareProcessNamespace?: boolean;
   securityContext?: components["schemas"]["io.k8s.api.core.v1.PodSecurityContext"];
   imagePullSecrets?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"][];
   hostname?: string;
   subdomain?: string;
   affinity?: components["schemas"]["io.k8s.api.core.v1.Affinity"];
   schedulerName?: string;
   tolerations?: components["schemas"]["io.k8s.api.core.v1.Toleration"][];
   hostAliases?: components["schemas"]["io.k8s.api.core.v1.HostAlias"][];
   priorityClassName?: string;
   priority?: number;
   dnsConfig?: components["schemas"]["io.k8s.api.core.v1.PodDNSConfig"];
   readinessGates?: components["schemas"]["io.k8s.api.core.v1.PodReadinessGate"][];
   runtimeClassName?: string;
   enableServiceLinks?: boolean;
   preemptionPolicy?: string;
   overhead?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   topologySpreadConstraints?: components["schemas"]["io.k8s.api.core.v1.TopologySpreadConstraint"][];
   setHostnameAsFQDN?: boolean;
   os?: components["schemas"]["io.k8s.api.core.v1.PodOS"];
   hostUsers?: boolean;
   schedulingGates?: components["schemas"]["io.k8s.api.core.v1.PodSchedulingGate"][];
   resourceClaims?: components["schemas"]["io.k8s.api.core.v1.PodResourceClaim"][];
   resources?: components["schemas"]["io.k8s.api.core.v1.ResourceRequirements"];
   hostnameOverride?: string;
   schedulingGroup?: components["schemas"]["io.k8s.api.core.v1.PodSchedulingGroup"];
  };
  "io.k8s.api.core.v1.PodStatus": {
   observedGeneration?: number;
   phase?: string;
   conditions?: components["schemas"]["io.k8s.api.core.v1.PodCondition"][];
   message?: string;
   reason?: string;
   nominatedNodeName?: string;
   hostIP?: string;
   hostIPs?: components["schemas"]["io.k8s.api.core.v1.HostIP"][];
   podIP?: string;
   podIPs?: components["schemas"]["io.k8s.api.core.v1.PodIP"][];
   startTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   initContainerStatuses?: components["schemas"]["io.k8s.api.core.v1.ContainerStatus"][];
   containerStatuses?: components["schemas"]["io.k8s.api.core.v1.ContainerStatus"][];
   qosClass?: string;
   ephemeralContainerStatuses?: components["schemas"]["io.k8s.api.core.v1.ContainerStatus"][];
   resize?: string;
   resourceClaimStatuses?: components["schemas"]["io.k8s.api.core.v1.PodResourceClaimStatus"][];
   extendedResourceClaimStatus?: components["schemas"]["io.k8s.api.core.v1.PodExtendedResourceClaimStatus"];
   allocatedResources?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   resources?: components["schemas"]["io.k8s.api.core.v1.ResourceRequirements"];
   nodeAllocatableResourceClaimStatuses?: components["schemas"]["io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus"][];
  };
  "io.k8s.api.core.v1.PodTemplate": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   template?: components["schemas"]["io.k8s.api.core.v1.PodTemplateSpec"];
  };
  "io.k8s.api.core.v1.PodTemplateList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.PodTemplate"][];
  };
  "io.k8s.api.core.v1.PodTemplateSpec": {
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.PodSpec"];
  };
  "io.k8s.api.core.v1.PortStatus": {
   port: number;
   protocol: string;
   error?: string;
  };
  "io.k8s.api.core.v1.PortworxVolumeSource": {
   volumeID: string;
   fsType?: string;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.PreferredSchedulingTerm": {
   weight: number;
   preference: components["schemas"]["io.k8s.api.core.v1.NodeSelectorTerm"];
  };
  "io.k8s.api.core.v1.Probe": {
   exec?: components["schemas"]["io.k8s.api.core.v1.ExecAction"];
   httpGet?: components["schemas"]["io.k8s.api.core.v1.HTTPGetAction"];
   tcpSocket?: components["schemas"]["io.k8s.api.core.v1.TCPSocketAction"];
   grpc?: components["schemas"]["io.k8s.api.core.v1.GRPCAction"];
   initialDelaySeconds?: number;
   timeoutSeconds?: number;
   periodSeconds?: number;
   successThreshold?: number;
   failureThreshold?: number;
   terminationGracePeriodSeconds?: number;
  };
  "io.k8s.api.core.v1.ProjectedVolumeSource": {
   sources?: components["schemas"]["io.k8s.api.core.v1.VolumeProjection"][];
   defaultMode?: number;
  };
  "io.k8s.api.core.v1.QuobyteVolumeSource": {
   registry: string;
   volume: string;
   readOnly?: boolean;
   user?: string;
   group?: string;
   tenant?: string;
  };
  "io.k8s.api.core.v1.RBDPersistentVolumeSource": {
   monitors: string[];
   image: string;
   fsType?: string;
   pool?: string;
   user?: string;
   keyring?: string;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.RBDVolumeSource": {
   monitors: string[];
   image: string;
   fsType?: string;
   pool?: string;
   user?: string;
   keyring?: string;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"];
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.ReplicationController": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.ReplicationControllerSpec"];
   status?: components["schemas"]["io.k8s.api.core.v1.ReplicationControllerStatus"];
  };
  "io.k8s.api.core.v1.ReplicationControllerCondition": {
   type: string;
   status: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.core.v1.ReplicationControllerList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.ReplicationController"][];
  };
  "io.k8s.api.core.v1.ReplicationControllerSpec": {
   replicas?: number;
   minReadySeconds?: number;
   selector?: {
    [key: string]: string;
   };
   template?: components["schemas"]["io.k8s.api.core.v1.PodTemplateSpec"];
  };
  "io.k8s.api.core.v1.ReplicationControllerStatus": {
   replicas: number;
   fullyLabeledReplicas?: number;
   readyReplicas?: number;
   availableReplicas?: number;
   observedGeneration?: number;
   conditions?: components["schemas"]["io.k8s.api.core.v1.ReplicationControllerCondition"][];
  };
  "io.k8s.api.core.v1.ResourceClaim": {
   name: string;
   request?: string;
  };
  "io.k8s.api.core.v1.ResourceFieldSelector": {
   containerName?: string;
   resource: string;
   divisor?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  };
  "io.k8s.api.core.v1.ResourceHealth": {
   resourceID: string;
   health?: string;
   message?: string;
  };
  "io.k8s.api.core.v1.ResourceQuota": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.ResourceQuotaSpec"];
   status?: components["schemas"]["io.k8s.api.core.v1.ResourceQuotaStatus"];
  };
  "io.k8s.api.core.v1.ResourceQuotaList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.ResourceQuota"][];
  };
  "io.k8s.api.core.v1.ResourceQuotaSpec": {
   hard?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   scopes?: string[];
   scopeSelector?: components["schemas"]["io.k8s.api.core.v1.ScopeSelector"];
  };
  "io.k8s.api.core.v1.ResourceQuotaStatus": {
   hard?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   used?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
  };
  "io.k8s.api.core.v1.ResourceRequirements": {
   limits?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   requests?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   claims?: components["schemas"]["io.k8s.api.core.v1.ResourceClaim"][];
  };
  "io.k8s.api.core.v1.ResourceStatus": {
   name: string;
   resources?: components["schemas"]["io.k8s.api.core.v1.ResourceHealth"][];
  };
  "io.k8s.api.core.v1.SELinuxOptions": {
   user?: string;
   role?: string;
   type?: string;
   level?: string;
  };
  "io.k8s.api.core.v1.ScaleIOPersistentVolumeSource": {
   gateway: string;
   system: string;
   secretRef: components["schemas"]["io.k8s.api.core.v1.SecretReference"];
   sslEnabled?: boolean;
   protectionDomain?: string;
   storagePool?: string;
   storageMode?: string;
   volumeName?: string;
   fsType?: string;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.ScaleIOVolumeSource": {
   gateway: string;
   system: string;
   secretRef: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"];
   sslEnabled?: boolean;
   protectionDomain?: string;
   storagePool?: string;
   storageMode?: string;
   volumeName?: string;
   fsType?: string;
   readOnly?: boolean;
  };
  "io.k8s.api.core.v1.ScopeSelector": {
   matchExpressions?: components["schemas"]["io.k8s.api.core.v1.ScopedResourceSelectorRequirement"][];
  };
  "io.k8s.api.core.v1.ScopedResourceSelectorRequirement": {
   scopeName: string;
   operator: string;
   values?: string[];
  };
  "io.k8s.api.core.v1.SeccompProfile": {
   type: string;
   localhostProfile?: string;
  };
  "io.k8s.api.core.v1.Secret": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   immutable?: boolean;
   data?: {
    [key: string]: string;
   };
   stringData?: {
    [key: string]: string;
   };
   type?: string;
  };
  "io.k8s.api.core.v1.SecretEnvSource": {
   name?: string;
   optional?: boolean;
  };
  "io.k8s.api.core.v1.SecretKeySelector": {
   name?: string;
   key: string;
   optional?: boolean;
  };
  "io.k8s.api.core.v1.SecretList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.Secret"][];
  };
  "io.k8s.api.core.v1.SecretProjection": {
   name?: string;
   items?: components["schemas"]["io.k8s.api.core.v1.KeyToPath"][];
   optional?: boolean;
  };
  "io.k8s.api.core.v1.SecretReference": {
   name?: string;
   namespace?: string;
  };
  "io.k8s.api.core.v1.SecretVolumeSource": {
   secretName?: string;
   items?: components["schemas"]["io.k8s.api.core.v1.KeyToPath"][];
   defaultMode?: number;
   optional?: boolean;
  };
  "io.k8s.api.core.v1.SecurityContext": {
   capabilities?: components["schemas"]["io.k8s.api.core.v1.Capabilities"];
   privileged?: boolean;
   seLinuxOptions?: components["schemas"]["io.k8s.api.core.v1.SELinuxOptions"];
   windowsOptions?: components["schemas"]["io.k8s.api.core.v1.WindowsSecurityContextOptions"];
   runAsUser?: number;
   runAsGroup?: number;
   runAsNonRoot?: boolean;
   readOnlyRootFilesystem?: boolean;
   allowPrivilegeEscalation?: boolean;
   procMount?: string;
   seccompProfile?: components["schemas"]["io.k8s.api.core.v1.SeccompProfile"];
   appArmorProfile?: components["schemas"]["io.k8s.api.core.v1.AppArmorProfile"];
  };
  "io.k8s.api.core.v1.Service": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.core.v1.ServiceSpec"];
   status?: components["schemas"]["io.k8s.api.core.v1.ServiceStatus"];
  };
  "io.k8s.api.core.v1.ServiceAccount": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   secrets?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"][];
   imagePullSecrets?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"][];
   automountServiceAccountToken?: boolean;
  };
  "io.k8s.api.core.v1.ServiceAccountList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.ServiceAccount"][];
  };
  "io.k8s.api.core.v1.ServiceAccountTokenProjection": {
   audience?: string;
   expirationSeconds?: number;
   path: string;
  };
  "io.k8s.api.core.v1.ServiceList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.core.v1.Service"][];
  };
  "io.k8s.api.core.v1.ServicePort": {
   name?: string;
   protocol?: string;
   appProtocol?: string;
   port: number;
   targetPort?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
   nodePort?: number;
  };
  "io.k8s.api.core.v1.ServiceSpec": {
   ports?: components["schemas"]["io.k8s.api.core.v1.ServicePort"][];
   selector?: {
    [key: string]: string;
   };
   clusterIP?: string;
   clusterIPs?: string[];
   type?: string;
   externalIPs?: string[];
   sessionAffinity?: string;
   loadBalancerIP?: string;
   loadBalancerSourceRanges?: string[];
   externalName?: string;
   externalTrafficPolicy?: string;
   healthCheckNodePort?: number;
   publishNotReadyAddresses?: boolean;
   sessionAffinityConfig?: components["schemas"]["io.k8s.api.core.v1.SessionAffinityConfig"];
   ipFamilies?: string[];
   ipFamilyPolicy?: string;
   allocateLoadBalancerNodePorts?: boolean;
   loadBalancerClass?: string;
   internalTrafficPolicy?: string;
   trafficDistribution?: string;
  };
  "io.k8s.api.core.v1.ServiceStatus": {
   loadBalancer?: components["schemas"]["io.k8s.api.core.v1.LoadBalancerStatus"];
   conditions?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Condition"][];
  };
  "io.k8s.api.core.v1.SessionAffinityConfig": {
   clientIP?: components["schemas"]["io.k8s.api.core.v1.ClientIPConfig"];
  };
  "io.k8s.api.core.v1.SleepAction": {
   seconds: number;
  };
  "io.k8s.api.core.v1.StorageOSPersistentVolumeSource": {
   volumeName?: string;
   volumeNamespace?: string;
   fsType?: string;
   readOnly?: boolean;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
  };
  "io.k8s.api.core.v1.StorageOSVolumeSource": {
   volumeName?: string;
   volumeNamespace?: string;
   fsType?: string;
   readOnly?: boolean;
   secretRef?: components["schemas"]["io.k8s.api.core.v1.LocalObjectReference"];
  };
  "io.k8s.api.core.v1.Sysctl": {
   name: string;
   value: string;
  };
  "io.k8s.api.core.v1.TCPSocketAction": {
   port: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
   host?: string;
  };
  "io.k8s.api.core.v1.Taint": {
   key: string;
   value?: string;
   effect: string;
   timeAdded?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  };
  "io.k8s.api.core.v1.Toleration": {
   key?: string;
   operator?: string;
   value?: string;
   effect?: string;
   tolerationSeconds?: number;
  };
  "io.k8s.api.core.v1.TopologySelectorLabelRequirement": {
   key: string;
   values: string[];
  };
  "io.k8s.api.core.v1.TopologySelectorTerm": {
   matchLabelExpressions?: components["schemas"]["io.k8s.api.core.v1.TopologySelectorLabelRequirement"][];
  };
  "io.k8s.api.core.v1.TopologySpreadConstraint": {
   maxSkew: number;
   topologyKey: string;
   whenUnsatisfiable: string;
   labelSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   minDomains?: number;
   nodeAffinityPolicy?: string;
   nodeTaintsPolicy?: string;
   matchLabelKeys?: string[];
  };
  "io.k8s.api.core.v1.TypedLocalObjectReference": {
   apiGroup?: string;
   kind: string;
   name: string;
  };
  "io.k8s.api.core.v1.TypedObjectReference": {
   apiGroup?: string;
   kind: string;
   name: string;
   namespace?: string;
  };
  "io.k8s.api.core.v1.Volume": {
   name: string;
   hostPath?: components["schemas"]["io.k8s.api.core.v1.HostPathVolumeSource"];
   emptyDir?: components["schemas"]["io.k8s.api.core.v1.EmptyDirVolumeSource"];
   gcePersistentDisk?: components["schemas"]["io.k8s.api.core.v1.GCEPersistentDiskVolumeSource"];
   awsElasticBlockStore?: components["schemas"]["io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource"];
   gitRepo?: components["schemas"]["io.k8s.api.core.v1.GitRepoVolumeSource"];
   secret?: components["schemas"]["io.k8s.api.core.v1.SecretVolumeSource"];
   nfs?: components["schemas"]["io.k8s.api.core.v1.NFSVolumeSource"];
   iscsi?: components["schemas"]["io.k8s.api.core.v1.ISCSIVolumeSource"];
   glusterfs?: components["schemas"]["io.k8s.api.core.v1.GlusterfsVolumeSource"];
   persistentVolumeClaim?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource"];
   rbd?: components["schemas"]["io.k8s.api.core.v1.RBDVolumeSource"];
   flexVolume?: components["schemas"]["io.k8s.api.core.v1.FlexVolumeSource"];
   cinder?: components["schemas"]["io.k8s.api.core.v1.CinderVolumeSource"];
   cephfs?: components["schemas"]["io.k8s.api.core.v1.CephFSVolumeSource"];
   flocker?: components["schemas"]["io.k8s.api.core.v1.FlockerVolumeSource"];
   downwardAPI?: components["schemas"]["io.k8s.api.core.v1.DownwardAPIVolumeSource"];
   fc?: components["schemas"]["io.k8s.api.core.v1.FCVolumeSource"];
   azureFile?: components["schemas"]["io.k8s.api.core.v1.AzureFileVolumeSource"];
   configMap?: components["schemas"]["io.k8s.api.core.v1.ConfigMapVolumeSource"];
   vsphereVolume?: components["schemas"]["io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource"];
   quobyte?: components["schemas"]["io.k8s.api.core.v1.QuobyteVolumeSource"];
   azureDisk?: components["schemas"]["io.k8s.api.core.v1.AzureDiskVolumeSource"];
   photonPersistentDisk?: components["schemas"]["io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource"];
   projected?: components["schemas"]["io.k8s.api.core.v1.ProjectedVolumeSource"];
   portworxVolume?: components["schemas"]["io.k8s.api.core.v1.PortworxVolumeSource"];
   scaleIO?: components["schemas"]["io.k8s.api.core.v1.ScaleIOVolumeSource"];
   storageos?: components["schemas"]["io.k8s.api.core.v1.StorageOSVolumeSource"];
   csi?: components["schemas"]["io.k8s.api.core.v1.CSIVolumeSource"];
   ephemeral?: components["schemas"]["io.k8s.api.core.v1.EphemeralVolumeSource"];
   image?: components["schemas"]["io.k8s.api.core.v1.ImageVolumeSource"];
  };
  "io.k8s.api.core.v1.VolumeDevice": {
   name: string;
   devicePath: string;
  };
  "io.k8s.api.core.v1.VolumeMount": {
   name: string;
   readOnly?: boolean;
   recursiveReadOnly?: string;
   mountPath: string;
   subPath?: string;
   mountPropagation?: string;
   subPathExpr?: string;
  };
  "io.k8s.api.core.v1.VolumeMountStatus": {
   name: string;
   mountPath: string;
   readOnly?: boolean;
   recursiveReadOnly?: string;
   volumeStatus?: components["schemas"]["io.k8s.api.core.v1.VolumeStatus"];
  };
  "io.k8s.api.core.v1.VolumeNodeAffinity": {
   required?: components["schemas"]["io.k8s.api.core.v1.NodeSelector"];
  };
  "io.k8s.api.core.v1.VolumeProjection": {
   secret?: components["schemas"]["io.k8s.api.core.v1.SecretProjection"];
   downwardAPI?: components["schemas"]["io.k8s.api.core.v1.DownwardAPIProjection"];
   configMap?: components["schemas"]["io.k8s.api.core.v1.ConfigMapProjection"];
   serviceAccountToken?: components["schemas"]["io.k8s.api.core.v1.ServiceAccountTokenProjection"];
   clusterTrustBundle?: components["schemas"]["io.k8s.api.core.v1.ClusterTrustBundleProjection"];
   podCertificate?: components["schemas"]["io.k8s.api.core.v1.PodCertificateProjection"];
  };
  "io.k8s.api.core.v1.VolumeResourceRequirements": {
   limits?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
   requests?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
  };
  "io.k8s.api.core.v1.VolumeStatus": {
   image?: components["schemas"]["io.k8s.api.core.v1.ImageVolumeStatus"];
  };
  "io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource": {
   volumePath: string;
   fsType?: string;
   storagePolicyName?: string;
   storagePolicyID?: string;
  };
  "io.k8s.api.core.v1.WeightedPodAffinityTerm": {
   weight: number;
   podAffinityTerm: components["schemas"]["io.k8s.api.core.v1.PodAffinityTerm"];
  };
  "io.k8s.api.core.v1.WindowsSecurityContextOptions": {
   gmsaCredentialSpecName?: string;
   gmsaCredentialSpec?: string;
   runAsUserName?: string;
   hostProcess?: boolean;
  };
  "io.k8s.api.discovery.v1.Endpoint": {
   addresses: string[];
   conditions?: components["schemas"]["io.k8s.api.discovery.v1.EndpointConditions"];
   hostname?: string;
   targetRef?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
   deprecatedTopology?: {
    [key: string]: string;
   };
   nodeName?: string;
   zone?: string;
   hints?: components["schemas"]["io.k8s.api.discovery.v1.EndpointHints"];
  };
  "io.k8s.api.discovery.v1.EndpointConditions": {
   ready?: boolean;
   serving?: boolean;
   terminating?: boolean;
  };
  "io.k8s.api.discovery.v1.EndpointHints": {
   forZones?: components["schemas"]["io.k8s.api.discovery.v1.ForZone"][];
   forNodes?: components["schemas"]["io.k8s.api.discovery.v1.ForNode"][];
  };
  "io.k8s.api.discovery.v1.EndpointPort": {
   name?: string;
   protocol?: string;
   port?: number;
   appProtocol?: string;
  };
  "io.k8s.api.discovery.v1.EndpointSlice": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   addressType: string;
   endpoints?: components["schemas"]["io.k8s.api.discovery.v1.Endpoint"][];
   ports?: components["schemas"]["io.k8s.api.discovery.v1.EndpointPort"][];
  };
  "io.k8s.api.discovery.v1.EndpointSliceList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.discovery.v1.EndpointSlice"][];
  };
  "io.k8s.api.discovery.v1.ForNode": {
   name: string;
  };
  "io.k8s.api.discovery.v1.ForZone": {
   name: string;
  };
  "io.k8s.api.events.v1.Event": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   eventTime: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"];
   series?: components["schemas"]["io.k8s.api.events.v1.EventSeries"];
   reportingController?: string;
   reportingInstance?: string;
   action?: string;
   reason?: string;
   regarding?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
   related?: components["schemas"]["io.k8s.api.core.v1.ObjectReference"];
   note?: string;
   type?: string;
   deprecatedSource?: components["schemas"]["io.k8s.api.core.v1.EventSource"];
   deprecatedFirstTimestamp?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   deprecatedLastTimestamp?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   deprecatedCount?: number;
  };
  "io.k8s.api.events.v1.EventList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.events.v1.Event"][];
  };
  "io.k8s.api.events.v1.EventSeries": {
   count: number;
   lastObservedTime: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"];
  };
  "io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration": {
   nominalConcurrencyShares?: number;
   lendablePercent?: number;
  };
  "io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod": {
   type: string;
  };
  "io.k8s.api.flowcontrol.v1.FlowSchema": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.flowcontrol.v1.FlowSchemaSpec"];
   status?: components["schemas"]["io.k8s.api.flowcontrol.v1.FlowSchemaStatus"];
  };
  "io.k8s.api.flowcontrol.v1.FlowSchemaCondition": {
   type?: string;
   status?: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.flowcontrol.v1.FlowSchemaList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.flowcontrol.v1.FlowSchema"][];
  };
  "io.k8s.api.flowcontrol.v1.FlowSchemaSpec": {
   priorityLevelConfiguration: components["schemas"]["io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference"];
   matchingPrecedence?: number;
   distinguisherMethod?: components["schemas"]["io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod"];
   rules?: components["schemas"]["io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects"][];
  };
  "io.k8s.api.flowcontrol.v1.FlowSchemaStatus": {
   conditions?: components["schemas"]["io.k8s.api.flowcontrol.v1.FlowSchemaCondition"][];
  };
  "io.k8s.api.flowcontrol.v1.GroupSubject": {
   name: string;
  };
  "io.k8s.api.flowcontrol.v1.LimitResponse": {
   type: string;
   queuing?: components["schemas"]["io.k8s.api.flowcontrol.v1.QueuingConfiguration"];
  };
  "io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration": {
   nominalConcurrencyShares?: number;
   limitResponse?: components["schemas"]["io.k8s.api.flowcontrol.v1.LimitResponse"];
   lendablePercent?: number;
   borrowingLimitPercent?: number;
  };
  "io.k8s.api.flowcontrol.v1.NonResourcePolicyRule": {
   verbs: string[];
   nonResourceURLs: string[];
  };
  "io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects": {
   subjects: components["schemas"]["io.k8s.api.flowcontrol.v1.Subject"][];
   resourceRules?: components["schemas"]["io.k8s.api.flowcontrol.v1.ResourcePolicyRule"][];
   nonResourceRules?: components["schemas"]["io.k8s.api.flowcontrol.v1.NonResourcePolicyRule"][];
  };
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec"];
   status?: components["schemas"]["io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus"];
  };
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition": {
   type?: string;
   status?: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration"][];
  };
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference": {
   name: string;
  };
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec": {
   type: string;
   limited?: components["schemas"]["io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration"];
   exempt?: components["schemas"]["io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration"];
  };
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus": {
   conditions?: components["schemas"]["io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition"][];
  };
  "io.k8s.api.flowcontrol.v1.QueuingConfiguration": {
   queues?: number;
   handSize?: number;
   queueLengthLimit?: number;
  };
  "io.k8s.api.flowcontrol.v1.ResourcePolicyRule": {
   verbs: string[];
   apiGroups: string[];
   resources: string[];
   clusterScope?: boolean;
   namespaces?: string[];
  };
  "io.k8s.api.flowcontrol.v1.ServiceAccountSubject": {
   namespace: string;
   name: string;
  };
  "io.k8s.api.flowcontrol.v1.Subject": {
   kind: string;
   user?: components["schemas"]["io.k8s.api.flowcontrol.v1.UserSubject"];
   group?: components["schemas"]["io.k8s.api.flowcontrol.v1.GroupSubject"];
   serviceAccount?: components["schemas"]["io.k8s.api.flowcontrol.v1.ServiceAccountSubject"];
  };
  "io.k8s.api.flowcontrol.v1.UserSubject": {
   name: string;
  };
  "io.k8s.api.networking.v1.HTTPIngressPath": {
   path?: string;
   pathType: string;
   backend: components["schemas"]["io.k8s.api.networking.v1.IngressBackend"];
  };
  "io.k8s.api.networking.v1.HTTPIngressRuleValue": {
   paths: components["schemas"]["io.k8s.api.networking.v1.HTTPIngressPath"][];
  };
  "io.k8s.api.networking.v1.IPAddress": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.networking.v1.IPAddressSpec"];
  };
  "io.k8s.api.networking.v1.IPAddressList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.networking.v1.IPAddress"][];
  };
  "io.k8s.api.networking.v1.IPAddressSpec": {
   parentRef: components["schemas"]["io.k8s.api.networking.v1.ParentReference"];
  };
  "io.k8s.api.networking.v1.IPBlock": {
   cidr: string;
   except?: string[];
  };
  "io.k8s.api.networking.v1.Ingress": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.networking.v1.IngressSpec"];
   status?: components["schemas"]["io.k8s.api.networking.v1.IngressStatus"];
  };
  "io.k8s.api.networking.v1.IngressBackend": {
   service?: components["schemas"]["io.k8s.api.networking.v1.IngressServiceBackend"];
   resource?: components["schemas"]["io.k8s.api.core.v1.TypedLocalObjectReference"];
  };
  "io.k8s.api.networking.v1.IngressClass": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.networking.v1.IngressClassSpec"];
  };
  "io.k8s.api.networking.v1.IngressClassList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.networking.v1.IngressClass"][];
  };
  "io.k8s.api.networking.v1.IngressClassParametersReference": {
   apiGroup?: string;
   kind: string;
   name: string;
   scope?: string;
   namespace?: string;
  };
  "io.k8s.api.networking.v1.IngressClassSpec": {
   controller?: string;
   parameters?: components["schemas"]["io.k8s.api.networking.v1.IngressClassParametersReference"];
  };
  "io.k8s.api.networking.v1.IngressList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.networking.v1.Ingress"][];
  };
  "io.k8s.api.networking.v1.IngressLoadBalancerIngress": {
   ip?: string;
   hostname?: string;
   ports?: components["schemas"]["io.k8s.api.networking.v1.IngressPortStatus"][];
  };
  "io.k8s.api.networking.v1.IngressLoadBalancerStatus": {
   ingress?: components["schemas"]["io.k8s.api.networking.v1.IngressLoadBalancerIngress"][];
  };
  "io.k8s.api.networking.v1.IngressPortStatus": {
   port: number;
   protocol: string;
   error?: string;
  };
  "io.k8s.api.networking.v1.IngressRule": {
   host?: string;
   http?: components["schemas"]["io.k8s.api.networking.v1.HTTPIngressRuleValue"];
  };
  "io.k8s.api.networking.v1.IngressServiceBackend": {
   name: string;
   port?: components["schemas"]["io.k8s.api.networking.v1.ServiceBackendPort"];
  };
  "io.k8s.api.networking.v1.IngressSpec": {
   ingressClassName?: string;
   defaultBackend?: components["schemas"]["io.k8s.api.networking.v1.IngressBackend"];
   tls?: components["schemas"]["io.k8s.api.networking.v1.IngressTLS"][];
   rules?: components["schemas"]["io.k8s.api.networking.v1.IngressRule"][];
  };
  "io.k8s.api.networking.v1.IngressStatus": {
   loadBalancer?: components["schemas"]["io.k8s.api.networking.v1.IngressLoadBalancerStatus"];
  };
  "io.k8s.api.networking.v1.IngressTLS": {
   hosts?: string[];
   secretName?: string;
  };
  "io.k8s.api.networking.v1.NetworkPolicy": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.networking.v1.NetworkPolicySpec"];
  };
  "io.k8s.api.networking.v1.NetworkPolicyEgressRule": {
   ports?: components["schemas"]["io.k8s.api.networking.v1.NetworkPolicyPort"][];
   to?: components["schemas"]["io.k8s.api.networking.v1.NetworkPolicyPeer"][];
  };
  "io.k8s.api.networking.v1.NetworkPolicyIngressRule": {
   ports?: components["schemas"]["io.k8s.api.networking.v1.NetworkPolicyPort"][];
   from?: components["schemas"]["io.k8s.api.networking.v1.NetworkPolicyPeer"][];
  };
  "io.k8s.api.networking.v1.NetworkPolicyList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.networking.v1.NetworkPolicy"][];
  };
  "io.k8s.api.networking.v1.NetworkPolicyPeer": {
   podSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   namespaceSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   ipBlock?: components["schemas"]["io.k8s.api.networking.v1.IPBlock"];
  };
  "io.k8s.api.networking.v1.NetworkPolicyPort": {
   protocol?: string;
   port?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
   endPort?: number;
  };
  "io.k8s.api.networking.v1.NetworkPolicySpec": {
   podSelector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   ingress?: components["schemas"]["io.k8s.api.networking.v1.NetworkPolicyIngressRule"][];
   egress?: components["schemas"]["io.k8s.api.networking.v1.NetworkPolicyEgressRule"][];
   policyTypes?: string[];
  };
  "io.k8s.api.networking.v1.ParentReference": {
   group?: string;
   resource: string;
   namespace?: string;
   name: string;
  };
  "io.k8s.api.networking.v1.ServiceBackendPort": {
   name?: string;
   number?: number;
  };
  "io.k8s.api.networking.v1.ServiceCIDR": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.networking.v1.ServiceCIDRSpec"];
   status?: components["schemas"]["io.k8s.api.networking.v1.ServiceCIDRStatus"];
  };
  "io.k8s.api.networking.v1.ServiceCIDRList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.networking.v1.ServiceCIDR"][];
  };
  "io.k8s.api.networking.v1.ServiceCIDRSpec": {
   cidrs?: string[];
  };
  "io.k8s.api.networking.v1.ServiceCIDRStatus": {
   conditions?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Condition"][];
  };
  "io.k8s.api.node.v1.Overhead": {
   podFixed?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
  };
  "io.k8s.api.node.v1.RuntimeClass": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   handler: string;
   overhead?: components["schemas"]["io.k8s.api.node.v1.Overhead"];
   scheduling?: components["schemas"]["io.k8s.api.node.v1.Scheduling"];
  };
  "io.k8s.api.node.v1.RuntimeClassList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.node.v1.RuntimeClass"][];
  };
  "io.k8s.api.node.v1.Scheduling": {
   nodeSelector?: {
    [key: string]: string;
   };
   tolerations?: components["schemas"]["io.k8s.api.core.v1.Toleration"][];
  };
  "io.k8s.api.policy.v1.Eviction": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   deleteOptions?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"];
  };
  "io.k8s.api.policy.v1.PodDisruptionBudget": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.api.policy.v1.PodDisruptionBudgetSpec"];
   status?: components["schemas"]["io.k8s.api.policy.v1.PodDisruptionBudgetStatus"];
  };
  "io.k8s.api.policy.v1.PodDisruptionBudgetList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.policy.v1.PodDisruptionBudget"][];
  };
  "io.k8s.api.policy.v1.PodDisruptionBudgetSpec": {
   minAvailable?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
   selector?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   maxUnavailable?: components["schemas"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
   unhealthyPodEvictionPolicy?: string;
  };
  "io.k8s.api.policy.v1.PodDisruptionBudgetStatus": {
   observedGeneration?: number;
   disruptedPods?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   };
   disruptionsAllowed?: number;
   currentHealthy?: number;
   desiredHealthy?: number;
   expectedPods?: number;
   conditions?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Condition"][];
  };
  "io.k8s.api.rbac.v1.AggregationRule": {
   clusterRoleSelectors?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"][];
  };
  "io.k8s.api.rbac.v1.ClusterRole": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   rules?: components["schemas"]["io.k8s.api.rbac.v1.PolicyRule"][];
   aggregationRule?: components["schemas"]["io.k8s.api.rbac.v1.AggregationRule"];
  };
  "io.k8s.api.rbac.v1.ClusterRoleBinding": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   subjects?: components["schemas"]["io.k8s.api.rbac.v1.Subject"][];
   roleRef: components["schemas"]["io.k8s.api.rbac.v1.RoleRef"];
  };
  "io.k8s.api.rbac.v1.ClusterRoleBindingList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.rbac.v1.ClusterRoleBinding"][];
  };
  "io.k8s.api.rbac.v1.ClusterRoleList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.rbac.v1.ClusterRole"][];
  };
  "io.k8s.api.rbac.v1.PolicyRule": {
   verbs: string[];
   apiGroups?: string[];
   resources?: string[];
   resourceNames?: string[];
   nonResourceURLs?: string[];
  };
  "io.k8s.api.rbac.v1.Role": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   rules?: components["schemas"]["io.k8s.api.rbac.v1.PolicyRule"][];
  };
  "io.k8s.api.rbac.v1.RoleBinding": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   subjects?: components["schemas"]["io.k8s.api.rbac.v1.Subject"][];
   roleRef: components["schemas"]["io.k8s.api.rbac.v1.RoleRef"];
  };
  "io.k8s.api.rbac.v1.RoleBindingList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.rbac.v1.RoleBinding"][];
  };
  "io.k8s.api.rbac.v1.RoleList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.rbac.v1.Role"][];
  };
  "io.k8s.api.rbac.v1.RoleRef": {
   apiGroup?: string;
   kind: string;
   name: string;
  };
  "io.k8s.api.rbac.v1.Subject": {
   kind: string;
   apiGroup?: string;
   name: string;
   namespace?: string;
  };
  "io.k8s.api.resource.v1.AllocatedDeviceStatus": {
   driver: string;
   pool: string;
   device: string;
   shareID?: string;
   conditions?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Condition"][];
   data?: components["schemas"]["io.k8s.apimachinery.pkg.runtime.RawExtension"];
   networkData?: components["schemas"]["io.k8s.api.resource.v1.NetworkDeviceData"];
  };
  "io.k8s.api.resource.v1.AllocationResult": {
   devices?: components["schemas"]["io.k8s.api.resource.v1.DeviceAllocationResult"];
   nodeSelector?: components["schemas"]["io.k8s.api.core.v1.NodeSelector"];
   allocationTimestamp?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  };
  "io.k8s.api.resource.v1.CELDeviceSelector": {
   expression: string;
  };
  "io.k8s.api.resource.v1.CapacityRequestPolicy": {
   default?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   validValues?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"][];
   validRange?: components["schemas"]["io.k8s.api.resource.v1.CapacityRequestPolicyRange"];
  };
  "io.k8s.api.resource.v1.CapacityRequestPolicyRange": {
   min: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   max?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   step?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  };
  "io.k8s.api.resource.v1.CapacityRequirements": {
   requests?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
  };
  "io.k8s.api.resource.v1.Counter": {
   value: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  };
  "io.k8s.api.resource.v1.CounterSet": {
   name: string;
   counters: {
    [key: string]: components["schemas"]["io.k8s.api.resource.v1.Counter"];
   };
  };
  "io.k8s.api.resource.v1.Device": {
   name: string;
   attributes?: {
    [key: string]: components["schemas"]["io.k8s.api.resource.v1.DeviceAttribute"];
   };
   capacity?: {
    [key: string]: components["schemas"]["io.k8s.api.resource.v1.DeviceCapacity"];
   };
   consumesCounters?: components["schemas"]["io.k8s.api.resource.v1.DeviceCounterConsumption"][];
   nodeName?: string;
   nodeSelector?: components["schemas"]["io.k8s.api.core.v1.NodeSelector"];
   allNodes?: boolean;
   taints?: components["schemas"]["io.k8s.api.resource.v1.DeviceTaint"][];
   bindsToNode?: boolean;
   bindingConditions?: string[];
   bindingFailureConditions?: string[];
   allowMultipleAllocations?: boolean;
   nodeAllocatableResourceMappings?: {
    [key: string]: components["schemas"]["io.k8s.api.resource.v1.NodeAllocatableResourceMapping"];
   };
  };
  "io.k8s.api.resource.v1.DeviceAllocationConfiguration": {
   source: string;
   requests?: string[];
   opaque?: components["schemas"]["io.k8s.api.resource.v1.OpaqueDeviceConfiguration"];
  };
  "io.k8s.api.resource.v1.DeviceAllocationResult": {
   results?: components["schemas"]["io.k8s.api.resource.v1.DeviceRequestAllocationResult"][];
   config?: components["schemas"]["io.k8s.api.resource.v1.DeviceAllocationConfiguration"][];
  };
  "io.k8s.api.resource.v1.DeviceAttribute": {
   int?: number;
   bool?: boolean;
   string?: string;
   version?: string;
   ints?: number[];
   bools?: boolean[];
   strings?: string[];
   versions?: string[];
  };
  "io.k8s.api.resource.v1.DeviceCapacity": {
   value: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   requestPolicy?: components["schemas"]["io.k8s.api.resource.v1.CapacityRequestPolicy"];
  };
  "io.k8s.api.resource.v1.DeviceClaim": {
   requests?: components["schemas"]["io.k8s.api.resource.v1.DeviceRequest"][];
   constraints?: components["schemas"]["io.k8s.api.resource.v1.DeviceConstraint"][];
   config?: components["schemas"]["io.k8s.api.resource.v1.DeviceClaimConfiguration"][];
  };
  "io.k8s.api.resource.v1.DeviceClaimConfiguration": {
   requests?: string[];
   opaque?: components["schemas"]["io.k8s.api.resource.v1.OpaqueDeviceConfiguration"];
  };
  "io.k8s.api.resource.v1.DeviceClass": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.resource.v1.DeviceClassSpec"];
  };
  "io.k8s.api.resource.v1.DeviceClassConfiguration": {
   opaque?: components["schemas"]["io.k8s.api.resource.v1.OpaqueDeviceConfiguration"];
  };
  "io.k8s.api.resource.v1.DeviceClassList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.resource.v1.DeviceClass"][];
  };
  "io.k8s.api.resource.v1.DeviceClassSpec": {
   selectors?: components["schemas"]["io.k8s.api.resource.v1.DeviceSelector"][];
   config?: components["schemas"]["io.k8s.api.resource.v1.DeviceClassConfiguration"][];
   extendedResourceName?: string;
  };
  "io.k8s.api.resource.v1.DeviceConstraint": {
   requests?: string[];
   matchAttribute?: string;
   distinctAttribute?: string;
  };
  "io.k8s.api.resource.v1.DeviceCounterConsumption": {
   counterSet: string;
   counters: {
    [key: string]: components["schemas"]["io.k8s.api.resource.v1.Counter"];
   };
  };
  "io.k8s.api.resource.v1.DeviceRequest": {
   name: string;
   exactly?: components["schemas"]["io.k8s.api.resource.v1.ExactDeviceRequest"];
   firstAvailable?: components["schemas"]["io.k8s.api.resource.v1.DeviceSubRequest"][];
  };
  "io.k8s.api.resource.v1.DeviceRequestAllocationResult": {
   request: string;
   driver: string;
   pool: string;
   device: string;
   adminAccess?: boolean;
   tolerations?: components["schemas"]["io.k8s.api.resource.v1.DeviceToleration"][];
   bindingConditions?: string[];
   bindingFailureConditions?: string[];
   shareID?: string;
   consumedCapacity?: {
    [key: string]: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   };
  };
  "io.k8s.api.resource.v1.DeviceSelector": {
   cel?: components["schemas"]["io.k8s.api.resource.v1.CELDeviceSelector"];
  };
  "io.k8s.api.resource.v1.DeviceSubRequest": {
   name: string;
   deviceClassName: string;
   selectors?: components["schemas"]["io.k8s.api.resource.v1.DeviceSelector"][];
   allocationMode?: string;
   count?: number;
   tolerations?: components["schemas"]["io.k8s.api.resource.v1.DeviceToleration"][];
   capacity?: components["schemas"]["io.k8s.api.resource.v1.CapacityRequirements"];
  };
  "io.k8s.api.resource.v1.DeviceTaint": {
   key: string;
   value?: string;
   effect: string;
   timeAdded?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  };
  "io.k8s.api.resource.v1.DeviceToleration": {
   key?: string;
   operator?: string;
   value?: string;
   effect?: string;
   tolerationSeconds?: number;
  };
  "io.k8s.api.resource.v1.ExactDeviceRequest": {
   deviceClassName: string;
   selectors?: components["schemas"]["io.k8s.api.resource.v1.DeviceSelector"][];
   allocationMode?: string;
   count?: number;
   adminAccess?: boolean;
   tolerations?: components["schemas"]["io.k8s.api.resource.v1.DeviceToleration"][];
   capacity?: components["schemas"]["io.k8s.api.resource.v1.CapacityRequirements"];
  };
  "io.k8s.api.resource.v1.NetworkDeviceData": {
   interfaceName?: string;
   ips?: string[];
   hardwareAddress?: string;
  };
  "io.k8s.api.resource.v1.NodeAllocatableResourceMapping": {
   capacityKey?: string;
   allocationMultiplier?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  };
  "io.k8s.api.resource.v1.OpaqueDeviceConfiguration": {
   driver: string;
   parameters: components["schemas"]["io.k8s.apimachinery.pkg.runtime.RawExtension"];
  };
  "io.k8s.api.resource.v1.ResourceClaim": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.resource.v1.ResourceClaimSpec"];
   status?: components["schemas"]["io.k8s.api.resource.v1.ResourceClaimStatus"];
  };
  "io.k8s.api.resource.v1.ResourceClaimConsumerReference": {
   apiGroup?: string;
   resource: string;
   name: string;
   uid: string;
  };
  "io.k8s.api.resource.v1.ResourceClaimList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.resource.v1.ResourceClaim"][];
  };
  "io.k8s.api.resource.v1.ResourceClaimSpec": {
   devices?: components["schemas"]["io.k8s.api.resource.v1.DeviceClaim"];
  };
  "io.k8s.api.resource.v1.ResourceClaimStatus": {
   allocation?: components["schemas"]["io.k8s.api.resource.v1.AllocationResult"];
   reservedFor?: components["schemas"]["io.k8s.api.resource.v1.ResourceClaimConsumerReference"][];
   devices?: components["schemas"]["io.k8s.api.resource.v1.AllocatedDeviceStatus"][];
  };
  "io.k8s.api.resource.v1.ResourceClaimTemplate": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.resource.v1.ResourceClaimTemplateSpec"];
  };
  "io.k8s.api.resource.v1.ResourceClaimTemplateList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.resource.v1.ResourceClaimTemplate"][];
  };
  "io.k8s.api.resource.v1.ResourceClaimTemplateSpec": {
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.resource.v1.ResourceClaimSpec"];
  };
  "io.k8s.api.resource.v1.ResourcePool": {
   name: string;
   generation: number;
   resourceSliceCount: number;
  };
  "io.k8s.api.resource.v1.ResourceSlice": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.resource.v1.ResourceSliceSpec"];
  };
  "io.k8s.api.resource.v1.ResourceSliceList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.resource.v1.ResourceSlice"][];
  };
  "io.k8s.api.resource.v1.ResourceSliceSpec": {
   driver: string;
   pool: components["schemas"]["io.k8s.api.resource.v1.ResourcePool"];
   nodeName?: string;
   nodeSelector?: components["schemas"]["io.k8s.api.core.v1.NodeSelector"];
   allNodes?: boolean;
   devices?: components["schemas"]["io.k8s.api.resource.v1.Device"][];
   perDeviceNodeSelection?: boolean;
   sharedCounters?: components["schemas"]["io.k8s.api.resource.v1.CounterSet"][];
  };
  "io.k8s.api.scheduling.v1.PriorityClass": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   value?: number;
   globalDefault?: boolean;
   description?: string;
   preemptionPolicy?: string;
  };
  "io.k8s.api.scheduling.v1.PriorityClassList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.scheduling.v1.PriorityClass"][];
  };
  "io.k8s.api.storage.v1.CSIDriver": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.storage.v1.CSIDriverSpec"];
  };
  "io.k8s.api.storage.v1.CSIDriverList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.storage.v1.CSIDriver"][];
  };
  "io.k8s.api.storage.v1.CSIDriverSpec": {
   attachRequired?: boolean;
   podInfoOnMount?: boolean;
   volumeLifecycleModes?: string[];
   storageCapacity?: boolean;
   fsGroupPolicy?: string;
   tokenRequests?: components["schemas"]["io.k8s.api.storage.v1.TokenRequest"][];
   requiresRepublish?: boolean;
   seLinuxMount?: boolean;
   nodeAllocatableUpdatePeriodSeconds?: number;
   serviceAccountTokenInSecrets?: boolean;
   preventPodSchedulingIfMissing?: boolean;
  };
  "io.k8s.api.storage.v1.CSINode": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.storage.v1.CSINodeSpec"];
  };
  "io.k8s.api.storage.v1.CSINodeDriver": {
   name: string;
   nodeID: string;
   topologyKeys?: string[];
   allocatable?: components["schemas"]["io.k8s.api.storage.v1.VolumeNodeResources"];
  };
  "io.k8s.api.storage.v1.CSINodeList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.storage.v1.CSINode"][];
  };
  "io.k8s.api.storage.v1.CSINodeSpec": {
   drivers: components["schemas"]["io.k8s.api.storage.v1.CSINodeDriver"][];
  };
  "io.k8s.api.storage.v1.CSIStorageCapacity": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   nodeTopology?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"];
   storageClassName: string;
   capacity?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
   maximumVolumeSize?: components["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  };
  "io.k8s.api.storage.v1.CSIStorageCapacityList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.storage.v1.CSIStorageCapacity"][];
  };
  "io.k8s.api.storage.v1.StorageClass": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   provisioner: string;
   parameters?: {
    [key: string]: string;
   };
   reclaimPolicy?: string;
   mountOptions?: string[];
   allowVolumeExpansion?: boolean;
   volumeBindingMode?: string;
   allowedTopologies?: components["schemas"]["io.k8s.api.core.v1.TopologySelectorTerm"][];
  };
  "io.k8s.api.storage.v1.StorageClassList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.storage.v1.StorageClass"][];
  };
  "io.k8s.api.storage.v1.TokenRequest": {
   audience: string;
   expirationSeconds?: number;
  };
  "io.k8s.api.storage.v1.VolumeAttachment": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.api.storage.v1.VolumeAttachmentSpec"];
   status?: components["schemas"]["io.k8s.api.storage.v1.VolumeAttachmentStatus"];
  };
  "io.k8s.api.storage.v1.VolumeAttachmentList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.storage.v1.VolumeAttachment"][];
  };
  "io.k8s.api.storage.v1.VolumeAttachmentSource": {
   persistentVolumeName?: string;
   inlineVolumeSpec?: components["schemas"]["io.k8s.api.core.v1.PersistentVolumeSpec"];
  };
  "io.k8s.api.storage.v1.VolumeAttachmentSpec": {
   attacher: string;
   source: components["schemas"]["io.k8s.api.storage.v1.VolumeAttachmentSource"];
   nodeName: string;
  };
  "io.k8s.api.storage.v1.VolumeAttachmentStatus": {
   attached: boolean;
   attachmentMetadata?: {
    [key: string]: string;
   };
   attachError?: components["schemas"]["io.k8s.api.storage.v1.VolumeError"];
   detachError?: components["schemas"]["io.k8s.api.storage.v1.VolumeError"];
  };
  "io.k8s.api.storage.v1.VolumeAttributesClass": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   driverName: string;
   parameters?: {
    [key: string]: string;
   };
  };
  "io.k8s.api.storage.v1.VolumeAttributesClassList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.api.storage.v1.VolumeAttributesClass"][];
  };
  "io.k8s.api.storage.v1.VolumeError": {
   time?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   message?: string;
   errorCode?: number;
  };
  "io.k8s.api.storage.v1.VolumeNodeResources": {
   count?: number;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition": {
   name: string;
   type: string;
   format?: string;
   description?: string;
   priority?: number;
   jsonPath: string;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion": {
   strategy: string;
   webhook?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion"];
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec"];
   status?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus"];
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition": {
   type: string;
   status: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
   observedGeneration?: number;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"][];
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames": {
   plural: string;
   singular?: string;
   shortNames?: string[];
   kind: string;
   listKind?: string;
   categories?: string[];
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec": {
   group: string;
   names: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames"];
   scope: string;
   versions: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion"][];
   conversion?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion"];
   preserveUnknownFields?: boolean;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus": {
   conditions?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition"][];
   acceptedNames?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames"];
   storedVersions?: string[];
   observedGeneration?: number;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion": {
   name: string;
   served: boolean;
   storage: boolean;
   deprecated?: boolean;
   deprecationWarning?: string;
   schema?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation"];
   subresources?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources"];
   additionalPrinterColumns?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition"][];
   selectableFields?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField"][];
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale": {
   specReplicasPath: string;
   statusReplicasPath: string;
   labelSelectorPath?: string;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus": {
   [key: string]: unknown;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources": {
   status?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus"];
   scale?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale"];
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation": {
   openAPIV3Schema?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"];
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation": {
   description?: string;
   url?: string;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": unknown;
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps": {
   id?: string;
   $schema?: string;
   $ref?: string;
   description?: string;
   type?: string;
   format?: string;
   title?: string;
   default?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"];
   maximum?: number;
   exclusiveMaximum?: boolean;
   minimum?: number;
   exclusiveMinimum?: boolean;
   maxLength?: number;
   minLength?: number;
   pattern?: string;
   maxItems?: number;
   minItems?: number;
   uniqueItems?: boolean;
   multipleOf?: number;
   enum?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"][];
   maxProperties?: number;
   minProperties?: number;
   required?: string[];
   items?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray"];
   allOf?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"][];
   oneOf?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"][];
   anyOf?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"][];
   not?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"];
   properties?: {
    [key: string]: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"];
   };
   additionalProperties?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool"];
   patternProperties?: {
    [key: string]: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"];
   };
   dependencies?: {
    [key: string]: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray"];
   };
   additionalItems?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool"];
   definitions?: {
    [key: string]: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"];
   };
   externalDocs?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation"];
   example?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"];
   nullable?: boolean;
   "x-kubernetes-preserve-unknown-fields"?: boolean;
   "x-kubernetes-embedded-resource"?: boolean;
   "x-kubernetes-int-or-string"?: boolean;
   "x-kubernetes-list-map-keys"?: string[];
   "x-kubernetes-list-type"?: string;
   "x-kubernetes-map-type"?: string;
   "x-kubernetes-validations"?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule"][];
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": unknown;
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": unknown;
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": unknown;
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField": {
   jsonPath: string;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference": {
   namespace: string;
   name: string;
   path?: string;
   port?: number;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule": {
   rule: string;
   message?: string;
   messageExpression?: string;
   reason?: string;
   fieldPath?: string;
   optionalOldSelf?: boolean;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig": {
   url?: string;
   service?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference"];
   caBundle?: string;
  };
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion": {
   clientConfig?: components["schemas"]["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig"];
   conversionReviewVersions: string[];
  };
  "io.k8s.apimachinery.pkg.api.resource.Quantity": string | number;
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup": {
   kind?: string;
   apiVersion?: string;
   name: string;
   versions: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery"][];
   preferredVersion?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery"];
   serverAddressByClientCIDRs?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR"][];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList": {
   kind?: string;
   apiVersion?: string;
   groups: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup"][];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIResource": {
   name: string;
   singularName: string;
   namespaced: boolean;
   group?: string;
   version?: string;
   kind: string;
   verbs: string[];
   shortNames?: string[];
   categories?: string[];
   storageVersionHash?: string;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList": {
   kind?: string;
   apiVersion?: string;
   groupVersion: string;
   resources: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.APIResource"][];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions": {
   kind?: string;
   apiVersion?: string;
   versions: string[];
   serverAddressByClientCIDRs: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR"][];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.Condition": {
   type: string;
   status: string;
   observedGeneration?: number;
   lastTransitionTime: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason: string;
   message: string;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions": {
   kind?: string;
   apiVersion?: string;
   gracePeriodSeconds?: number;
   preconditions?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions"];
   orphanDependents?: boolean;
   propagationPolicy?: string;
   dryRun?: string[];
   ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement": {
   key: string;
   operator: string;
   values?: string[];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": {
   [key: string]: unknown;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery": {
   groupVersion: string;
   version: string;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector": {
   matchLabels?: {
    [key: string]: string;
   };
   matchExpressions?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement"][];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement": {
   key: string;
   operator: string;
   values?: string[];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": {
   selfLink?: string;
   resourceVersion?: string;
   continue?: string;
   remainingItemCount?: number;
   shardInfo?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo"];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry": {
   manager?: string;
   operation?: string;
   apiVersion?: string;
   time?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   fieldsType?: string;
   fieldsV1?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"];
   subresource?: string;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": string;
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
   name?: string;
   generateName?: string;
   namespace?: string;
   selfLink?: string;
   uid?: string;
   resourceVersion?: string;
   generation?: number;
   creationTimestamp?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   deletionTimestamp?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   deletionGracePeriodSeconds?: number;
   labels?: {
    [key: string]: string;
   };
   annotations?: {
    [key: string]: string;
   };
   ownerReferences?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference"][];
   finalizers?: string[];
   managedFields?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry"][];
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference": {
   apiVersion: string;
   kind: string;
   name: string;
   uid: string;
   controller?: boolean;
   blockOwnerDeletion?: boolean;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions": {
   uid?: string;
   resourceVersion?: string;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR": {
   clientCIDR: string;
   serverAddress: string;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo": {
   selector: string;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.Status": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   status?: string;
   message?: string;
   reason?: string;
   details?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails"];
   code?: number;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause": {
   reason?: string;
   message?: string;
   field?: string;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails": {
   name?: string;
   group?: string;
   kind?: string;
   uid?: string;
   causes?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause"][];
   retryAfterSeconds?: number;
  };
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": string;
  "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent": {
   type: string;
   object: components["schemas"]["io.k8s.apimachinery.pkg.runtime.RawExtension"];
  };
  "io.k8s.apimachinery.pkg.runtime.RawExtension": {
   [key: string]: unknown;
  };
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": number | string;
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
   spec?: components["schemas"]["io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec"];
   status?: components["schemas"]["io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus"];
  };
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition": {
   type: string;
   status: string;
   lastTransitionTime?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
   reason?: string;
   message?: string;
  };
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceList": {
   kind?: string;
   apiVersion?: string;
   metadata?: components["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"];
   items: components["schemas"]["io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService"][];
  };
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec": {
   service?: components["schemas"]["io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference"];
   group?: string;
   version?: string;
   insecureSkipTLSVerify?: boolean;
   caBundle?: string;
   groupPriorityMinimum: number;
   versionPriority: number;
  };
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus": {
   conditions?: components["schemas"]["io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition"][];
  };
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference": {
   namespace?: string;
   name?: string;
   port?: number;
  };
 };
 responses: never;
 parameters: never;
 requestBodies: never;
 headers: never;
 pathItems: never;
}
