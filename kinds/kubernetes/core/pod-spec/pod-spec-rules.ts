/** Validates the specs of pods and pod templates. */
// as pkg/apis/core/validation ValidatePodSpec
import { labelFaults } from '../../../../apimachinery/selectors/label-faults.js';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
  rangeText,
} from '../../../../apimachinery/meta/names.js';
import { Field } from '../../../shared/rules/field.js';
import { shownInternal } from '../../../shared/go-text/internal-json.js';
import { legacyIp } from '../../../shared/rules/ip-rules.js';
import { maxInt32 } from '../../../shared/rules/numbers.js';
import type { HostAlias, PodResourceClaim, PodSpec } from '../../../../api/kubernetes/core.js';
import { affinity } from '../shared/affinity-rules.js';
import {
  type ContainerPod,
  ephemeralContainers,
  initContainers,
  mainContainers,
} from './containers/container-rules.js';
import { dnsConfig } from './pod-dns-rules.js';
import type { PodOptions } from '../shared/pod-options.js';
import { podLevelResources } from './pod-resources-rules.js';
import { containerResources } from '../shared/resource-rules.js';
import { podSecurityContext } from './security-context-rules.js';
import { spreadConstraints } from './spread-rules.js';
import { schedulingGates, tolerations } from './toleration-rules.js';
import { containerFields } from './visit-containers.js';
import { volumes } from '../volumes/volume-rules.js';
import { hostProcess, linuxPod, windowsPod } from './windows-rules.js';

/** Name and annotations of a pod; unset for templates. */
interface NamedPod {
  readonly name: string;
  readonly isMirror: boolean;
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** Checks a spec after its defaults were set. `pod`: the Pod, if it is not a template. as pkg/apis/core/validation ValidatePodSpec */
export function podSpec(spec: Field<PodSpec>, options: PodOptions, pod?: NamedPod): void {
  const { terminationGracePeriodSeconds: graceSeconds, hostUsers = true, os, resourceClaims = [] } = spec.value ?? {};
  if (graceSeconds === undefined) spec.at('terminationGracePeriodSeconds').required();
  const claimNames = [...new Set(resourceClaims.map(c => c.name ?? '').filter(name => name !== ''))];
  const validVolumes = volumes(spec.at('volumes'), pod?.name ?? '', options);
  resourceClaimRules(spec.at('resourceClaims'), pod);
  const known: ContainerPod = {
    graceSeconds,
    os: os?.name,
    volumes: validVolumes,
    claimNames,
    restartPolicy: spec.value?.restartPolicy ?? '',
    hostUsers,
    options,
  };
  mainContainers(spec.at('containers'), known);
  initContainers(spec, known);
  ephemeralContainers(spec, known);
  podLevelResources(spec, claimNames, options);
  hostNetworkPorts(spec, options);
  requiredOneOf(spec.at('restartPolicy'), restartPolicies);
  requiredOneOf(spec.at('dnsPolicy'), dnsPolicies);
  spec.add(...labelFaults(spec.value?.nodeSelector, spec.at('nodeSelector')));
  podSecurityContext(spec, options);
  affinity(spec.at('affinity'), options);
  dnsConfig(spec);
  for (const gate of spec.at('readinessGates').items()) gate.at('conditionType').check(checkQualifiedName);
  schedulingGates(spec.at('schedulingGates'));
  spreadConstraints(spec.at('topologySpreadConstraints'), options);
  hostProcess(spec);
  if (!hostUsers) userNamespace(spec, options);
  hostnameOverride(spec);
  names(spec);
  operatingSystem(spec);
  schedulingGroup(spec);
  fileVolumes(spec);
}

function requiredOneOf(field: Field<string>, supported: readonly string[]): void {
  if (field.isEmpty) field.required();
  else if (!supported.includes(field.value ?? '')) field.notSupported(supported);
}

function resourceClaimRules(claims: Field<PodResourceClaim[]>, pod: NamedPod | undefined): void {
  const names = new Set<string>();
  for (const claim of claims.items()) {
    if (pod?.isMirror) {
      claim.as('').forbidden('static pods do not support resource claims');
      continue;
    }
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim.value ?? {};
    if (name === '') claim.at('name').required();
    else if (names.has(name)) claim.at('name').duplicate();
    else claim.at('name').check(checkDns1123Label);
    names.add(name);
    const shown = shownInternal('PodResourceClaim', claim.value);
    const bothText = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    const noneText = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) claim.invalid(bothText, shown);
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) claim.invalid(noneText, shown);
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const)
      if (claim.at(field).isSet) claim.at(field).check(checkDns1123Subdomain);
  }
}

