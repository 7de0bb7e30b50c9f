/** User names of service accounts and nodes. */
import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/meta/names.js';

const serviceAccountPrefix = 'system:serviceaccount:';
const nodePrefix = 'system:node:';

interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the user name of a service account. */
export const serviceAccountUser = (namespace: string, name: string): string =>
  `${serviceAccountPrefix}${namespace}:${name}`;

/** Returns the groups of every service account of a namespace. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/**
 * Returns the service account of a user name; undefined for other users. as staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount
 * SplitUsername
 */
export function serviceAccountOf(user: string): ServiceAccountName | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(serviceAccountPrefix.length).split(':');
  if (more.length > 0 || checkDns1123Label(namespace).length > 0 || checkDns1123Subdomain(name).length > 0)
    return undefined;
  return { namespace, name };
}

/** Returns `n` of `system:node:n`. */
export function nodeOf(user: string): string | undefined {
  const name = user.startsWith(nodePrefix) ? user.slice(nodePrefix.length) : '';
  return name === '' || checkDns1123Subdomain(name).length > 0 ? undefined : name;
}
