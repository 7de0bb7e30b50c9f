/** Validates updates of the status of a pod. */
// as pkg/apis/core/validation ValidatePodStatusUpdate
import { ipWarnings, isV4, parseIp } from '../../../../apimachinery/net/ip.js';
import { checkDns1123Subdomain, checkQualifiedName } from '../../../../apimachinery/meta/names.js';
import type { Validate } from '../../../../registry/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import { immutable } from '../../../shared/rules/immutable.js';
import { shownInternal } from '../../../shared/go-text/internal-json.js';
import { legacyIp } from '../../../shared/rules/ip-rules.js';
import { validateChange } from '../../../shared/rules/validate.js';
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from '../../../../api/kubernetes/core.js';
import { podOptions } from '../pod-spec/stored-pod-options.js';
import { extendedClaims, statusDetails } from './pod-status-details.js';
import { annotationChanges } from './pod-rules.js';

const systemConditions = ['PodScheduled', 'Ready', 'Initialized'];

export const podStatusRules: readonly Validate[] = [
  validateChange<Pod>((pod, old, context) => {
    const status = pod.at('status');
    annotationChanges(pod, old, podOptions(true, old));
    conditions(status);
    nominatedNode(status, old);
    const generation = status.at('observedGeneration');
    if ((generation.value ?? 0) < 0) generation.invalid('must be a non-negative integer');
    immutable(status.at('qosClass'), old.status?.qosClass, () => status.value?.qosClass ?? '');
    transitions(status.at('containerStatuses'), old.status?.containerStatuses, old.spec, old.spec?.containers);
    transitions(
      status.at('initContainerStatuses'),
      old.status?.initContainerStatuses,
      old.spec,
      old.spec?.initContainers,
    );
    transitions(status.at('ephemeralContainerStatuses'), old.status?.ephemeralContainerStatuses, undefined, undefined);
    claims(status, pod.value?.spec);
    extendedClaims(status.at('extendedResourceClaimStatus'), pod.value?.spec);
    addresses(status, 'podIPs', old);
    addresses(status, 'hostIPs', old);
    statusDetails(status, pod.value?.spec);
    for (const list of ['podIPs', 'hostIPs'] as const)
      for (const { path, value } of status.at(list).items())
        for (const text of ipWarnings(`${path}.ip`, value?.ip ?? '')) context.warn(text);
  }),
];

function conditions(status: Field<PodStatus>): void {
  for (const condition of status.at('conditions').items()) {
    const generation = condition.at('observedGeneration');
    if ((generation.value ?? 0) < 0) generation.invalid('must be a non-negative integer');
    const type = condition.at('type');
    if (!systemConditions.includes(type.value ?? '')) type.named(condition, 'Type').check(checkQualifiedName);
  }
}

function nominatedNode(status: Field<PodStatus>, old: Pod): void {
  const node = status.at('nominatedNodeName');
  if (node.isEmpty || node.value === old.status?.nominatedNodeName) return;
  node.check(checkDns1123Subdomain);
  if (old.spec?.nodeName) node.forbidden('may not be set on pods that are already bound to a node');
}

/** Reports whether a container that ended is restarted. */
// as pkg/api/v1/pod ContainerShouldRestart
function restarts(container: Container | undefined, spec: PodSpec, exitCode: number): boolean {
  for (const { action, exitCodes } of container?.restartPolicyRules ?? []) {
    if (!exitCodes || (action !== 'Restart' && action !== 'RestartAllContainers')) continue;
    const listed = (exitCodes.values ?? []).includes(exitCode);
    if (exitCodes.operator === 'In' ? listed : !listed) return true;
  }
  const policy = container?.restartPolicy ?? spec.restartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

const mayRestartAll = (spec: PodSpec): boolean =>
  [...(spec.initContainers ?? []), ...(spec.containers ?? [])].some(c =>
    c.restartPolicyRules?.some(rule => rule.action === 'RestartAllContainers'),
  );

/** `spec` unset: no container is restarted. */
function transitions(
  list: Field<ContainerStatus[]>,
  old: readonly ContainerStatus[] | undefined,
  spec: PodSpec | undefined,
  containers: readonly Container[] | undefined,
): void {
  if (spec && mayRestartAll(spec)) return;
  for (const [i, before] of (old ?? []).entries()) {
    const ended = before.state?.terminated;
    const now = list.value?.find(status => status.name === before.name);
    if (!ended || !now || now.state?.terminated) continue;
    const container = containers?.find(c => c.name === before.name);
    if (spec && container && restarts(container, spec, ended.exitCode ?? 0)) continue;
    list.as(`${list.path}[${i}].state`).forbidden('may not be transitioned to non-terminated state');
  }
}

function claims(status: Field<PodStatus>, spec: PodSpec | undefined): void {
  const seen = new Set<string>();
  for (const claim of status.at('resourceClaimStatuses').items()) {
    const name = claim.at('name');
    if (!spec?.resourceClaims?.some(c => c.name === name.value))
      name.invalid('must match the name of an entry in `spec.resourceClaims`', name.value ?? '');
    if (seen.has(name.value ?? '')) name.duplicate();
    seen.add(name.value ?? '');
    if (claim.at('resourceClaimName').isSet) claim.at('resourceClaimName').check(checkDns1123Subdomain);
  }
}

/** There is at most one address of each family. */
function addresses(status: Field<PodStatus>, name: 'podIPs' | 'hostIPs', old: Pod): void {
  const list = status.at(name);
  const before = (old.status?.[name] ?? []).map(({ ip }) => ip ?? '');
  const [first] = list.items();
  if (name === 'hostIPs' && first && first.value?.ip !== status.value?.hostIP)
    first.at('ip').invalid('must be equal to `hostIP`');
  for (const place of list.items()) legacyIp(place.at('ip').as(place.path), before);
  const parsed = (list.value ?? []).map(({ ip }) => parseIp(ip ?? '', { sloppy: true }));
  if (parsed.length < 2) return;
  const bad = parsed.findIndex(address => !address);
  if (bad >= 0)
    list.internal(`failed to check for dual stack with error:invalid IP[${bad}]: ${list.value?.[bad]?.ip ?? ''}`);
  const families = new Set(parsed.map(address => address && isV4(address)));
  if (families.size < 2 || bad >= 0 || parsed.length > 2)
    list.invalid(
      'may specify no more than one IP for each IP family',
      shownInternal(name === 'podIPs' ? '[]PodIP' : '[]HostIP', list.value),
    );
}
