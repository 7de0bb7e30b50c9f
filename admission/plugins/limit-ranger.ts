import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import type { Container, LimitRange, PersistentVolumeClaim, Pod } from '../../api/kubernetes/core.js';
import { deny } from '../deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { limitFaults } from './limit-faults.js';
import { all } from '../lookup.js';

const limitRanges: GroupVersionResource = { group: '', version: 'v1', resource: 'limitranges' };
const annotation = 'kubernetes.io/limit-ranger';

/** Gives containers what they leave out, and bounds what pods and claims ask for, by the LimitRanges of the namespace. */
// as plugin/pkg/admission/limitranger
export function limitRanger({ client }: AdmissionDeps): AdmissionPlugin {
  const rangesFor = async ({ namespace }: AdmissionRequest): Promise<readonly LimitRange[]> =>
    await all(client, limitRanges, namespace);
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

/** New pods, pods that are resized, and claims, unless they are on their way out. */
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

/** Fills the resources of all containers in place, and notes on the pod what was filled. */
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

/** `cpu, memory request for container c` */
function fillContainer(container: Container, defaults: Defaults, what: string): string[] {
  const notes: string[] = [];
  for (const which of ['requests', 'limits'] as const) {
    const own: Amounts = container.resources?.[which] ?? {};
    const missing = Object.keys(defaults[which]).filter(name => !Object.hasOwn(own, name));
    if (missing.length === 0) continue;
    container.resources = { ...container.resources, [which]: { ...defaults[which], ...own } };
    notes.push(`${missing.sort().join(', ')} ${which.slice(0, -1)} for ${what} ${container.name ?? ''}`);
  }
  return notes;
}
