/** Validates pods. */
// as pkg/apis/core/validation ValidatePodCreate, ValidatePodUpdate
import { sameValue } from '../../../../registry/strategy/same-value.js';
import { rangeText } from '../../../../apimachinery/meta/names.js';
import type { Validate } from '../../../../registry/interface.js';
import { Field } from '../../../shared/rules/field.js';
import { prettyInternal } from '../../../shared/go-text/internal-json.js';
import { maxInt32 } from '../../../shared/rules/numbers.js';
import { unifiedDiff } from '../../../shared/go-text/unified-diff.js';
import { validate, validateChange } from '../../../shared/rules/validate.js';
import type { Container, Pod, PodSpec, Toleration } from '../../../../api/kubernetes/core.js';
import { imageWithoutSpace } from '../pod-spec/containers/container-rules.js';
import {
  annotationsMatchFields,
  appArmorContainer,
  mirrorAnnotation,
  podAnnotations,
} from '../pod-spec/pod-annotation-rules.js';
import { podForm } from './pod-form.js';
import { gatedAffinity, gatedNodeSelector } from './pod-gated-rules.js';
import type { PodOptions } from '../shared/pod-options.js';
import { podOptions } from '../pod-spec/stored-pod-options.js';
import { podSpec } from '../pod-spec/pod-spec-rules.js';
import { tolerations } from '../pod-spec/toleration-rules.js';

const annotationsOf = (pod: Field<Pod>): Field<Record<string, string>> => pod.at('metadata').at('annotations');

/** Checks metadata and spec of a Pod together, since some annotations concern the spec. as pkg/apis/core/validation validatePodMetadataAndSpec */
export function wholePod(pod: Field<Pod>, options: PodOptions): void {
  const spec = pod.at('spec');
  const annotations = annotationsOf(pod);
  podAnnotations(annotations, spec.value ?? {}, options);
  podSpec(spec, options, {
    name: pod.value?.metadata.name ?? '',
    isMirror: annotations.entry(mirrorAnnotation).isSet,
  });
  if (!spec.value?.serviceAccountName)
    for (const volume of spec.at('volumes').items())
      for (const source of volume.at('projected').at('sources').items())
        if (source.at('serviceAccountToken').isSet)
          source.at('serviceAccountToken').forbidden('must not be specified when serviceAccountName is not set');
  spec.at('containers').items().forEach(imageWithoutSpace);
  spec.at('initContainers').items().forEach(imageWithoutSpace);
}

export const podRules: readonly Validate[] = [
  validate<Pod>(pod => {
    const spec = pod.at('spec');
    wholePod(pod, podOptions(true, undefined));
    if (!spec.at('ephemeralContainers').isEmpty) spec.at('ephemeralContainers').forbidden('cannot be set on create');
    if (spec.value?.nodeName && spec.value.schedulingGates?.length)
      spec.at('nodeName').forbidden('cannot be set until all schedulingGates have been cleared');
    annotationsMatchFields(pod.value?.metadata, spec);
  }),
];

/** Annotations that cannot change. */
// as pkg/apis/core/validation ValidatePodSpecificAnnotationUpdates
export function annotationChanges(pod: Field<Pod>, old: Pod, options: PodOptions): void {
  const annotations = annotationsOf(pod);
  const before = old.metadata.annotations ?? {};
  const forbid = (key: string, verb: string): void => {
    if (key.startsWith(appArmorContainer)) annotations.entry(key).forbidden(`may not ${verb} AppArmor annotations`);
    if (key === mirrorAnnotation) annotations.entry(key).forbidden(`may not ${verb} mirror pod annotation`);
  };
  for (const [key, value] of Object.entries(before))
    if (annotations.value?.[key] !== value) forbid(key, 'remove or update');
  for (const [key] of annotations.entries()) if (before[key] === undefined) forbid(key, 'add');
  podAnnotations(annotations, pod.value?.spec ?? {}, options);
}

/** Returns false if the number of containers changed: then other errors are not reported. */
function sameContainers(list: Field<Container[]>, old: readonly Container[] | undefined): boolean {
  if ((list.value ?? []).length !== (old ?? []).length) {
    list.forbidden('pod updates may not add or remove containers');
    return false;
  }
  for (const container of list.items()) {
    if (container.at('image').isEmpty) container.at('image').required();
    imageWithoutSpace(container);
  }
  return true;
}

