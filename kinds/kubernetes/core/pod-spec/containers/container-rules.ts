/** Validates containers: main, init and ephemeral ones. */
// as pkg/apis/core/validation validateContainers, validateInitContainers, validateEphemeralContainers
import { checkDns1123Label, checkPortName } from '../../../../../apimachinery/meta/names.js';
import type { Field } from '../../../../shared/rules/field.js';
import { notEmpty } from '../../../../shared/rules/name-rules.js';
import { portNumber } from '../../../../shared/rules/port-rules.js';
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  EphemeralContainer,
  PodSpec,
  Volume,
} from '../../../../../api/kubernetes/core.js';
import { env, envFrom } from './env-rules.js';
import { volumeDevices, volumeMounts } from '../../volumes/mount-rules.js';
import type { PodOptions } from '../../shared/pod-options.js';
import { type ProbePod, lifecycle, livenessProbe, readinessProbe, startupProbe } from './probe-rules.js';
import { pullPolicy } from '../../shared/pull-policy-rule.js';
import { containerResources } from '../../shared/resource-rules.js';
import { securityContext } from '../security-context-rules.js';

/** The properties of a pod that the rules for containers depend on. */
export interface ContainerPod extends ProbePod {
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claimNames: readonly string[];
  readonly restartPolicy: string;
  readonly hostUsers: boolean;
  readonly options: PodOptions;
}

const protocols = ['SCTP', 'TCP', 'UDP'];
const messagePolicies = ['File', 'FallbackToLogsOnError'];

function common(container: Field<Container>, pod: ContainerPod): void {
  const name = container.at('name');
  if (name.isEmpty) name.required();
  else name.check(checkDns1123Label);
  notEmpty(container.at('image'));
  const policy = container.at('terminationMessagePolicy');
  if (policy.isEmpty) policy.required();
  else if (!messagePolicies.includes(policy.value ?? '')) policy.notSupported(messagePolicies);
  ports(container.at('ports'));
  env(container.at('env'));
  envFrom(container.at('envFrom'));
  volumeMounts(container, pod.volumes);
  volumeDevices(container, pod.volumes);
  pullPolicy(container.at('imagePullPolicy'));
  containerResources(container.at('resources'), pod.claimNames, pod.options);
  resizePolicies(container.at('resizePolicy'), pod.restartPolicy);
  securityContext(container.at('securityContext'), pod.hostUsers);
}

function ports(list: Field<ContainerPort[]>): void {
  const names = new Set<string>();
  for (const port of list.items()) {
    const name = port.at('name');
    if (!name.isEmpty) {
      if (name.passes(() => name.check(checkPortName)) && names.has(name.value ?? '')) name.duplicate();
      names.add(name.value ?? '');
    }
    if (port.at('containerPort').isEmpty) port.at('containerPort').required();
    else portNumber(port.at('containerPort'));
    if (!port.at('hostPort').isEmpty) portNumber(port.at('hostPort'));
    const protocol = port.at('protocol');
    if (protocol.isEmpty) protocol.required();
    else if (!protocols.includes(protocol.value ?? '')) protocol.notSupported(protocols);
  }
}

const resizable = ['cpu', 'memory'];
const onResize = ['NotRequired', 'RestartContainer'];

function resizePolicies(list: Field<ContainerResizePolicy[]>, podRestartPolicy: string): void {
  const seen = new Set<string>();
  for (const policy of list.items()) {
    const { resourceName = '', restartPolicy = '' } = policy.value ?? {};
    if (seen.has(resourceName)) policy.duplicate(resourceName);
    seen.add(resourceName);
    if (resourceName === '') list.required();
    else if (!resizable.includes(resourceName)) list.notSupported(resizable, resourceName);
    if (restartPolicy === '') list.required();
    else if (!onResize.includes(restartPolicy)) list.notSupported(onResize, restartPolicy);
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      list.invalid("must be 'NotRequired' when pod `restartPolicy` is 'Never'", restartPolicy);
  }
}

const restartPolicies = ['Always', 'Never', 'OnFailure'];
const ruleActions = ['Restart', 'RestartAllContainers'];
const exitOperators = ['In', 'NotIn'];
const maxRules = 20;
const maxExitCodes = 255;

// as pkg/apis/core/validation validateContainerRestartPolicy
function restartPolicy(container: Field<Container>): void {
  const policy = container.at('restartPolicy');
  const rules = container.at('restartPolicyRules');
  if (!policy.isSet) {
    if (rules.isEmpty) return;
    policy.required('must specify restartPolicy when restart rules are used');
  } else if (!restartPolicies.includes(policy.value ?? '')) policy.notSupported(restartPolicies);
  const count = (rules.value ?? []).length;
  if (count > maxRules) rules.tooMany(count, maxRules);
  for (const rule of rules.items()) restartRule(rule);
}

