import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { bindingName, bindingReferenceKey } from '../../api/karmada/names.js';
import type { Binding, BindingSpec } from '../../api/karmada/types.js';
import { finalizers, labels } from '../../api/karmada/well-known.js';

type Snapshot = NonNullable<BindingSpec['requiredBy']>[number];

/** Returns the label key that a binding puts on its attached bindings; the label's value is the binding's permanent id. */
export const dependedLabel = ({ metadata }: Binding): string =>
  labels.dependedByPrefix + bindingReferenceKey(metadata.namespace ?? '', metadata.name ?? '');

/** Returns the keys of all bindings that an attached binding follows: an index function. Only the labels of other bindings are read. */
export function followed(binding: Binding): string[] {
  const isAttached = Object.keys(binding.metadata.labels ?? {}).some(label =>
    label.startsWith(labels.dependedByPrefix),
  );
  return isAttached
    ? (binding.spec.requiredBy ?? []).map(({ namespace = '', name }) => namespacedName(namespace, name))
    : [];
}

const isOf = (parent: Binding, { namespace = '', name }: Snapshot): boolean =>
  name === parent.metadata.name && namespace === (parent.metadata.namespace ?? '');

/**
 * Returns the binding that makes `template` follow `parent` to its clusters. It has no placement and so is never scheduled.
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

/** Makes a draft of an attached binding follow `parent` too, besides those that it follows already. */
export function attach(draft: Binding, desired: Binding, parent: Binding): void {
  Object.assign((draft.metadata.labels ??= {}), desired.metadata.labels);
  draft.spec.resource = desired.spec.resource;
  const others = draft.spec.requiredBy ?? [];
  const snapshot = snapshotOf(parent);
  const known = others.some(other => isOf(parent, other));
  draft.spec.requiredBy = known ? others.map(other => (isOf(parent, other) ? snapshot : other)) : [...others, snapshot];
}

/**
 * Makes a draft no longer follow its parent. The binding stays: its Works are removed because nothing requires it.
 * as pkg/dependenciesdistributor deleteBindingFromSnapshot
 */
export function detach(draft: Binding, parent: Binding): void {
  if (draft.metadata.labels) delete draft.metadata.labels[dependedLabel(parent)];
  const remaining = draft.spec.requiredBy?.filter(snapshot => !isOf(parent, snapshot)) ?? [];
  if (remaining.length > 0) draft.spec.requiredBy = remaining;
  else delete draft.spec.requiredBy;
}

/** Settings that an attached binding takes from the bindings that it follows, with the settings on which they disagree. */
interface Strategy {
  readonly conflictResolution: 'Abort' | 'Overwrite';
  readonly preserveResourcesOnDeletion: boolean;
  readonly disagreements: readonly string[];
}

/** Merges the settings of the parents: one that overwrites, or one that preserves, decides for all. */
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

/** Applies the parents' settings to a binding without placement. If a policy selects the template too, the policy's settings stay. */
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
