import type { JsonObject, KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { labels } from '../../api/karmada/well-known.js';

const ignoredMetadata = new Set(['managedFields', 'resourceVersion']);

/**
 * Reports whether anything changed that is propagated to members. Status, managedFields and resourceVersion do not count.
 * as pkg/util/eventfilter SpecificationChanged
 */
export function specificationChanged(old: KubeObject, next: KubeObject): boolean {
  return !sameObject(old, next, (field, value) => !ignoredMetadata.has(field) && value !== undefined);
}

/**
 * Reports whether only Karmada's labels and annotations have changed, and the generation because of them.
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

/** Returns the entries that are not Karmada's, and the user's entry `exception`, whose key looks like Karmada's; undefined if none is left. */
function foreign(map: Record<string, string> | undefined, exception?: string): Record<string, string> | undefined {
  const kept = Object.entries(map ?? {}).filter(([key]) => !key.includes('.karmada.io') || key === exception);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
