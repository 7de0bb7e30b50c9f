/** Warns about containers with duplicate or misleading settings. */
// as pkg/api/pod warningsForPodSpecAndMeta
import type { Field } from '../../../../shared/rules/field.js';
import { type Warn, fractionWarning } from '../../../../shared/rules/warnings.js';
import type { Container, ContainerPort, EnvVar } from '../../../../../api/kubernetes/core.js';

const inBytes = ['memory', 'ephemeral-storage'] as const;

/** Warns of fractions of a byte in limits and requests. */
export function amountWarnings(container: Field<Container>, warn: Warn): void {
  const resources = container.at('resources');
  for (const name of inBytes)
    for (const kind of ['limits', 'requests'] as const) fractionWarning(resources.at(kind).entry(name), warn);
}

/** Warns about variables of the same name, unless the later one refers to the earlier one. */
export function envWarnings(env: Field<EnvVar[]>, warn: Warn): void {
  const seen = new Set<string>();
  for (const variable of env.items()) {
    const { name = '', value = '', valueFrom } = variable.value ?? {};
    const reference = `$(${name})`;
    const buildsOn = !valueFrom && value !== reference && value.includes(reference);
    if (seen.has(name) && !buildsOn)
      warn(`${variable.path}: hides previous definition of "${name}", which may be dropped when using apply`);
    seen.add(name);
  }
}

function* portsOf(containers: readonly Field<Container>[]): Generator<Field<ContainerPort>> {
  for (const container of containers) yield* container.at('ports').items();
}

/** Warns of an address without a port of the host, and of two ports that are the same or overlap on the host. */
export function portWarnings(containers: readonly Field<Container>[], warn: Warn): void {
  const byPort = new Map<string, Field<ContainerPort>[]>();
  for (const port of portsOf(containers)) {
    const { containerPort = 0, protocol = '', hostIP = '', hostPort = 0, name = '' } = port.value ?? {};
    if (hostIP !== '' && hostPort === 0) {
      const go = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      warn(`${port.path}: hostIP set without hostPort: ${go}`);
    }
    const key = `${containerPort}/${protocol}`;
    const others = byPort.get(key);
    if (others === undefined) {
      byPort.set(key, [port]);
      continue;
    }
    for (const other of others) {
      const clash = clashOf(port.value, other.value);
      if (clash) warn(`${port.path}: ${clash} port definition with ${other.path}`);
    }
    others.push(port);
  }
}

function clashOf(a: ContainerPort = {}, b: ContainerPort = {}): string | undefined {
  const { hostIP: ip = '', hostPort: port = 0 } = a;
  const { hostIP: otherIp = '', hostPort: otherPort = 0 } = b;
  if (ip === otherIp && port === otherPort) return 'duplicate';
  if (port === 0 || otherPort === 0) return 'overlapping';
  return port === otherPort && (ip === '') !== (otherIp === '') ? 'dangerously ambiguous' : undefined;
}

/** Warns of a name that several ports have, of which Services and probes use the first one. */
export function portNameWarnings(containers: readonly Field<Container>[], warn: Warn): void {
  const seen = new Map<string, string>();
  for (const port of portsOf(containers)) {
    const name = port.value?.name ?? '';
    const other = seen.get(name);
    if (name === '') continue;
    if (other === undefined) seen.set(name, port.path);
    else
      warn(
        `${port.path}: duplicate port name "${name}" with ${other}, services and probes that select ports by name will use ${other}`,
      );
  }
}
