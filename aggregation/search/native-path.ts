import { plainError } from '../../apimachinery/errors/status.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';

/** What a path behind `search/cache` asks for. */
export interface NativePath {
  readonly resource: GroupVersionResource;
  /** '': all. */
  readonly namespace: string;
  /** '': all. */
  readonly name: string;
}

/** Throws upstream's 500 for what is no resource. as karmada pkg/registry/search/storage parseK8sNativeResourceInfo */
export function parseNativePath(parts: readonly string[]): NativePath {
  const [prefix, ...behind] = parts;
  const group = prefix === 'apis' ? (behind.shift() ?? '') : '';
  const [version, ...rest] = behind;
  const isApi = prefix === 'api' || prefix === 'apis';
  if (!isApi || version === undefined || rest.length === 0 || parts.length < 3)
    throw plainError(`k8s native Request URL(${parts.join('/')}) is not a resource request`);
  let namespace = '';
  let place = rest;
  if (rest[0] === 'namespaces' && rest[1] !== undefined) {
    namespace = rest[1];
    if (rest.length > 2) place = rest.slice(2);
  }
  if (place.length > 2) throw plainError(`invalid request parts([${place.join(' ')}]) for k8s native request URL`);
  const [resource = '', name = ''] = place;
  return { resource: { group, version, resource }, namespace: resource === 'namespaces' ? '' : namespace, name };
}
