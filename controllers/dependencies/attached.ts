import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { bindingName, bindingReferenceKey } from '../../api/karmada/names.js';
import type { Binding, BindingSpec } from '../../api/karmada/types.js';
import { finalizers, labels } from '../../api/karmada/well-known.js';

type Snapshot = NonNullable<BindingSpec['requiredBy']>[number];

/** The label that a binding puts on those that follow it; its value is the binding's permanent id. */
export const dependedLabel = ({ metadata }: Binding): string =>
  labels.dependedByPrefix + bindingReferenceKey(metadata.namespace ?? '', metadata.name ?? '');

/** `label=id` of every binding that an attached one follows: the index by which they are found. */
export const followed = ({ metadata }: Binding): string[] =>
  Object.entries(metadata.labels ?? {}).flatMap(([label, id]) =>
    label.startsWith(labels.dependedByPrefix) ? [`${label}=${id}`] : [],
  );

const isOf = (parent: Binding, { namespace = '', name }: Snapshot): boolean =>
  name === parent.metadata.name && namespace === (parent.metadata.namespace ?? '');

/**
 * Returns the binding that makes `template` follow `parent` wherever it goes. It is never scheduled: it has no placement.
 * as pkg/dependenciesdistributor buildAttachedBinding
 */
export function attachedBinding(parent: Binding, template: KubeObject): Binding {
  const { name = '', namespace, uid = '', resourceVersion = '' } = template.metadata;
  return {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: {
      name: bindingName(template.kind, name),
      namespace: parent.metadata.namespace ?? '',
      labels: { [dependedLabel(parent)]: parent.metadata.labels?.[labels.resourceBindingId] ?? '' },
      finalizers: [finalizers.binding],
      ownerReferences: [controllerReference(template)],
    },
    spec: {
      resource: {
        apiVersion: template.apiVersion,
        kind: template.kind,
        ...(namespace ? { namespace } : {}),
        ...{ name, uid, resourceVersion },
      },
      requiredBy: [snapshotOf(parent)],
    },
  };
}

function snapshotOf({ metadata, spec }: Binding): Snapshot {
  const { namespace = '', name = '' } = metadata;
  return { namespace, name, ...(spec.clusters?.length ? { clusters: cloneJson(spec.clusters) } : {}) };
}

/** Makes a draft of a binding follow what `desired` follows, besides those that it follows already. */
export function attach(draft: Binding, desired: Binding, parent: Binding): void {
  Object.assign((draft.metadata.labels ??= {}), desired.metadata.labels);
  draft.spec.resource = desired.spec.resource;
  const others = draft.spec.requiredBy ?? [];
  const snapshot = snapshotOf(parent);
  const known = others.some(other => isOf(parent, other));
  draft.spec.requiredBy = known ? others.map(other => (isOf(parent, other) ? snapshot : other)) : [...others, snapshot];
}

/**
 * Takes a draft off its parent. The binding stays: what it created is withdrawn because nothing requires it.
 * as pkg/dependenciesdistributor deleteBindingFromSnapshot
 */
export function detach(draft: Binding, parent: Binding): void {
  if (draft.metadata.labels) delete draft.metadata.labels[dependedLabel(parent)];
  const rest = draft.spec.requiredBy?.filter(snapshot => !isOf(parent, snapshot)) ?? [];
  if (rest.length > 0) draft.spec.requiredBy = rest;
  else delete draft.spec.requiredBy;
}

/** What those that an attached binding follows say about conflicts and deletion, and where they disagree. */
export interface Strategy {
  readonly conflictResolution: 'Abort' | 'Overwrite';
  readonly preserveResourcesOnDeletion: boolean;
  readonly disagreements: readonly string[];
}

/** The stronger word counts: one that overwrites, one that preserves. */
export function strategyOf(parents: readonly Binding[]): Strategy {
  const overwrites = parents.filter(({ spec }) => spec.conflictResolution === 'Overwrite').length;
  const preserves = parents.filter(({ spec }) => spec.preserveResourcesOnDeletion).length;
  const divided = (count: number): boolean => count > 0 && count < parents.length;
  return {
    conflictResolution: overwrites > 0 ? 'Overwrite' : 'Abort',
    preserveResourcesOnDeletion: preserves > 0,
    disagreements: [
      ...(divided(overwrites) ? ['ConflictResolution conflicted (Overwrite vs Abort)'] : []),
      ...(divided(preserves) ? ['PreserveResourcesOnDeletion conflicted (true vs false)'] : []),
    ],
  };
}

/** Only a dependency has no placement; where a policy has the template too, the policy's word stands. */
export function applyStrategy({ spec }: Binding, parents: readonly Binding[]): Strategy | undefined {
  if (spec.placement) return undefined;
  if (!spec.requiredBy?.length) {
    delete spec.conflictResolution;
    delete spec.preserveResourcesOnDeletion;
    return undefined;
  }
  const strategy = strategyOf(parents);
  spec.conflictResolution = strategy.conflictResolution;
  spec.preserveResourcesOnDeletion = strategy.preserveResourcesOnDeletion;
  return strategy;
}
