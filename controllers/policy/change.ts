import type { JsonObject, KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { labels } from '../../api/karmada/well-known.js';

const ignoredMetadata = new Set(['managedFields', 'resourceVersion']);

/**
 * Returns whether anything changed that members should see. Status, managed fields and versions do not count.
 * as pkg/util/eventfilter SpecificationChanged
 */
export function specificationChanged(old: KubeObject, next: KubeObject): boolean {
  return !sameObject(old, next, (field, value) => !ignoredMetadata.has(field) && value !== undefined);
}

/**
 * Returns whether the change is Karmada's alone: its labels and annotations, and what follows from them.
 * as pkg/util/eventfilter ResourceChangeByKarmada
 */
export function changedByKarmada(old: KubeObject, next: KubeObject): boolean {
  return sameObject(
    withoutKarmada(old),
    withoutKarmada(next),
    field => !ignoredMetadata.has(field) && field !== 'generation',
  );
}

function sameObject(a: KubeObject, b: KubeObject, counts: (field: string, value: unknown) => boolean): boolean {
  const { metadata: metaA, status: _statusA, ...restA } = a;
  const { metadata: metaB, status: _statusB, ...restB } = b;
  const pick = (metadata: ObjectMeta): JsonObject =>
    Object.fromEntries(Object.entries(metadata).filter(([field, value]) => counts(field, value)));
  return deepEqual(pick(metaA), pick(metaB)) && deepEqual(restA, restB);
}

function withoutKarmada(object: KubeObject): KubeObject {
  const { labels: all, annotations, ...metadata } = object.metadata;
  const kept = foreign(all, labels.skipAutoPropagation);
  const notes = foreign(annotations);
  return {
    ...object,
    metadata: { ...metadata, ...(kept ? { labels: kept } : {}), ...(notes ? { annotations: notes } : {}) },
  };
}

/** Entries that are not Karmada's; a label that is the user's although it looks like ours is named. undefined when none is left. */
function foreign(map: Record<string, string> | undefined, exception?: string): Record<string, string> | undefined {
  const kept = Object.entries(map ?? {}).filter(([key]) => !key.includes('.karmada.io') || key === exception);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
