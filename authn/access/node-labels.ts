/** The labels of a Node that the node itself may set. as k8s.io/kubelet/pkg/apis/well_known_labels.go */

import {
  archLabel,
  betaArchLabel,
  betaInstanceTypeLabel,
  betaOsLabel,
  betaRegionLabel,
  betaZoneLabel,
  hostnameLabel,
  instanceTypeLabel,
  osLabel,
  regionLabel,
  zoneLabel,
} from '../../api/kubernetes/well-known.js';

const allowed: ReadonlySet<string> = new Set([
  hostnameLabel,
  zoneLabel,
  regionLabel,
  betaZoneLabel,
  betaRegionLabel,
  betaInstanceTypeLabel,
  instanceTypeLabel,
  osLabel,
  archLabel,
  betaOsLabel,
  betaArchLabel,
]);

const isWithin = (namespace: string, domain: string): boolean =>
  namespace === domain || namespace.endsWith(`.${domain}`);

type Labels = Readonly<Record<string, string>> | undefined;

/** Returns the keys with different values. */
export function modifiedLabels(a: Labels = {}, b: Labels = {}): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(key => a[key] !== b[key]);
}

/** Returns the keys that a node may not add, change or remove, sorted. */
export function forbiddenLabels(keys: readonly string[]): string[] {
  return keys
    .filter(key => {
      const slash = key.indexOf('/');
      const namespace = slash < 0 ? '' : key.slice(0, slash);
      if (isWithin(namespace, 'node-restriction.kubernetes.io')) return true;
      if (!isWithin(namespace, 'kubernetes.io') && !isWithin(namespace, 'k8s.io')) return false;
      return (
        !allowed.has(key) && !isWithin(namespace, 'kubelet.kubernetes.io') && !isWithin(namespace, 'node.kubernetes.io')
      );
    })
    .sort();
}
