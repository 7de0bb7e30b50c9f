/** Everything that is no resource: a table of paths. */
import { methodNotAllowed } from '../../apimachinery/errors/status.js';
import { pageNotFound } from '../http/answer.js';
import type { Filter } from '../http/filters.js';
import type { RequestMetrics, ServerMetrics } from '../metrics/request-metrics.js';

/** Exact paths, and with a slash at their end prefixes. The longest that fits serves. */
export type PathTable = Readonly<Record<string, Filter>>;

/** Those that upstream serves through its router, which knows methods. */
const readOnly = /^\/(?:apis?(?:\/|$)|version\/?$|\.well-known\/|openid\/)/;

export function paths(table: PathTable, metrics: ServerMetrics): Filter {
  const exact = new Map(Object.entries(table).filter(([path]) => !path.endsWith('/') || path === '/'));
  const prefixes = Object.entries(table)
    .filter(([path]) => path.endsWith('/') && path !== '/')
    .sort(([a], [b]) => b.length - a.length);
  const counters = new Map<Filter, RequestMetrics>();

  return request => {
    const { path, verb } = request.info;
    let place = path;
    let serve = exact.get(path);
    if (!serve) [place, serve] = prefixes.find(([prefix]) => path.startsWith(prefix)) ?? ['', undefined];
    if (!serve) throw pageNotFound();
    let counter = counters.get(serve);
    if (!counter) {
      const nothing = { group: '', version: '', resource: '', scope: '' } as const;
      counter = metrics.route({ ...nothing, verb: 'GET', subresource: place });
      counters.set(serve, counter);
    }
    request.metrics = counter;
    if (verb !== 'get' && readOnly.test(path)) throw methodNotAllowed();
    return serve(request);
  };
}
