import { objectKey } from '../../apimachinery/meta/gvk.js';
import { fnv32a, safeEncode } from '../../lib/hash.js';
import { namespaces } from './well-known.js';

/** Builds the names that Karmada derives from names. Users and their tools compute them too, so they are exact to the byte. as pkg/util/names */

const hash = (text: string): string => safeEncode(String(fnv32a(text)));
const colonless = (name: string): string => name.replaceAll(':', '.');

/** Where the Works of a cluster live. */
export const executionNamespace = (cluster: string): string => namespaces.executionPrefix + cluster;

/** The cluster of an execution namespace; undefined for any other namespace. */
export function clusterOfExecutionNamespace(namespace: string): string | undefined {
  const { executionPrefix } = namespaces;
  return namespace.startsWith(executionPrefix) ? namespace.slice(executionPrefix.length) : undefined;
}

/** `nginx-deployment`, the binding of a template. */
export const bindingName = (kind: string, name: string): string => `${colonless(name)}-${kind}`.toLowerCase();

/** `nginx-687f7fb96f`, the Work of a template; '' as namespace for cluster-scoped templates. */
export function workName(kind: string, name: string, namespace: string): string {
  const plain = colonless(name);
  const identity = namespace ? `${namespace}-${plain}-${kind}` : `${plain}-${kind}`;
  return `${plain.toLowerCase()}-${hash(identity.toLowerCase())}`;
}

/** The key in labels that say who depends on a binding. */
export const bindingReferenceKey = (namespace: string, name: string): string => hash(objectKey(namespace, name));

/** The policy that `promote` and `apply` make; `gvk` as Go prints it: `apps/v1, Kind=Deployment`. */
export const policyName = (namespace: string, name: string, gvk: string): string =>
  `${colonless(name)}-${hash(namespace + gvk)}`.toLowerCase();

export const derivedServiceName = (service: string): string => `derived-${service}`;
export const importedEndpointSliceName = (cluster: string, slice: string): string => `imported-${cluster}-${slice}`;
export const memberServiceAccountName = (cluster: string): string => `karmada-${cluster}`;
export const memberRoleName = (serviceAccount: string): string => `karmada-controller-manager:${serviceAccount}`;
export const impersonationSecretName = (cluster: string): string => `${cluster}-impersonator`;
export const estimatorServiceName = (cluster: string): string => `karmada-scheduler-estimator-${cluster}`;
