/** Objects that a server has from its start, and how existing ones are reconciled. */
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { Reconcile } from './reconcile.js';

export interface Expected {
  readonly resource: GroupVersionResource;
  readonly object: KubeObject;
  readonly reconcile: Reconcile;
  /** The manager of the written fields; kube-apiserver by default. */
  readonly fieldManager?: string;
  /** Written to the status subresource when the object has no conditions yet. */
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Builds an expected object. `plural` is the resource of its kind. */
export function expected(plural: string, object: KubeObject, reconcile: Reconcile): Expected {
  const [version = '', group = ''] = object.apiVersion.split('/').reverse();
  return { resource: { group, version, resource: plural }, object, reconcile };
}
