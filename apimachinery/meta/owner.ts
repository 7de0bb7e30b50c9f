/** Owner references. as apimachinery/pkg/apis/meta/v1 controller_ref.go */
import type { KubeObject, ObjectMeta, OwnerReference } from '../interface.js';

/** The reference to the one owner that controls the object. */
export function controllerOf(object: { readonly metadata: Readonly<ObjectMeta> }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(r => r.controller === true);
}

export function isControlledBy(object: { readonly metadata: Readonly<ObjectMeta> }, uid: string | undefined): boolean {
  const owner = controllerOf(object);
  return owner !== undefined && owner.uid === uid;
}

/** A reference that makes `owner` the controller, and lets its foreground deletion wait. */
export function controllerReference(owner: Readonly<KubeObject>): OwnerReference {
  return { ...ownerReference(owner), controller: true, blockOwnerDeletion: true };
}

/** A plain reference. */
function ownerReference(owner: Readonly<KubeObject>): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '' };
}
