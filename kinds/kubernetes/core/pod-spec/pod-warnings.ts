/** Warns about pods that are accepted but will not behave as they seem to. */
// as pkg/api/pod warningsForPodSpecAndMeta
import { goQuote } from '../../../../lib/go/go-text.js';
import { ipWarnings } from '../../../../apimachinery/net/ip.js';
import { semanticEqual } from '../../../../lib/json/equality.js';
import type { Field } from '../../../shared/rules/field.js';
import { type Warn, fractionWarning, hostnameWarning, warningsOfNew } from '../../../shared/rules/warnings.js';
import type { Affinity, Container, Pod, PodSpec, PodTemplateSpec } from '../../../../api/kubernetes/core.js';
import { amountWarnings, envWarnings, portNameWarnings, portWarnings } from './containers/container-warnings.js';
import {
  deprecatedNodeLabel,
  nodeLabelWarning,
  nodeLabelsWarnings,
  nodeSelectorTermWarnings,
} from '../shared/node-label-warnings.js';
import { appArmorContainer, appArmorProfileOf, namesProfiles, seccompContainer } from './pod-annotation-rules.js';
import { createKnownSpecs } from './known-specs.js';
import { containerFields } from './visit-containers.js';
import { volumeWarnings } from '../volumes/volume-warnings.js';
import { seccompPodAnnotation } from '../../../../api/kubernetes/well-known.js';

interface Described {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: PodSpec;
}

const sysctls = 'non-functional in v1.11+; use the "sysctls" field instead';
const deadAnnotations = Object.entries({
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': sysctls,
  'security.alpha.kubernetes.io/unsafe-sysctls': sysctls,
});
const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const useAppArmorField = 'deprecated since v1.30; use the "appArmorProfile" field instead';

export const podWarnings = warningsOfNew<Pod>((pod, warn) => {
  hostnameWarning(pod.value?.metadata.name, "the Pod's hostname", warn);
  described(pod, false, warn);
});

const validateOnce = createKnownSpecs('warnings');

/** Warns about a template, independent of its previous version. */
export function templateWarnings(template: Field<PodTemplateSpec>, warn: Warn): void {
  const { metadata, spec = {} } = template.value ?? {};
  const annotations = metadata?.annotations;
  if (namesProfiles(annotations) || deadAnnotations.some(([name]) => annotations?.[name] !== undefined))
    return described(template, true, warn);
  validateOnce(spec, '', () => {
    let isQuiet = true;
    described(template, true, text => {
      isQuiet = false;
      warn(text);
    });
    return isQuiet;
  });
}

function described(pod: Field<Described>, isTemplate: boolean, warn: Warn): void {
  const spec = pod.at('spec');
  const annotations = pod.at('metadata').at('annotations') as Field<Record<string, string>>;
  placement(spec, warn);
  for (const [name, text] of deadAnnotations) annotated(annotations, name, text, warn);
  volumeWarnings(spec.at('volumes'), warn);
  repeated(spec, warn);
  for (const name of ['memory', 'ephemeral-storage']) fractionWarning(spec.at('overhead').entry(name), warn);
  if (!spec.value?.securityContext?.seccompProfile) annotated(annotations, seccompPodAnnotation, useSeccompField, warn);
  const containers = containerFields(spec);
  for (const container of containers) {
    profiles(container, annotations, isTemplate ? spec.value : undefined, warn);
    amountWarnings(container, warn);
    envWarnings(container.at('env'), warn);
  }
  portWarnings(containers, warn);
  portNameWarnings(containers, warn);
  const grace = spec.at('terminationGracePeriodSeconds');
  if ((grace.value ?? 0) < 0) warn(`${grace.path}: must be >= 0; negative values are invalid and will be treated as 1`);
  podAffinity(spec.at('affinity'), warn);
  for (const server of spec.at('dnsConfig').at('nameservers').items()) address(server, warn);
  for (const alias of spec.at('hostAliases').items()) address(alias.at('ip'), warn);
}

function placement(spec: Field<PodSpec>, warn: Warn): void {
  const selector = spec.at('nodeSelector');
  nodeLabelsWarnings(selector.value, label => selector.entry(label).path, warn);
  const affinity = spec.at('affinity').at('nodeAffinity');
  const terms = affinity.at('requiredDuringSchedulingIgnoredDuringExecution').at('nodeSelectorTerms');
  for (const term of terms.items()) nodeSelectorTermWarnings(term, false, warn);
  for (const preferred of affinity.at('preferredDuringSchedulingIgnoredDuringExecution').items())
    nodeSelectorTermWarnings(preferred.at('preference'), true, warn);
  for (const constraint of spec.at('topologySpreadConstraints').items()) {
    const key = constraint.at('topologyKey');
    if (deprecatedNodeLabel(key.value ?? '') !== undefined) nodeLabelWarning(key, warn);
    selectsNothing(constraint, warn);
  }
}

function selectsNothing(term: Field<{ readonly labelSelector?: unknown }>, warn: Warn): void {
  if (!term.at('labelSelector').isSet)
    warn(`${term.path}.labelSelector: a null labelSelector results in matching no pod`);
}

function podAffinity(affinity: Field<Affinity>, warn: Warn): void {
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = affinity.at(kind);
    for (const term of terms.at('requiredDuringSchedulingIgnoredDuringExecution').items()) selectsNothing(term, warn);
    for (const weighted of terms.at('preferredDuringSchedulingIgnoredDuringExecution').items())
      selectsNothing(weighted.at('podAffinityTerm'), warn);
  }
}

function annotated(annotations: Field<Record<string, string>>, name: string, text: string, warn: Warn): void {
  if (annotations.value?.[name] !== undefined) warn(`${annotations.entry(name).path}: ${text}`);
}

/** Warns about duplicate aliases and secrets. */
function repeated(spec: Field<PodSpec>, warn: Warn): void {
  const twice = (fields: readonly Field<string>[], what: string): void => {
    const seen = new Set<string>();
    for (const { value = '', path } of fields) {
      if (seen.has(value)) warn(`${path}: duplicate ${what} ${goQuote(value)}`);
      seen.add(value);
    }
  };
  const names = spec.at('imagePullSecrets').items();
  twice(
    spec
      .at('hostAliases')
      .items()
      .map(alias => alias.at('ip')),
    'ip',
  );
  twice(
    names.map(secret => secret.at('name')),
    'name',
  );
  for (const secret of names) if (secret.at('name').isEmpty) warn(`${secret.path}.name: invalid empty name ""`);
}

/** `spec`: set for a template. In a pod the annotation has been converted to a field by then. */
function profiles(
  container: Field<Container>,
  annotations: Field<Record<string, string>>,
  spec: PodSpec | undefined,
  warn: Warn,
): void {
  const { name = '', securityContext } = container.value ?? {};
  if (!securityContext?.seccompProfile) annotated(annotations, seccompContainer + name, useSeccompField, warn);
  const annotation = annotations.value?.[appArmorContainer + name];
  if (!spec || securityContext?.appArmorProfile || annotation === undefined) return;
  const ofPod = spec.securityContext?.appArmorProfile;
  if (!ofPod || !semanticEqual(ofPod, appArmorProfileOf(annotation)))
    annotated(annotations, appArmorContainer + name, useAppArmorField, warn);
}

function address(field: Field<string>, warn: Warn): void {
  for (const text of ipWarnings(field.path, field.value ?? '')) warn(text);
}
