/** Drops fields of pods behind feature gates that are off, unless the stored object already has them. */
// as pkg/api/pod DropDisabledPodFields, DropDisabledTemplateFields
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Prepare } from '../../../../registry/interface.js';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../../../api/kubernetes/core.js';
import { containersOf } from './visit-containers.js';

const usesStopSignals = (spec: PodSpec | undefined): boolean =>
  containersOf(spec).some(c => c.lifecycle?.stopSignal !== undefined);
const sourcesOf = (spec: PodSpec | undefined) => (spec?.volumes ?? []).flatMap(v => v.projected?.sources ?? []);
const usesSource = (spec: PodSpec | undefined, kind: 'clusterTrustBundle' | 'podCertificate'): boolean =>
  sourcesOf(spec).some(source => source[kind]);

function dropStopSignal(container: Container): void {
  if (container.lifecycle?.stopSignal === undefined) return;
  const { stopSignal: _, ...rest } = container.lifecycle;
  if (Object.keys(rest).length > 0) container.lifecycle = rest;
  else delete container.lifecycle;
}

function drop(spec: PodSpec, old: PodSpec | undefined): void {
  if (spec.schedulingGroup !== undefined && !old?.schedulingGroup) delete spec.schedulingGroup;
  if (!usesStopSignals(old)) for (const container of containersOf(spec)) dropStopSignal(container);
  if (!spec.volumes) return;
  for (const kind of ['clusterTrustBundle', 'podCertificate'] as const)
    if (!usesSource(old, kind)) for (const source of sourcesOf(spec)) delete source[kind];
}

/**
 * Returns a rule that drops the fields of a pod spec whose feature gates are off, unless the stored object uses them. `specOf` returns the
 * pod spec of an object of the kind.
 */
export function dropDisabledFields(specOf: (object: KubeObject) => PodSpec | undefined): Prepare {
  return (draft, old) => {
    const spec = specOf(draft);
    if (spec) drop(spec, old && specOf(old));
  };
}

type Templated = { spec?: { template?: { spec?: PodSpec } } };

const statusesOf = ({ status }: Pod): readonly ContainerStatus[] => [
  ...(status?.containerStatuses ?? []),
  ...(status?.initContainerStatuses ?? []),
  ...(status?.ephemeralContainerStatuses ?? []),
];

/** As `dropDisabledFields`, for the status of a pod. */
// as pkg/api/pod dropDisabledPodStatusFields
export const dropDisabledStatusFields: Prepare = (draft, old) => {
  const [pod, before] = [draft as Pod, (old ?? {}) as Pod];
  if (!before.status?.nodeAllocatableResourceClaimStatuses?.length)
    delete pod.status?.nodeAllocatableResourceClaimStatuses;
  const mounts = (of: Pod) => statusesOf(of).flatMap(status => status.volumeMounts ?? []);
  if (!mounts(before).some(mount => mount.volumeStatus)) for (const mount of mounts(pod)) delete mount.volumeStatus;
};

/** For workloads with `spec.template`. */
export const dropDisabledTemplateFields: Prepare = dropDisabledFields(
  object => (object as Templated).spec?.template?.spec,
);
