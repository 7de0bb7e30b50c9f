import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { fnv32a, safeEncode } from '../../lib/hash.js';
import { namespaces } from './well-known.js';

/** Derived names of Karmada. Users and their tools compute them, too, so they are exact to the byte. as pkg/util/names */

const hash = (text: string): string => safeEncode(String(fnv32a(text)));
const colonless = (name: string): string => name.replaceAll(':', '.');

/** Returns the execution namespace of a cluster, which holds its Works. */
export const executionNamespace = (cluster: string): string => namespaces.executionPrefix + cluster;

/** Returns the cluster of an execution namespace; undefined for any other namespace. */
export function clusterOfExecutionNamespace(namespace: string): string | undefined {
  const { executionPrefix } = namespaces;
  return namespace.startsWith(executionPrefix) ? namespace.slice(executionPrefix.length) : undefined;
}

/** Returns the name of a template's binding, such as `nginx-deployment`. */
export const bindingName = (kind: string, name: string): string => `${colonless(name)}-${kind}`.toLowerCase();

/** Returns the name of a template's Work, such as `nginx-687f7fb96f`; the namespace is '' for a cluster-scoped template. */
export function workName(kind: string, name: string, namespace: string): string {
  const plain = colonless(name);
  const identity = namespace ? `${namespace}-${plain}-${kind}` : `${plain}-${kind}`;
  return `${plain.toLowerCase()}-${hash(identity.toLowerCase())}`;
}

/** Returns the hash of a binding's key for the labels of its attached bindings. */
export const bindingReferenceKey = (namespace: string, name: string): string => hash(namespacedName(namespace, name));

/** Returns the name of the policy that `promote` and `apply` create. `gvk` is in Go's form: `apps/v1, Kind=Deployment`. */
export const policyName = (namespace: string, name: string, gvk: string): string =>
  `${colonless(name)}-${hash(namespace + gvk)}`.toLowerCase();

/** Returns the name in members of a Service that imports the endpoints of other members. as pkg/util/names GenerateDerivedServiceName */
export const derivedServiceName = (service: string): string => `derived-${service}`;

/** Returns the name of an EndpointSlice that was imported from a member. as pkg/util/names GenerateEndpointSliceName */
export const importedEndpointSliceName = (cluster: string, slice: string): string => `imported-${cluster}-${slice}`;

/** Returns the name of the account in a member that the control plane uses. as pkg/util/names GenerateServiceAccountName */
export const memberServiceAccountName = (cluster: string): string => `karmada-${cluster}`;

/** Returns the name of the role of that account. as pkg/util/names GenerateRoleName */
export const memberRoleName = (serviceAccount: string): string => `karmada-controller-manager:${serviceAccount}`;

/** Returns the name of the Secret with the token that impersonates users in a member. as pkg/util/names GenerateImpersonationSecretName */
export const impersonationSecretName = (cluster: string): string => `${cluster}-impersonator`;

/** Returns the name of the Service of the estimator of a member. as pkg/util/names GenerateEstimatorServiceName */
export const estimatorServiceName = (cluster: string): string => `karmada-scheduler-estimator-${cluster}`;
