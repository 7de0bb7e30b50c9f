/** Validates the resizing of running pods. */
// as pkg/apis/core/validation ValidatePodResize, pkg/registry/core/pod podResizeStrategy
import { semanticEqual } from '../../../../lib/json/equality.js';
import type { Prepare, Validate } from '../../../../registry/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import { validateChange } from '../../../shared/rules/validate.js';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../../api/kubernetes/core.js';
import { mirrorAnnotation } from '../pod-spec/pod-annotation-rules.js';
import { podOptions } from '../pod-spec/stored-pod-options.js';
import { qosClass } from './pod-qos.js';
import { noPlace, wholePod } from './pod-rules.js';

const kinds = ['containers', 'initContainers'] as const;

/** Takes only resources and resize policies from the draft; if containers do not match, keeps all of it, so that validation refuses it. */
export const keepAllButResources: Prepare = (draft, old) => {
  const pod = draft as Pod;
  const before = (old as Pod | undefined)?.spec ?? {};
  const spec = pod.spec ?? {};
  if (kinds.some(kind => (spec[kind] ?? []).length !== (before[kind] ?? []).length)) return;
  const out: PodSpec = { ...before };
  delete out.resources;
  if (spec.resources) out.resources = spec.resources;
  for (const kind of kinds) {
    const list = spec[kind];
    if (list) out[kind] = merged(list, before[kind] ?? []);
  }
  pod.spec = out;
};

function merged(list: readonly Container[], before: readonly Container[]): Container[] {
  if (list.some((container, i) => container.name !== before[i]?.name)) return [...list];
  return list.map((container, i) => {
    const { resources: _, resizePolicy: __, ...rest } = before[i] ?? {};
    const { resources, resizePolicy } = container;
    return { ...rest, ...(resources && { resources }), ...(resizePolicy && { resizePolicy }) };
  });
}

export const resizeRules: readonly Validate[] = [validateChange<Pod>(resize)];

function resize(pod: Field<Pod>, old: Pod): void {
  const spec = pod.at('spec');
  const before = old.spec ?? {};
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    noPlace(pod).forbidden('static pods cannot be resized');
    return;
  }
  if (before.os?.name === 'windows') {
    noPlace(pod).forbidden('windows pods cannot be resized');
    return;
  }
  const start = pod.faults.length;
  wholePod(pod, podOptions(true, old));
  const qos = old.status?.qosClass ?? qosClass(before);
  if (qos !== qosClass(spec.value))
    spec.invalid('Pod QOS Class may not change as a result of resizing', pod.value?.status?.qosClass ?? '');
  const running = old.status?.containerStatuses?.find(c => c.state?.running);
  if (running && !running.resources) spec.forbidden('Pod running on node without support for resize');
  const fixed: PodSpec = { ...spec.value };
  podLevel(spec, before, fixed);
  if (old.status?.nodeAllocatableResourceClaimStatuses?.length)
    spec.forbidden('pods with node allocatable resource claims cannot be resized');
  if (!spec.passes(() => sameOrder(spec, before))) return;
  for (const kind of ['initContainers', 'containers'] as const)
    for (const [i, container] of spec.at(kind).items().entries()) {
      const was = before[kind]?.[i]?.resources ?? {};
      if (removed(container.value?.resources?.requests, was.requests))
        container.at('resources').at('requests').forbidden('resource requests cannot be removed');
      if (removed(container.value?.resources?.limits, was.limits))
        container.at('resources').at('limits').forbidden('resource limits cannot be removed');
    }
  fixContainers(spec, before, fixed);
  if (pod.faults.length === start && !semanticEqual(fixed, before))
    spec.forbidden('only cpu and memory resources are mutable');
}

type Amounts = Readonly<Record<string, string | number>> | undefined;

const removed = (now: Amounts, before: Amounts): boolean =>
  Object.keys(before ?? {}).some(name => now?.[name] === undefined);

/** Returns the amounts with the old cpu and memory. */
function withoutCpuAndMemory(now: Amounts, before: Amounts): Record<string, string | number> {
  const out = { ...now };
  for (const name of ['cpu', 'memory']) {
    delete out[name];
    const was = before?.[name];
    if (was !== undefined) out[name] = was;
  }
  return out;
}

function fixedResources(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
): ResourceRequirements {
  return {
    limits: withoutCpuAndMemory(now?.limits, before?.limits),
    requests: withoutCpuAndMemory(now?.requests, before?.requests),
  };
}

const isSet = (resources: ResourceRequirements | undefined): boolean =>
  Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;

function podLevel(spec: Field<PodSpec>, before: PodSpec, fixed: PodSpec): void {
  const field = spec.at('resources');
  if (!isSet(field.value) && !isSet(before.resources)) return;
  if (before.resources && !field.isSet) {
    field.forbidden('pod-level resources cannot be removed');
    return;
  }
  if (removed(field.value?.requests, before.resources?.requests))
    field.at('requests').forbidden('pod-level resource requests cannot be removed');
  if (removed(field.value?.limits, before.resources?.limits))
    field.at('limits').forbidden('pod-level resource limits cannot be removed');
  const resources = fixedResources(field.value, before.resources);
  if (before.resources || isSet(resources)) fixed.resources = { ...field.value, ...resources };
  else delete fixed.resources;
  if (!semanticEqual(fixed.resources, before.resources))
    spec.forbidden('only cpu and memory resources are mutable at pod-level');
}

function sameOrder(spec: Field<PodSpec>, before: PodSpec): void {
  for (const kind of kinds) {
    const list = spec.at(kind);
    const was = before[kind] ?? [];
    if ((list.value ?? []).length !== was.length) list.forbidden(`${kind} may not be added or removed on resize`);
    else
      for (const [i, container] of list.items().entries())
        if (container.value?.name !== was[i]?.name)
          container.at('name').forbidden(`${kind} may not be renamed or reordered on resize`);
  }
}

function fixContainers(spec: Field<PodSpec>, before: PodSpec, fixed: PodSpec): void {
  const fix = (container: Container, was: Container | undefined): Container => ({
    ...container,
    resources: fixedResources(container.resources, was?.resources),
  });
  fixed.containers = (spec.value?.containers ?? []).map((c, i) => fix(c, before.containers?.[i]));
  for (const [i, container] of fixed.containers.entries())
    if (!semanticEqual(container, before.containers?.[i])) spec.forbidden('only cpu and memory resources are mutable');
  const init = spec.value?.initContainers ?? [];
  fixed.initContainers = init.map((c, i) => fix(c, before.initContainers?.[i]));
  for (const [i, place] of spec.at('initContainers').items().entries()) {
    const was = before.initContainers?.[i];
    const changed = !semanticEqual(place.value, was);
    if (!semanticEqual(fixed.initContainers[i], was))
      place.forbidden('only cpu and memory resources for init or sidecar containers are mutable');
    if (!changed || place.value?.restartPolicy === 'Always') continue;
    for (const policy of place.value?.resizePolicy ?? [])
      if (policy.restartPolicy === 'RestartContainer')
        place.forbidden('non-sidecar init containers with a resize policy of RestartContainer cannot be resized');
  }
}
