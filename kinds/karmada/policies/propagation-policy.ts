/** Fills in and validates PropagationPolicies and ClusterPropagationPolicies. */
import { checkLabelKey } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';
import { policySuspension } from '../crds/shared.js';
import { asGo } from './go-form.js';
import { placement } from './placement-rules.js';
import { ruleRefusal } from '../refusal.js';
import type { Mutate, WebhookRule } from '../rules.js';
import { selectorNamespaces } from './selector-rules.js';
import type { Failover, Policy, PropagationSpec, StatePreservation, Suspension } from '../../../api/karmada/types.js';
import { finalizers, labels } from '../../../api/karmada/well-known.js';

const defaultGracePeriodSeconds = 600;

interface Scope {
  readonly idLabel: string;
  readonly finalizer: string;
}

export const namespacedPolicy: Scope = { idLabel: labels.propagationPolicyId, finalizer: finalizers.propagationPolicy };
export const clusterPolicy: Scope = {
  idLabel: labels.clusterPropagationPolicyId,
  finalizer: finalizers.clusterPropagationPolicy,
};

function completeSpec(spec: PropagationSpec): void {
  for (const constraint of spec.placement?.spreadConstraints ?? []) {
    if (!constraint.spreadByField && !constraint.spreadByLabel) constraint.spreadByField = 'cluster';
    constraint.minGroups ||= 1;
  }
  // An import is useless without its addresses.
  const imports = spec.resourceSelectors?.some(
    ({ apiVersion, kind }) => kind === 'ServiceImport' && apiVersion === 'multicluster.x-k8s.io/v1alpha1',
  );
  if (imports) spec.propagateDeps = true;
  const scheduling = spec.placement?.replicaScheduling;
  if (scheduling?.replicaSchedulingType === 'Divided') scheduling.replicaDivisionPreference ||= 'Weighted';
  const application = spec.failover?.application;
  if (application?.purgeMode === 'Gracefully') application.gracePeriodSeconds ??= defaultGracePeriodSeconds;
}

/** Fills in what the policy leaves open; at its creation it also gets its ID, as a label, and the finalizer. */
export const completePolicy =
  ({ idLabel, finalizer }: Scope): Mutate<Policy> =>
  ({ metadata, spec }, _old, { operation, namespace, newId }) => {
    if (namespace !== '') for (const selector of spec.resourceSelectors ?? []) selector.namespace ||= namespace;
    completeSpec(spec);
    if (operation !== 'CREATE') return;
    (metadata.labels ??= {})[idLabel] = newId();
    metadata.finalizers ??= [];
    if (!metadata.finalizers.includes(finalizer)) metadata.finalizers.push(finalizer);
  };

function statePreservation(preserved: Field<StatePreservation>): void {
  for (const rule of preserved.at('rules').items()) rule.at('aliasLabelName').check(checkLabelKey);
}

function applicationFailover(application: Field<NonNullable<Failover['application']>>): void {
  if (!application.isSet) return;
  const grace = application.at('gracePeriodSeconds');
  const gracefully = application.value?.purgeMode === 'Gracefully';
  const toleration = application.at('decisionConditions').at('tolerationSeconds');
  if ((toleration.value ?? 0) < 0) toleration.invalid('must be greater than or equal to 0');
  if (!gracefully && grace.isSet) grace.invalid('only takes effect when purgeMode is gracefully');
  if (gracefully && !grace.isSet) grace.invalid('should not be empty when purgeMode is gracefully');
  if (grace.isSet && (grace.value ?? 0) <= 0) grace.invalid('must be greater than 0');
  statePreservation(application.at('statePreservation'));
}

/** A policy that takes over resources from other policies must name them. */
function preemption(spec: Field<PropagationSpec>): void {
  if (spec.value?.preemption !== 'Always') return;
  const text = 'name cannot be empty if preemption is Always, the empty name may cause unexpected resources preemption';
  for (const selector of spec.at('resourceSelectors').items())
    if (selector.at('name').isEmpty) selector.at('name').invalid(text, '');
}

function suspension(field: Field<Suspension>): void {
  const { dispatching, dispatchingOnClusters } = field.value ?? {};
  if (!dispatching || !dispatchingOnClusters?.clusterNames?.length) return;
  const text = 'suspension dispatching cannot co-exist with dispatchingOnClusters.clusterNames';
  field.named(field, 'suspension').invalid(text, asGo(field.value, policySuspension));
}

// as pkg/util/validation ValidatePropagationSpec
function propagationSpec(spec: Field<PropagationSpec>, namespace: string): void {
  placement(spec.at('placement'));
  const failover = spec.at('failover');
  const deps = spec.at('propagateDeps');
  if (failover.at('application').isSet && !deps.value)
    deps.invalid('application failover is set, propagateDeps must be true', false);
  applicationFailover(failover.at('application'));
  statePreservation(failover.at('cluster').at('statePreservation'));
  selectorNamespaces(spec.at('resourceSelectors'), namespace);
  preemption(spec);
  suspension(spec.at('suspension'));
}

/** Refuses changes of what is immutable, a missing ID, and a spec that breaks a rule. */
export const validatePolicy =
  ({ idLabel }: Scope): WebhookRule<Policy> =>
  (policy, old, { namespace }) => {
    const id = policy.metadata.labels?.[idLabel];
    if (old) {
      if ((policy.spec.schedulerName ?? '') !== (old.spec.schedulerName ?? ''))
        return 'the schedulerName should not be updated';
      if ((id ?? '') !== (old.metadata.labels?.[idLabel] ?? ''))
        return `label ${idLabel} is immutable, it can only be set by the system during creation`;
    }
    if (id === undefined)
      return `label ${idLabel} is required, it should be set by the mutating admission webhook during creation`;
    return ruleRefusal<Policy>(policy, root => propagationSpec(root.at('spec'), namespace));
  };
