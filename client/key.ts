/** The two forms of the key of an object within its resource: a text, which informers and queues use, and an ObjectKey, for requests. */
import type { KubeObject } from '../apimachinery/interface.js';
import { namespacedName } from '../apimachinery/meta/gvk.js';
import type { ObjectKey } from './interface.js';

/** Returns the key of an object: `namespace/name`, or `name` if cluster-scoped. as client-go/tools/cache MetaNamespaceKeyFunc */
export const keyOf = ({ metadata: { namespace, name = '' } }: KubeObject): string => namespacedName(namespace, name);

/** Splits a key into namespace and name. as client-go/tools/cache SplitMetaNamespaceKey */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Returns namespace and name of an object. as controller-runtime/pkg/client ObjectKeyFromObject */
export const objectKey = ({ metadata: { namespace, name = '' } }: KubeObject): ObjectKey =>
  namespace ? { namespace, name } : { name };
