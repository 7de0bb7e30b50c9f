import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import type { Container, LimitRange, PersistentVolumeClaim, Pod } from '../../api/kubernetes/core.js';
import { deny } from '../deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { limitFaults } from './limit-faults.js';
import { listRecent } from '../../client/recent.js';

const limitRanges: GroupVersionResource = { group: '', version: 'v1', resource: 'limitranges' };
const annotation = 'kubernetes.io/limit-ranger';

/** Sets default resources of containers, and limits the resources of pods and claims, by the LimitRanges of the namespace. */
// as plugin/pkg/admission/limitranger
export function limitRanger({ client }: AdmissionDeps): AdmissionPlugin {
  const rangesFor = async ({ namespace }: AdmissionRequest): Promise<readonly LimitRange[]> =>
    await listRecent(client, limitRanges, namespace);
  return {
    name: 'LimitRanger',
    resources: ['pods', 'persistentvolumeclaims'],
    async mutate(request) {
      if (request.definition.plural !== 'pods' || !isLimited(request)) return;
      for (const range of await rangesFor(request)) fillPod(request.object as Pod, range);
    },
    async validate(request) {
      if (!isLimited(request)) return;
      for (const range of await rangesFor(request)) {
        const faults = limitFaults(range, request.object as Pod | PersistentVolumeClaim);
        if (faults.length > 0) throw deny(request, aggregate(faults));
      }
    },
  };
}

/** Reports whether limits apply: to new pods, resized pods, and claims, unless they are being deleted. */
function isLimited({ definition, operation, subresource, old }: AdmissionRequest): boolean {
  if (operation === 'DELETE' || old?.metadata.deletionTimestamp !== undefined) return false;
  if (definition.plural !== 'pods') return subresource === '';
  return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
}

type Amounts = Record<string, string | number>;

interface Defaults {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** Sets the default resources of all containers in place, and records them in an annotation of the pod. */
function fillPod(pod: Pod, range: LimitRange): void {
  const defaults: Defaults = { requests: {}, limits: {} };
  for (const limit of range.spec?.limits ?? []) {
    if (limit.type !== 'Container') continue;
    Object.assign(defaults.requests, limit.defaultRequest);
    Object.assign(defaults.limits, limit.default);
  }
  const notes = [
    ...(pod.spec?.containers ?? []).flatMap(container => fillContainer(container, defaults, 'container')),
    ...(pod.spec?.initContainers ?? []).flatMap(container => fillContainer(container, defaults, 'init container')),
  ];
  if (notes.length === 0) return;
  const text = `LimitRanger plugin set: ${notes.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: text };
}

/** Sets the defaults of a container. Returns texts like `cpu, memory request for container c`. */
function fillContainer(container: Container, defaults: Defaults, what: string): string[] {
  const notes: string[] = [];
  for (const which of ['requests', 'limits'] as const) {
    const present: Amounts = container.resources?.[which] ?? {};
    const missing = Object.keys(defaults[which]).filter(name => !Object.hasOwn(present, name));
    if (missing.length === 0) continue;
    container.resources = { ...container.resources, [which]: { ...defaults[which], ...present } };
    notes.push(`${missing.sort().join(', ')} ${which.slice(0, -1)} for ${what} ${container.name ?? ''}`);
  }
  return notes;
}