function hostNetworkPorts(spec: Field<PodSpec>, { isPod }: PodOptions): void {
  if (!spec.value?.hostNetwork) return;
  for (const container of spec.at('containers').items())
    for (const port of container.at('ports').items()) {
      const { hostPort = 0, containerPort = 0 } = port.value ?? {};
      if ((isPod || hostPort !== 0) && hostPort !== containerPort)
        port.at('hostPort').invalid('must match `containerPort` when `hostNetwork` is true', hostPort);
    }
}

function userNamespace(spec: Field<PodSpec>, options: PodOptions): void {
  const text = 'when `hostUsers` is false';
  if (spec.value?.hostNetwork && !options.allowHostNetworkInUserNamespaces) spec.at('hostNetwork').forbidden(text);
  if (spec.value?.hostPID) spec.at('hostPID').named(spec, 'HostPID').forbidden(text);
  if (spec.value?.hostIPC) spec.at('hostIPC').named(spec, 'HostIPC').forbidden(text);
  if (options.allowDevicesInUserNamespaces) return;
  for (const container of containerFields(spec))
    if (!container.at('volumeDevices').isEmpty) container.at('volumeDevices').forbidden(text);
}

const maxHostnameLength = 64;

function hostnameOverride(spec: Field<PodSpec>): void {
  const hostname = spec.at('hostnameOverride');
  if (!hostname.isSet) return;
  if (spec.value?.setHostnameAsFQDN) hostname.forbidden('may not be specified when setHostnameAsFQDN is true');
  if (spec.value?.hostNetwork) hostname.forbidden('may not be specified when hostNetwork is true');
  if ((hostname.value ?? '').length > maxHostnameLength) hostname.tooLong(maxHostnameLength);
  hostname.check(checkDns1123Subdomain);
}

const preemptionPolicies = ['PreemptLowerPriority', 'Never'];

function names(spec: Field<PodSpec>): void {
  for (const name of ['serviceAccountName', 'nodeName'] as const)
    if (!spec.at(name).isEmpty) spec.at(name).check(checkDns1123Subdomain);
  const deadline = spec.at('activeDeadlineSeconds');
  if (deadline.isSet && ((deadline.value ?? 0) < 1 || (deadline.value ?? 0) > maxInt32))
    deadline.invalid(rangeText(1, maxInt32));
  for (const name of ['hostname', 'subdomain'] as const)
    if (!spec.at(name).isEmpty) spec.at(name).check(checkDns1123Label);
  tolerations(spec.at('tolerations'));
  hostAliases(spec.at('hostAliases'));
  if (!spec.at('priorityClassName').isEmpty) spec.at('priorityClassName').check(checkDns1123Subdomain);
  if (spec.at('runtimeClassName').isSet) spec.at('runtimeClassName').check(checkDns1123Subdomain);
  if (spec.at('preemptionPolicy').isSet) requiredOneOf(spec.at('preemptionPolicy'), preemptionPolicies);
  overhead(spec);
}

/** Validated like the limits of a container, but with its own path in the errors. */
function overhead(spec: Field<PodSpec>): void {
  const field = spec.at('overhead');
  if (field.isSet) containerResources(new Field({ limits: field.value ?? {} }, field.path, field.faults), [], {});
}

function hostAliases(aliases: Field<HostAlias[]>): void {
  for (const alias of aliases.items()) {
    legacyIp(alias.at('ip'));
    for (const hostname of alias.at('hostnames').items()) hostname.check(checkDns1123Subdomain);
  }
}

const systems = ['linux', 'windows'];

function operatingSystem(spec: Field<PodSpec>): void {
  const os = spec.at('os');
  if (!os.isSet) return;
  const name = os.value?.name ?? '';
  if (name === '') os.at('name').required();
  else if (!systems.includes(name)) os.notSupported(systems, name);
  else if (name === 'linux') linuxPod(spec);
  else windowsPod(spec);
}

function schedulingGroup(spec: Field<PodSpec>): void {
  const group = spec.at('schedulingGroup');
  if (!group.isSet) return;
  const name = group.at('podGroupName');
  if (name.isSet) name.check(checkDns1123Subdomain);
  else name.invalid('must specify one of: `podGroupName`', null);
}

function fileVolumes(spec: Field<PodSpec>): void {
  for (const container of containerFields(spec))
    for (const variable of container.at('env').items()) {
      if (!variable.value?.valueFrom?.fileKeyRef) continue;
      const name = variable.at('valueFrom').at('fileKeyRef').at('volumeName');
      const volume = spec.value?.volumes?.findLast(v => v.name === (name.value ?? ''));
      if (!volume) name.notFound();
      else if (!volume.emptyDir) name.invalid('referenced volume must be of type emptyDir');
    }
}
