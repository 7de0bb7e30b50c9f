/** Serves the paths that are no resources, from a table. */
import { methodNotAllowed } from '../../apimachinery/errors/status.js';
import { pageNotFound } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';
import type { RequestMetrics, ServerMetrics } from '../metrics/request-metrics.js';

/** Filters by exact path, or by prefix when the key ends with a slash. The longest matching key is used. */
export type PathTable = Readonly<Record<string, RequestFilter>>;

/** Paths that upstream serves through its router, which refuses methods other than GET. */
const readOnly = /^\/(?:apis?(?:\/|$)|version\/?$|\.well-known\/|openid\/)/;

/** Returns the filter for a table of paths. A path with a slash at its end serves all below it; the longest one wins. Throws 404 for other paths. */
export function pathFilter(table: PathTable, metrics: ServerMetrics): RequestFilter {
  const exact = new Map(Object.entries(table).filter(([path]) => !path.endsWith('/') || path === '/'));
  const prefixes = Object.entries(table)
    .filter(([path]) => path.endsWith('/') && path !== '/')
    .sort(([a], [b]) => b.length - a.length);
  const counters = new Map<RequestFilter, RequestMetrics>();

  return request => {
    const { path, verb } = request.info;
    let servedPath = path;
    let serve = exact.get(path);
    if (!serve) [servedPath, serve] = prefixes.find(([prefix]) => path.startsWith(prefix)) ?? ['', undefined];
    if (!serve) throw pageNotFound();
    let counter = counters.get(serve);
    if (!counter) {
      const nothing = { group: '', version: '', resource: '', scope: '' } as const;
      counter = metrics.route({ ...nothing, verb: 'GET', subresource: servedPath });
      counters.set(serve, counter);
    }
    request.metrics = counter;
    if (verb !== 'get' && readOnly.test(path)) throw methodNotAllowed();
    return serve(request);
  };
}
