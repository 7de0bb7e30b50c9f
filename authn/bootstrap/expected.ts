/** Objects that a server has from its start, with what becomes of those that are there already. */
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { Reconcile } from './reconcile.js';

export interface Expected {
  readonly resource: GroupVersionResource;
  readonly object: KubeObject;
  readonly reconcile: Reconcile;
  /** Owns what is written; kube-apiserver when absent. */
  readonly fieldManager?: string;
  /** Written by its own subresource where the object has no conditions yet. */
  readonly status?: Readonly<Record<string, unknown>>;
}

/** `apiVersion` is `v1` or `group/version`. */
export function expected(
  apiVersion: string,
  kind: string,
  plural: string,
  metadata: KubeObject['metadata'],
  body: object,
  reconcile: Reconcile,
): Expected {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return {
    resource: { group, version, resource: plural },
    object: { apiVersion, kind, metadata, ...body },
    reconcile,
  };
}
