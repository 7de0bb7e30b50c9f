/** Validates annotations that affect pods. */
// as pkg/apis/core/validation ValidatePodSpecificAnnotations
import type { ObjectMeta } from '../../../../apimachinery/interface.js';
import { goQuote } from '../../../../lib/go/go-text.js';
import { Field } from '../../../shared/rules/field.js';
import { descendingPath } from '../../../shared/rules/path-rules.js';
import { annotationList } from '../annotation-list.js';
import type { AppArmorProfile, PodSpec, SeccompProfile, Toleration } from '../../../../api/kubernetes/core.js';
import type { PodOptions } from '../shared/pod-options.js';
import { tolerations } from './toleration-rules.js';
import { containerFields, containersOf } from './visit-containers.js';
import { seccompPodAnnotation } from '../../../../api/kubernetes/well-known.js';

type Annotations = Readonly<Record<string, string>> | undefined;

export const mirrorAnnotation = 'kubernetes.io/config.mirror';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
export const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';
export const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';

/** Returns the profile that an annotation names. */
// as pkg/api/pod ApparmorFieldForAnnotation
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const local = 'localhost/';
  if (!annotation.startsWith(local)) return undefined;
  return { type: 'Localhost', localhostProfile: annotation.slice(local.length) };
}

const tolerationList = 'scheduler.alpha.kubernetes.io/tolerations';
const tolerationType = {
  name: 'Toleration',
  fields: {
    Key: 'string',
    Operator: 'core.TolerationOperator',
    Value: 'string',
    Effect: 'core.TaintEffect',
    TolerationSeconds: 'int64',
  },
};

/** Annotations from before there was a field. */
function annotatedTolerations(annotations: Field<Record<string, string>>): void {
  const text = annotations.value?.[tolerationList] ?? '';
  if (text === '') return;
  try {
    const list = annotationList<Toleration>(text, tolerationType);
    tolerations(new Field(list, `${annotations.path}.${tolerationList}`, annotations.faults));
  } catch (error) {
    annotations.invalid((error as Error).message, tolerationList);
  }
}

/** Reports whether the deletion cost is valid: unset, or a 32-bit integer without a plus sign or leading zeros. */
export function isDeletionCost(annotations: Annotations): boolean {
  const value = annotations?.[deletionCost];
  if (value === undefined) return true;
  return /^(?:0|-\d+|[1-9]\d*)$/.test(value) && Number(value) === (Number(value) | 0);
}

/** Reports whether annotations name profiles. hot: they are from before these fields existed, so very few objects have any. */
export function namesProfiles(annotations: Annotations): boolean {
  for (const key in annotations)
    if (key === seccompPodAnnotation || key.startsWith(seccompContainer) || key.startsWith(appArmorContainer))
      return true;
  return false;
}

/** Checks the annotations of a Pod that Kubernetes reads, and which depend on its spec. as pkg/apis/core/validation ValidatePodSpecificAnnotations */
export function podAnnotations(annotations: Field<Record<string, string>>, spec: PodSpec, options: PodOptions): void {
  if (annotations.entry(mirrorAnnotation).isSet && !spec.nodeName)
    annotations.entry(mirrorAnnotation).invalid('must set spec.nodeName if mirror pod annotation is set');
  annotatedTolerations(annotations);
  if (!options.allowBadDeletionCost && !isDeletionCost(annotations.value))
    annotations.entry(deletionCost).invalid('must be a 32bit integer');
  if (!namesProfiles(annotations.value)) return;
  for (const [key, value] of annotations.entries())
    if (key === seccompPodAnnotation || key.startsWith(seccompContainer)) seccomp(value.named(annotations, key));
  const names = containersOf(spec).map(c => c.name);
  for (const [key, value] of annotations.entries()) {
    if (!key.startsWith(appArmorContainer)) continue;
    const name = key.slice(appArmorContainer.length);
    if (!names.includes(name)) value.invalid('container not found', name);
    const profile = value.value ?? '';
    if (profile !== '' && !/^(?:runtime\/default$|unconfined$|localhost\/)/.test(profile))
      value.invalid(`invalid AppArmor profile name: ${goQuote(profile)}`);
  }
}

function seccomp(profile: Field<string>): void {
  const text = profile.value ?? '';
  if (['runtime/default', 'docker/default', 'unconfined'].includes(text)) return;
  const local = 'localhost/';
  if (text.startsWith(local)) descendingPath(new Field(text.slice(local.length), profile.path, profile.faults));
  else profile.invalid('must be a valid seccomp profile');
}

/** The values for each type of profile in annotations, and the prefix of a local profile's name. */
const seccompWords: Readonly<Record<string, readonly string[]>> = {
  Unconfined: ['unconfined'],
  RuntimeDefault: ['runtime/default', 'docker/default'],
};
const appArmorWords: Readonly<Record<string, readonly string[]>> = {
  Unconfined: ['unconfined'],
  RuntimeDefault: ['runtime/default'],
};

function matches(
  annotation: string,
  profile: Field<SeccompProfile | AppArmorProfile>,
  words: Readonly<Record<string, readonly string[]>>,
  what: string,
): void {
  const type = profile.value?.type ?? '';
  const local = 'localhost/';
  if (type === 'Localhost' && annotation.startsWith(local)) {
    if (annotation.slice(local.length) !== profile.value?.localhostProfile)
      profile.at('localhostProfile').forbidden(`${what} profile in annotation and field must match`);
  } else if (type === 'Localhost' || (words[type] && !words[type].includes(annotation)))
    profile.at('type').forbidden(`${what} type in annotation and field must match`);
}

/** If both an annotation and a field name a profile, they must name the same one. */
// as pkg/apis/core/validation validateSeccompAnnotationsAndFields, validateAppArmorAnnotationsAndFieldsMatchOnCreate
export function annotationsMatchFields(
  metadata: ObjectMeta | { annotations?: Record<string, string> } | undefined,
  spec: Field<PodSpec>,
): void {
  const annotations = metadata?.annotations ?? {};
  if (!namesProfiles(annotations)) return;
  const ofPod = spec.at('securityContext');
  const pod = annotations[seccompPodAnnotation];
  if (ofPod.at('seccompProfile').isSet && pod !== undefined)
    matches(pod, ofPod.at('seccompProfile'), seccompWords, 'seccomp');
  const containers = containerFields(spec);
  for (const container of containers) {
    const annotation = annotations[seccompContainer + (container.value?.name ?? '')];
    if (annotation === undefined) continue;
    const profile = container.at('securityContext').at('seccompProfile');
    if (profile.isSet) matches(annotation, profile, seccompWords, 'seccomp');
  }
  if (spec.value?.os?.name === 'windows') return;
  for (const container of containers) {
    const annotation = annotations[appArmorContainer + (container.value?.name ?? '')];
    if (annotation === undefined) continue;
    const own = container.at('securityContext').at('appArmorProfile');
    const profile = own.isSet ? own : ofPod.at('appArmorProfile').as(own.path);
    if (profile.isSet) matches(annotation, profile, appArmorWords, 'apparmor');
  }
}
