/**
 * Says which endpoint changes which part of an object: the main endpoint does not touch status, `/status` touches nothing else.
 * Rules may share subtrees of the stored object with the draft: nothing changes a draft in depth after `prepare`.
 */
import { setKey } from '../../lib/json/clone.js';
import type { ResetPath, LongValidate, MetadataCheck, Prepare, Subresource, Validate, Verb } from '../interface.js';

import { scalePrinter } from './scale-printer.js';

type Part = Extract<Subresource, { type: 'part' }>;
type Scale = Extract<Subresource, { type: 'scale' }>;

/** Drops whatever is sent as status, for `prepareCreate`. */
export const dropStatus: Prepare = draft => {
  delete draft['status'];
};

/** For `prepareUpdate` of the main endpoint: the stored fields stay. */
export function keep(...fields: readonly string[]): Prepare {
  return (draft, old) => {
    for (const field of fields) {
      if (old?.[field] === undefined) delete draft[field];
      else draft[field] = old[field];
    }
  };
}

export const keepStatus: Prepare = keep('status');

/** For `prepareUpdate` of a subresource: everything but metadata and the named fields stays as it is stored. */
export function keepAllBut(...fields: readonly string[]): Prepare {
  const open = new Set(['apiVersion', 'kind', 'metadata', ...fields]);
  return (draft, old) => {
    for (const field in draft) if (!open.has(field) && old && !Object.hasOwn(old, field)) delete draft[field];
    for (const field in old) if (!open.has(field)) setKey(draft, field, old[field]);
  };
}

export const keepAllButStatus: Prepare = keepAllBut('status');

/** For `prepareUpdate` of a subresource: of metadata only managedFields are taken from the draft. */
export const keepMetadata: Prepare = (draft, old) => {
  if (!old) return;
  const { managedFields } = draft.metadata;
  draft.metadata = { ...old.metadata };
  if (managedFields === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = managedFields;
};

type MetadataField = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences' | 'deletionTimestamp';

/** For `prepareUpdate` of a subresource: single fields of metadata stay (`labels`, `ownerReferences`, ...). */
export function keepMetadataFields(...fields: readonly MetadataField[]): Prepare {
  return (draft, old) => {
    const metadata = draft.metadata as Record<string, unknown>;
    const stored = old?.metadata as Record<string, unknown> | undefined;
    for (const field of fields) {
      if (stored?.[field] === undefined) delete metadata[field];
      else metadata[field] = stored[field];
    }
  };
}

/** For `prepareUpdate` of a subresource: what people and controllers write into metadata stays; what never changes is still looked at. */
// as apimachinery/pkg/apis/meta/v1 ResetObjectMetaForStatus
export const resetMetadata: Prepare = keepMetadataFields(
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'deletionTimestamp',
);

export interface PartRules {
  readonly verbs?: readonly Verb[];
  readonly prepareUpdate?: readonly Prepare[];
  readonly validateUpdate?: readonly Validate[];
  readonly validateLong?: LongValidate;
  readonly resetFields?: readonly ResetPath[];
  readonly metadataRepeats?: readonly MetadataCheck[];
}

/** `/status` as most natives have it: status and metadata count. Spread `prepareUpdate` to add rules. */
export function statusPart(rules: PartRules = {}): Part {
  return {
    type: 'part',
    verbs: ['get', 'patch', 'update'],
    prepareUpdate: [keepAllButStatus],
    validateUpdate: [],
    resetFields: ['spec'],
    ...rules,
  };
}

/** `/scale` of a kind with `.spec.replicas`, `.status.replicas`; the selector is a path to a string or to a label selector. */
export function scalePart(
  own: Partial<Pick<Scale, 'specReplicas' | 'statusReplicas' | 'selector' | 'printer'>> = {},
): Scale {
  return {
    type: 'scale',
    verbs: ['get', 'patch', 'update'],
    specReplicas: '.spec.replicas',
    statusReplicas: '.status.replicas',
    selector: '.spec.selector',
    printer: scalePrinter,
    ...own,
  };
}
