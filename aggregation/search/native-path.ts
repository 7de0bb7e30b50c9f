import { plainError } from '../../apimachinery/errors/status.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';

/** The resource, namespace and name in a path after `search/cache`. */
export interface NativePath {
  readonly resource: GroupVersionResource;
  /** '' for all. */
  readonly namespace: string;
  /** '' for all. */
  readonly name: string;
}

/** Parses the path. Throws upstream's 500 if it is not a resource path. as karmada pkg/registry/search/storage parseK8sNativeResourceInfo */
export function parseNativePath(parts: readonly string[]): NativePath {
  const [prefix, ...following] = parts;
  const group = prefix === 'apis' ? (following.shift() ?? '') : '';
  const [version, ...rest] = following;
  const isApi = prefix === 'api' || prefix === 'apis';
  if (!isApi || version === undefined || rest.length === 0 || parts.length < 3)
    throw plainError(`k8s native Request URL(${parts.join('/')}) is not a resource request`);
  let namespace = '';
  let resourceParts = rest;
  if (rest[0] === 'namespaces' && rest[1] !== undefined) {
    namespace = rest[1];
    if (rest.length > 2) resourceParts = rest.slice(2);
  }
  if (resourceParts.length > 2)
    throw plainError(`invalid request parts([${resourceParts.join(' ')}]) for k8s native request URL`);
  const [resource = '', name = ''] = resourceParts;
  return { resource: { group, version, resource }, namespace: resource === 'namespaces' ? '' : namespace, name };
}
