/** Keys of evictions: a binding in a cluster. Names of clusters contain no slash. */
import type { Key } from '../../client/runtime/interface.js';

export const evictionKey = (cluster: string, binding: Key): Key => `${cluster}/${binding}`;

export const clusterOfEviction = (key: Key): string => key.slice(0, key.indexOf('/'));

export const bindingOfEviction = (key: Key): Key => key.slice(key.indexOf('/') + 1);
