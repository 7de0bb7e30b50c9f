import type { KubeObject } from '../../../apimachinery/interface.js';
import { annotations as names, labels as labelNames } from '../../../api/karmada/well-known.js';

/**
 * Records in a manifest which labels and annotations Karmada manages, so that a key removed here is removed in the member, and a key that only
 * the member has stays; also records the permanent id of its Work. as pkg/util SetLabelsAndAnnotationsForWorkload
 */
export function recordManagedKeys(draft: KubeObject, workId: string | undefined): void {
  const { metadata } = draft;
  const notes = (metadata.annotations ??= {});
  const keys = new Set([...Object.keys(notes), names.managedAnnotations, names.managedLabels]);
  notes[names.managedAnnotations] = [...keys].sort().join(',');
  if (workId) (metadata.labels ??= {})[labelNames.workId] = workId;
  const labels = Object.keys(metadata.labels ?? {}).sort();
  notes[names.managedLabels] = labels.join(',');
}

/** Keeps labels and annotations of the member's object that Karmada does not manage, and leaves out managed ones that are no longer wanted. */
export function retainForeignKeys(desired: KubeObject, observed: KubeObject): void {
  const noted = (object: KubeObject, key: string): string[] => (object.metadata.annotations?.[key] ?? '').split(',');
  const merge = (
    wanted: Record<string, string> | undefined,
    present: Record<string, string> | undefined,
    ours: ReadonlySet<string>,
  ): Record<string, string> | undefined => {
    const merged = { ...wanted };
    for (const [key, value] of Object.entries(present ?? {}))
      if (!Object.hasOwn(merged, key) && !ours.has(key)) merged[key] = value;
    return Object.keys(merged).length > 0 ? merged : wanted;
  };
  const { metadata } = desired;
  const before = observed.metadata;
  const annotations = merge(
    metadata.annotations,
    before.annotations,
    new Set(noted(observed, names.managedAnnotations)),
  );
  const labels = merge(metadata.labels, before.labels, new Set(noted(observed, names.managedLabels)));
  if (annotations) metadata.annotations = annotations;
  if (labels) metadata.labels = labels;
}
