import type { KubeObject } from '../../apimachinery/interface.js';
import type { ResourceSelector } from '../../api/karmada/types.js';
import type { Informer, Key } from '../../client/runtime/interface.js';
import type { ObjectIdentity } from './resource-selector.js';

/** A policy with selectors: a propagation or override policy. */
interface SelectingPolicy extends KubeObject {
  readonly spec: { readonly resourceSelectors?: readonly ResourceSelector[] };
}

/** Stands for the objects that a policy without selectors selects. */
const everything = '*';

/** Returns the key of what a selector selects apart from labels: one object, or those of a kind, in one namespace or in all. */
export const selectorKey = ({ apiVersion, kind, namespace = '', name = '' }: ResourceSelector): string =>
  `${apiVersion}|${kind}|${namespace}|${name}`;

/** Returns the keys of all selectors that may select an object. */
export function keysOfSelectorsFor({ apiVersion, kind, namespace, name }: ObjectIdentity): string[] {
  const keys = [`${apiVersion}|${kind}||`, `${apiVersion}|${kind}||${name}`];
  if (namespace !== '') keys.push(`${apiVersion}|${kind}|${namespace}|`, `${apiVersion}|${kind}|${namespace}|${name}`);
  return keys;
}

/** Indexes policies by what they select, so that an object is compared only with policies that may select it. */
export const selectorIndexers = {
  selectors: ({ metadata: { namespace = '' }, spec: { resourceSelectors = [] } }: SelectingPolicy): string[] => {
    if (resourceSelectors.length === 0) return [`${namespace}|${everything}`];
    return [...new Set(resourceSelectors.map(selector => `${namespace}|${selectorKey(selector)}`))];
  },
};

/** Yields the keys of these policies, some twice. Parses nothing. */
function* keysOfPoliciesFor(policies: Informer, namespace: string, object: ObjectIdentity): Generator<Key, void> {
  if (policies.cached.size === 0) return;
  yield* policies.keysByIndex('selectors', `${namespace}|${everything}`);
  for (const key of keysOfSelectorsFor(object)) yield* policies.keysByIndex('selectors', `${namespace}|${key}`);
}

/** Returns the policies of a namespace ('' for those of the cluster) that may select an object; its labels are not compared. */
export function policiesFor<T extends KubeObject>(
  policies: Informer<T>,
  namespace: string,
  object: ObjectIdentity,
): T[] {
  const keys = new Set(keysOfPoliciesFor(policies, namespace, object));
  return [...keys].flatMap(key => policies.get(key) ?? []);
}

/** hot: at the start once per object of the control plane. Reports whether there are such policies; parses nothing. */
export const hasPoliciesFor = (policies: Informer, namespace: string, object: ObjectIdentity): boolean =>
  keysOfPoliciesFor(policies, namespace, object).next().done !== true;
