import type { KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { labels } from '../../api/karmada/well-known.js';

const ignoredMetadata = new Set(['managedFields', 'resourceVersion']);

/**
 * hot: for every change of a template, and of an object in a member. Reports whether anything changed that is propagated to members. Status,
 * managedFields and resourceVersion do not count. as pkg/util/eventfilter SpecificationChanged
 */
export const specificationChanged = (old: KubeObject, next: KubeObject): boolean =>
  !sameMetadata(old.metadata, next.metadata) || contentChanged(old, next);

/** Reports whether the objects differ apart from metadata and status. */
export function contentChanged(
  { metadata: _old, status: _oldStatus, ...old }: KubeObject,
  { metadata: _next, status: _nextStatus, ...next }: KubeObject,
): boolean {
  return !deepEqual(old, next);
}

/** Compares metadata without copying them. An undefined field equals an absent one. */
function sameMetadata(a: ObjectMeta, b: ObjectMeta): boolean {
  const fields = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof ObjectMeta>;
  for (const field of fields) if (!ignoredMetadata.has(field) && !deepEqual(a[field], b[field])) return false;
  return true;
}

/**
 * Reports whether only Karmada's labels and annotations have changed, and the generation because of them.
 * as pkg/util/eventfilter ResourceChangeByKarmada
 */
export function changedByKarmada(old: KubeObject, next: KubeObject): boolean {
  return !specificationChanged(withoutKarmada(old), withoutKarmada(next));
}

function withoutKarmada(object: KubeObject): KubeObject {
  const { labels: all, annotations, generation: _, ...metadata } = object.metadata;
  const kept = foreign(all, labels.skipAutoPropagation);
  const notes = foreign(annotations);
  return {
    ...object,
    metadata: { ...metadata, ...(kept ? { labels: kept } : {}), ...(notes ? { annotations: notes } : {}) },
  };
}

/** Returns the entries that are not Karmada's, and the user's entry `exception`, whose key looks like Karmada's; undefined if none is left. */
function foreign(map: Record<string, string> | undefined, exception?: string): Record<string, string> | undefined {
  const kept = Object.entries(map ?? {}).filter(([key]) => !key.includes('.karmada.io') || key === exception);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
