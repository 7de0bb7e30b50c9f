/** Prepares pods before validation. */
// as pkg/registry/core/pod PrepareForCreate
import type { Prepare, StrategyContext } from '../../../../registry/interface.js';
import { semanticEqual } from '../../../../lib/json/equality.js';
import { Field } from '../../../shared/rules/field.js';
import type { AppArmorProfile, Pod, PodAffinityTerm } from '../../../../api/kubernetes/core.js';
import type { LabelSelector } from '../../../../api/kubernetes/meta.js';
import { appArmorContainer, appArmorProfileOf } from '../pod-spec/pod-annotation-rules.js';
import { qosClass } from './pod-qos.js';
import { appArmorProfile } from '../pod-spec/security-context-rules.js';
import { containersOf } from '../pod-spec/visit-containers.js';

const gatedCondition = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

/** Prepares a new pod: its status is replaced by the one that pods begin with, and fields that follow from others are set. */
export const startPod: Prepare = (draft, _, context) => {
  const pod = draft as Pod;
  pod.status = { phase: 'Pending', qosClass: qosClass(pod.spec) };
  if (pod.spec?.schedulingGates?.length) pod.status.conditions = [{ ...gatedCondition }];
  resolveLabelKeys(pod);
  if (pod.spec?.os?.name !== 'windows') appArmorFields(pod, context);
};

/** Selectors that refer to labels of the pod itself get the labels' current values. */
function resolveLabelKeys({ metadata, spec }: Pod): void {
  const labels = metadata.labels ?? {};
  const terms: PodAffinityTerm[] = [];
  for (const affinity of [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity]) {
    for (const weighted of affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      if (weighted.podAffinityTerm) terms.push(weighted.podAffinityTerm);
    terms.push(...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []));
  }
  for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of terms) {
    select(labelSelector, matchLabelKeys, 'In', labels);
    select(labelSelector, mismatchLabelKeys, 'NotIn', labels);
  }
  for (const { labelSelector, matchLabelKeys } of spec?.topologySpreadConstraints ?? [])
    select(labelSelector, matchLabelKeys, 'In', labels);
}

function select(
  selector: LabelSelector | undefined,
  keys: readonly string[] | undefined,
  operator: string,
  labels: Readonly<Record<string, string>>,
): void {
  if (!selector) return;
  for (const key of keys ?? []) {
    const value = labels[key];
    if (value !== undefined) (selector.matchExpressions ??= []).push({ key, operator, values: [value] });
  }
}

/** Copies profiles from annotations to fields. */
function appArmorFields(pod: Pod, context: StrategyContext): void {
  const ofPod = pod.spec?.securityContext?.appArmorProfile;
  for (const container of containersOf(pod.spec)) {
    const key = appArmorContainer + (container.name ?? '');
    const annotation = pod.metadata.annotations?.[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = profileOf(annotation);
    if (profile && semanticEqual(profile, ofPod)) continue;
    if (profile) (container.securityContext ??= {}).appArmorProfile = profile;
    context.warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
}

/** Returns the field for an annotation; undefined if that would not be valid. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  const profile = new Field<AppArmorProfile>(appArmorProfileOf(annotation), '', []);
  return profile.passes(() => appArmorProfile(profile)) ? profile.value : undefined;
}

/** Keeps the values of status fields that the kubelet leaves out in a write of `/status`. */
export const keepObserved: Prepare = (draft, old) => {
  const status = ((draft as Pod).status ??= {});
  const stored = (old as Pod | undefined)?.status;
  if (!status.qosClass && stored?.qosClass) status.qosClass = stored.qosClass;
  if (!status.observedGeneration && stored?.observedGeneration) status.observedGeneration = stored.observedGeneration;
  const before = [...(stored?.conditions ?? [])];
  for (const condition of status.conditions ?? []) {
    const at = before.findIndex(c => c.type === condition.type);
    const generation = at < 0 ? undefined : before.splice(at, 1)[0]?.observedGeneration;
    if (!condition.observedGeneration && generation) condition.observedGeneration = generation;
  }
};
