/** Owner references. as apimachinery/pkg/apis/meta/v1 controller_ref.go */
import type { KubeObject, ObjectMeta, OwnerReference } from '../interface.js';

/** Returns the reference to the owner that controls the object, if any. */
export function controllerOf(object: { readonly metadata: Readonly<ObjectMeta> }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(r => r.controller === true);
}

/**
 * Reports whether the object's controller has the UID. An object without controller is controlled by none.
 * as apimachinery/pkg/apis/meta/v1 IsControlledBy
 */
export function isControlledBy(object: { readonly metadata: Readonly<ObjectMeta> }, uid: string | undefined): boolean {
  const owner = controllerOf(object);
  return owner !== undefined && owner.uid === uid;
}

/** Returns a reference that makes `owner` the controller, and blocks its foreground deletion. */
export function controllerReference(owner: Readonly<KubeObject>): OwnerReference {
  return { ...ownerReference(owner), controller: true, blockOwnerDeletion: true };
}

function ownerReference(owner: Readonly<KubeObject>): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '' };
}
