/**
 * Rules about which endpoint changes which part of an object: the main endpoint does not change status, `/status` changes only status.
 * Rules may share subtrees of the stored object with the draft, since a draft is not changed in depth after `prepare`.
 */
import { setKey } from '../../lib/json/clone.js';
import type { ResetPath, LongValidate, MetadataCheck, Prepare, Subresource, Validate, Verb } from '../interface.js';

import { scalePrinter } from './scale-printer.js';

type Part = Extract<Subresource, { type: 'part' }>;
type Scale = Extract<Subresource, { type: 'scale' }>;

/** Drops the status, for `prepareCreate`. */
export const dropStatus: Prepare = draft => {
  delete draft['status'];
};

/** Returns a rule for `prepareUpdate` of the main endpoint that restores the stored fields. */
export function keep(...fields: readonly string[]): Prepare {
  return (draft, old) => {
    for (const field of fields) {
      if (old?.[field] === undefined) delete draft[field];
      else draft[field] = old[field];
    }
  };
}

export const keepStatus: Prepare = keep('status');

/** Returns a rule for `prepareUpdate` of a subresource that restores all stored fields but metadata and the named ones. */
export function keepAllBut(...fields: readonly string[]): Prepare {
  const changeable = new Set(['apiVersion', 'kind', 'metadata', ...fields]);
  return (draft, old) => {
    for (const field in draft) if (!changeable.has(field) && old && !Object.hasOwn(old, field)) delete draft[field];
    for (const field in old) if (!changeable.has(field)) setKey(draft, field, old[field]);
  };
}

export const keepAllButStatus: Prepare = keepAllBut('status');

/** Restores all stored metadata but managedFields: a rule for `prepareUpdate` of a subresource. */
export const keepMetadata: Prepare = (draft, old) => {
  if (!old) return;
  const { managedFields } = draft.metadata;
  draft.metadata = { ...old.metadata };
  if (managedFields === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = managedFields;
};

type MetadataField = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences' | 'deletionTimestamp';

/** Returns a rule for `prepareUpdate` of a subresource that restores stored fields of metadata (`labels`, `ownerReferences`, ...). */
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

/** A rule for `prepareUpdate` of a subresource that restores the mutable metadata. Immutable metadata is validated afterwards. */
// as apimachinery/pkg/apis/meta/v1 ResetObjectMetaForStatus
export const resetMetadata: Prepare = keepMetadataFields(
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'deletionTimestamp',
);

interface PartRules {
  readonly verbs?: readonly Verb[];
  readonly prepareUpdate?: readonly Prepare[];
  readonly validateUpdate?: readonly Validate[];
  readonly validateLong?: LongValidate;
  readonly resetFields?: readonly ResetPath[];
  readonly metadataRepeats?: readonly MetadataCheck[];
}

/** Returns the `/status` of most native kinds, which updates status and metadata. Spread `prepareUpdate` to add rules. */
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

/** Returns the `/scale` of a kind with `.spec.replicas` and `.status.replicas`. `selector` is the path of a string or a label selector. */
export function scalePart(
  options: Partial<Pick<Scale, 'specReplicas' | 'statusReplicas' | 'selector' | 'printer'>> = {},
): Scale {
  return {
    type: 'scale',
    verbs: ['get', 'patch', 'update'],
    specReplicas: '.spec.replicas',
    statusReplicas: '.status.replicas',
    selector: '.spec.selector',
    printer: scalePrinter,
    ...options,
  };
}