function restartRule(rule: Field<ContainerRestartRule>): void {
  if (!ruleActions.includes(rule.value?.action ?? '')) rule.at('action').notSupported(ruleActions);
  const codes = rule.at('exitCodes');
  if (!codes.isSet) {
    codes.required('must be specified');
    return;
  }
  if (!exitOperators.includes(codes.value?.operator ?? '')) codes.at('operator').notSupported(exitOperators);
  const count = (codes.value?.values ?? []).length;
  if (count > maxExitCodes) codes.at('values').tooMany(count, maxExitCodes);
}

/** Reports ports of the host that are used twice. */
function hostPorts(containers: readonly Field<Container>[]): void {
  const taken = new Set<string>();
  for (const container of containers)
    for (const port of container.at('ports').items()) {
      const { hostPort, hostIP = '', protocol = '' } = port.value ?? {};
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) port.at('hostPort').duplicate(key);
      taken.add(key);
    }
}

function probes(container: Field<Container>, pod: ProbePod): void {
  lifecycle(container.at('lifecycle'), pod);
  livenessProbe(container.at('livenessProbe'), pod);
  readinessProbe(container.at('readinessProbe'), pod);
  startupProbe(container.at('startupProbe'), pod);
}

/** Requires a container, and checks each with its probes; two may not use one port of the host. as pkg/apis/core/validation validateContainers */
export function mainContainers(list: Field<Container[]>, pod: ContainerPod): void {
  if (list.isEmpty) {
    list.required();
    return;
  }
  const names = new Set<string>();
  for (const container of list.items()) {
    const name = container.value?.name ?? '';
    common(container, pod);
    if (names.has(name)) container.at('name').duplicate(name);
    names.add(name);
    probes(container, pod);
    restartPolicy(container);
  }
  hostPorts(list.items());
}

const hooks = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const notForInit = 'may not be set for init containers without restartPolicy=Always';

/**
 * Checks each container. Only one that is restarted always, a sidecar, may have probes and hooks.
 * as pkg/apis/core/validation validateInitContainers
 */
export function initContainers(spec: Field<PodSpec>, pod: ContainerPod): void {
  const list = spec.at('initContainers');
  if (list.isEmpty) return;
  const names = new Set((spec.value?.containers ?? []).map(c => c.name ?? ''));
  for (const container of list.items()) {
    const name = container.value?.name ?? '';
    const isSidecar = container.value?.restartPolicy === 'Always';
    common(container, pod);
    restartPolicy(container);
    if (names.has(name)) container.at('name').duplicate(name);
    else if (name !== '') names.add(name);
    // Upstream checks each one separately, as if it were the first.
    hostPorts([container.as(`${list.path}[0]`)]);
    if (isSidecar) probes(container, pod);
    else for (const hook of hooks) if (container.at(hook).isSet) container.at(hook).forbidden(notForInit);
    if (isSidecar || pod.options.allowRestartOfInitOnResize) continue;
    for (const policy of container.at('resizePolicy').items())
      if (policy.value?.restartPolicy === 'RestartContainer')
        policy.at('restartPolicy').invalid("must not be set to 'RestartContainer' for non-sidecar initContainers");
  }
}

const notForEphemeral = 'cannot be set for an Ephemeral Container';
/** In the order of their declaration. */
const fieldsNotForEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

/**
 * Checks each container, which may not have what the kubelet would have to reserve before the Pod starts.
 * as pkg/apis/core/validation validateEphemeralContainers
 */
export function ephemeralContainers(spec: Field<PodSpec>, pod: ContainerPod): void {
  const list = spec.at('ephemeralContainers');
  if (list.isEmpty) return;
  const others = new Set(
    [...(spec.value?.initContainers ?? []), ...(spec.value?.containers ?? [])].map(c => c.name ?? ''),
  );
  const names = new Set(others);
  for (const ephemeral of list.items()) {
    const container: Field<Container> = ephemeral;
    const name = container.value?.name ?? '';
    common(container, pod);
    imageWithoutSpace(container);
    if (names.has(name)) container.at('name').duplicate(name);
    names.add(name);
    target(ephemeral, others);
    for (const field of fieldsNotForEphemeral)
      if (!container.at(field).isEmpty) container.at(field).forbidden(notForEphemeral);
    for (const mount of container.at('volumeMounts').items())
      for (const path of ['subPath', 'subPathExpr'] as const)
        if (!mount.at(path).isEmpty) mount.at(path).forbidden(notForEphemeral);
  }
}

function target(ephemeral: Field<EphemeralContainer>, others: ReadonlySet<string>): void {
  const name = ephemeral.at('targetContainerName');
  if (!name.isEmpty && !others.has(name.value ?? '')) name.notFound();
}

/** The image in a pod must not have surrounding spaces. Images in templates may. */
export function imageWithoutSpace(container: Field<Container>): void {
  const image = container.at('image');
  if (image.isSet && image.value !== image.value?.trim()) image.invalid('must not have leading or trailing whitespace');
}
