import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { ListQuery, ObjectKey, WatchQuery } from '../../client/interface.js';

/** Returns the path of a resource or an object: `/apis/apps/v1/namespaces/default/deployments/web/status`. */
export function pathOf(resource: GroupVersionResource, key: Partial<ObjectKey> = {}, subresource?: string): string {
  const { group, version, resource: plural } = resource;
  const parts = group ? ['apis', group, version] : ['api', version];
  if (key.namespace) parts.push('namespaces', key.namespace);
  parts.push(plural);
  if (key.name) parts.push(key.name);
  if (subresource) parts.push(...subresource.split('/'));
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns a query string: `?a=1&b=2`; '' when no parameter is set. */
export function queryOf(parameters: Parameters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text && `?${text}`;
}

/** Returns the parameters of a list. The namespace is a part of the path. */
export function listParameters({ namespace: _namespace, ...query }: ListQuery): Parameters {
  return query;
}

/** Returns the parameters of a watch. The namespace is a part of the path. */
export function watchParameters({ namespace: _namespace, ...query }: WatchQuery): Parameters {
  return { watch: true, ...query };
}