function deadline(spec: Field<PodSpec>, old: PodSpec): boolean {
  const field = spec.at('activeDeadlineSeconds');
  const before = old.activeDeadlineSeconds;
  if (!field.isSet) {
    if (before !== undefined) field.invalid('must not update from a positive integer to nil value', null);
    return true;
  }
  const value = field.value ?? 0;
  if (value < 0 || value > maxInt32) field.invalid(rangeText(0, maxInt32));
  else if (before !== undefined && before < value) field.invalid('must be less than or equal to previous value');
  else return true;
  return false;
}

/** Returns a toleration without its seconds as a key. hot: a pod may have tens of thousands. */
const toleratedKey = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

function addedTolerations(list: Field<Toleration[]>, old: readonly Toleration[]): void {
  const now = new Set((list.value ?? []).map(toleratedKey));
  if (old.every(before => now.has(toleratedKey(before)))) tolerations(list);
  else list.forbidden('existing toleration can not be modified except its tolerationSeconds');
}

function deletedGates(spec: Field<PodSpec>, old: PodSpec): void {
  const before = new Set((old.schedulingGates ?? []).map(gate => gate.name));
  for (const gate of spec.at('schedulingGates').items())
    if (!before.has(gate.value?.name))
      gate.at('name').forbidden(`only deletion is allowed, but found new scheduling gate '${gate.value?.name ?? ''}'`);
}

const mutable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Returns the new spec with all mutable fields reset to their old values. */
function fixedPart(spec: PodSpec, old: PodSpec): PodSpec {
  const out: PodSpec = { ...spec };
  const images = (now: Container[] | undefined, before: Container[] | undefined): Container[] | undefined =>
    now?.map((container, i) => {
      const image = before?.[i]?.image;
      return image === undefined ? container : { ...container, image };
    });
  for (const kind of ['containers', 'initContainers'] as const) {
    const list = images(spec[kind], old[kind]);
    if (list) out[kind] = list;
  }
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'] as const) {
    delete out[name];
    if (old[name] !== undefined) Object.assign(out, { [name]: old[name] });
  }
  const grace = old.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0 && spec.terminationGracePeriodSeconds === 1)
    out.terminationGracePeriodSeconds = grace;
  return out;
}

export const podChangeRules: readonly Validate[] = [
  validateChange<Pod>((pod, old) => {
    const options = podOptions(true, old);
    const spec = pod.at('spec');
    const before = old.spec ?? {};
    wholePod(pod, options);
    annotationChanges(pod, old, options);
    if (!sameContainers(spec.at('containers'), before.containers)) return;
    if (!sameContainers(spec.at('initContainers'), before.initContainers)) return;
    if (!deadline(spec, before)) return;
    addedTolerations(spec.at('tolerations'), before.tolerations ?? []);
    deletedGates(spec, before);
    if (sameValue(spec.value, before, spec.type)) return;
    let fixed = fixedPart(spec.value ?? {}, before);
    if (before.schedulingGates?.length) {
      fixed = gatedNodeSelector(spec, fixed, before);
      fixed = gatedAffinity(spec, fixed, before);
    }
    if (sameValue(fixed, before, spec.type)) return;
    const difference = unifiedDiff(
      prettyInternal('PodSpec', podForm(before)),
      prettyInternal('PodSpec', podForm(fixed)),
    );
    spec.forbidden(`pod updates may not change fields other than ${mutable}\n${difference}`);
  }),
];

export const ephemeralContainersRules: readonly Validate[] = [
  validateChange<Pod>((pod, old) => {
    const options = podOptions(true, old);
    if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
      pod.forbidden('static pods do not support ephemeral containers');
      return;
    }
    wholePod(pod, options);
    annotationChanges(pod, old, options);
    const field = pod.at('spec').at('ephemeralContainers');
    for (const before of old.spec?.ephemeralContainers ?? []) {
      const now = field.value?.findLast(c => c.name === before.name);
      const name = JSON.stringify(before.name ?? '');
      if (!now) field.forbidden(`existing ephemeral containers ${name} may not be removed\n`);
      else if (!sameValue(now, before, field.type?.items)) {
        const [a, b] = [before, now].map(c => prettyInternal('EphemeralContainer', c));
        field.forbidden(`existing ephemeral containers ${name} may not be changed\n${unifiedDiff(a ?? '', b ?? '')}`);
      }
    }
  }),
];

/** Returns a field for errors about the whole pod, for which upstream uses an empty path. */
export const noPlace = (pod: Field<Pod>): Field<Pod> => new Field<Pod>(pod.value, '', pod.faults);
