/** Keys of evictions: a binding in a cluster. Names of clusters contain no slash. */
import type { Key } from '../../client/runtime/interface.js';

/** Returns the key of the eviction of a binding, which has a key with or without a namespace, from a cluster. */
export const evictionKey = (cluster: string, binding: Key): Key => `${cluster}/${binding}`;

/** Returns the name of the cluster in the key of an eviction. */
export const clusterOfEviction = (key: Key): string => key.slice(0, key.indexOf('/'));

/** Returns the key of the binding in the key of an eviction. */
export const bindingOfEviction = (key: Key): Key => key.slice(key.indexOf('/') + 1);
