import type { KubeObject } from '../../apimachinery/interface.js';
import { labelsMatch } from './label-match.js';
import type { ResourceSelector } from '../../api/karmada/types.js';

/** How closely a selector names an object; the closer match wins among policies of equal priority. as pkg/util ResourceSelectorPriority */
export const noMatch = 0;
export const matchesKind = 1;
const matchesLabels = 2;
const matchesName = 3;

/** The identity of an object; `namespace` is '' for cluster-scoped ones. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Returns how closely a selector matches an object: the higher, the closer; `noMatch` if it does not. A name takes precedence over a label selector: if
 * both are given, labels are ignored.
 */
export function implicitPriority(object: KubeObject, selector: ResourceSelector): number {
  const { name, namespace, labels } = object.metadata;
  if (object.apiVersion !== selector.apiVersion || object.kind !== selector.kind) return noMatch;
  if (selector.namespace && selector.namespace !== (namespace ?? '')) return noMatch;
  if (selector.name) return selector.name === name ? matchesName : noMatch;
  if (!selector.labelSelector) return matchesKind;
  return labelsMatch(selector.labelSelector, labels) ? matchesLabels : noMatch;
}

/** Returns the closest match of several selectors. */
export const bestImplicitPriority = (object: KubeObject, selectors: readonly ResourceSelector[]): number =>
  selectors.reduce((best, selector) => Math.max(best, implicitPriority(object, selector)), noMatch);

/** Reports whether any of the selectors matches the object. */
export const isSelected = (object: KubeObject, selectors: readonly ResourceSelector[]): boolean =>
  selectors.some(selector => implicitPriority(object, selector) > noMatch);
