/** PropagationPolicy and ClusterPropagationPolicy as they are written (inventory ADM-01, ADM-02, ADM-10, ADM-11, ADM-31). */
import type { Fault } from '../../../openapi/interface.js';
import { child, index, invalidValue } from '../../../openapi/meta/faults.js';
import { checkLabelKey } from '../../../openapi/meta/names.js';
import { faultsText } from '../../../openapi/meta/status.js';
import { policySuspension } from './crds/shared.js';
import { asGo } from './go-form.js';
import { placementFaults } from './placement-faults.js';
import type { Judge, Mutate } from './rules.js';
import { selectorNamespaceFaults } from './selector-faults.js';
import type { Failover, Policy, PropagationSpec, StatePreservation } from './types.js';
import { finalizers, labels } from './well-known.js';

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
  // An import is nothing without the addresses that belong to it.
  const imports = spec.resourceSelectors?.some(
    ({ apiVersion, kind }) => kind === 'ServiceImport' && apiVersion === 'multicluster.x-k8s.io/v1alpha1',
  );
  if (imports) spec.propagateDeps = true;
  const scheduling = spec.placement?.replicaScheduling;
  if (scheduling?.replicaSchedulingType === 'Divided') scheduling.replicaDivisionPreference ||= 'Weighted';
  const application = spec.failover?.application;
  if (application?.purgeMode === 'Gracefully') application.gracePeriodSeconds ??= defaultGracePeriodSeconds;
}

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

function statePreservationFaults(preserved: StatePreservation | undefined, path: string): Fault[] {
  return (preserved?.rules ?? []).flatMap(({ aliasLabelName }, i) => {
    const at = child(index(child(path, 'rules'), i), 'aliasLabelName');
    return checkLabelKey(aliasLabelName).map(text => invalidValue(at, aliasLabelName, text));
  });
}

function failoverFaults({ application, cluster }: Failover, path: string): Fault[] {
  const faults: Fault[] = [];
  if (application) {
    const at = child(path, 'application');
    const { tolerationSeconds = 0 } = application.decisionConditions;
    const { gracePeriodSeconds } = application;
    const gracefully = application.purgeMode === 'Gracefully';
    const wrong = (text: string): void =>
      void faults.push(invalidValue(child(at, 'gracePeriodSeconds'), gracePeriodSeconds ?? null, text));
    if (tolerationSeconds < 0) {
      const field = child(at, 'decisionConditions', 'tolerationSeconds');
      faults.push(invalidValue(field, tolerationSeconds, 'must be greater than or equal to 0'));
    }
    if (!gracefully && gracePeriodSeconds !== undefined) wrong('only takes effect when purgeMode is gracefully');
    if (gracefully && gracePeriodSeconds === undefined) wrong('should not be empty when purgeMode is gracefully');
    if (gracePeriodSeconds !== undefined && gracePeriodSeconds <= 0) wrong('must be greater than 0');
    faults.push(...statePreservationFaults(application.statePreservation, child(at, 'statePreservation')));
  }
  faults.push(...statePreservationFaults(cluster?.statePreservation, child(path, 'cluster', 'statePreservation')));
  return faults;
}

/** A policy that takes over what others claimed must say by name what that is. */
function preemptionFaults({ preemption, resourceSelectors }: PropagationSpec): Fault[] {
  if (preemption !== 'Always') return [];
  const text = 'name cannot be empty if preemption is Always, the empty name may cause unexpected resources preemption';
  return resourceSelectors.flatMap(({ name }, i) =>
    name ? [] : [invalidValue(child(index('spec.resourceSelectors', i), 'name'), '', text)],
  );
}

function suspensionFaults({ suspension }: PropagationSpec): Fault[] {
  if (!suspension?.dispatching || !suspension.dispatchingOnClusters?.clusterNames?.length) return [];
  const text = 'suspension dispatching cannot co-exist with dispatchingOnClusters.clusterNames';
  return [invalidValue('spec.suspension.suspension', asGo(suspension, policySuspension), text)];
}

// as pkg/util/validation ValidatePropagationSpec
function specFaults(spec: PropagationSpec, namespace: string): Fault[] {
  const { placement = {}, failover, propagateDeps = false } = spec;
  const faults = placementFaults(placement, 'spec.placement');
  if (failover?.application && !propagateDeps) {
    const text = 'application failover is set, propagateDeps must be true';
    faults.push(invalidValue('spec.propagateDeps', propagateDeps, text));
  }
  faults.push(
    ...(failover ? failoverFaults(failover, 'spec.failover') : []),
    ...selectorNamespaceFaults(spec.resourceSelectors, namespace),
    ...preemptionFaults(spec),
    ...suspensionFaults(spec),
  );
  return faults;
}

export const judgePolicy =
  ({ idLabel }: Scope): Judge<Policy> =>
  ({ metadata, spec }, old, { namespace }) => {
    const id = metadata.labels?.[idLabel];
    if (old) {
      if ((spec.schedulerName ?? '') !== (old.spec.schedulerName ?? ''))
        return 'the schedulerName should not be updated';
      if ((id ?? '') !== (old.metadata.labels?.[idLabel] ?? ''))
        return `label ${idLabel} is immutable, it can only be set by the system during creation`;
    }
    if (id === undefined)
      return `label ${idLabel} is required, it should be set by the mutating admission webhook during creation`;
    const faults = specFaults(spec, namespace);
    return faults.length > 0 ? faultsText(faults) : undefined;
  };
