import type { RequestInfo } from '../interface.js';

/** A route beside the parts of a request that it depends on. */
interface KnownRoute<R> {
  readonly method: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly subresource: string;
  readonly depth: number;
  readonly isInNamespace: boolean;
  readonly route: R;
}

/** Maximum number of routes of one resource: a proxy accepts any method, and HTTP/2 any name of one. */
const maxRoutes = 128;

/** The number of parts of the path, as far as it matters. */
const depthOf = ({ parts }: RequestInfo): number => Math.min(parts.length, 4);

function isRouteOf(known: KnownRoute<unknown>, method: string, info: RequestInfo): boolean {
  return (
    known.verb === info.verb &&
    known.method === method &&
    known.depth === depthOf(info) &&
    known.isInNamespace === (info.namespace !== '') &&
    known.subresource === info.subresource &&
    known.version === info.version &&
    known.group === info.group
  );
}

/** hot: remembers the routes that were found. Comparing a few short strings costs less than making a key of them for every request. */
export class KnownRoutes<R> {
  readonly #ofResource = new Map<string, KnownRoute<R>[]>();

  get(method: string, info: RequestInfo): R | undefined {
    const routes = this.#ofResource.get(info.resource);
    if (routes === undefined) return undefined;
    for (const known of routes) if (isRouteOf(known, method, info)) return known.route;
    return undefined;
  }

  add(method: string, info: RequestInfo, route: R): void {
    const { verb, group, version, resource, subresource } = info;
    let routes = this.#ofResource.get(resource);
    if (routes === undefined || routes.length >= maxRoutes) this.#ofResource.set(resource, (routes = []));
    const isInNamespace = info.namespace !== '';
    routes.push({ method, verb, group, version, subresource, depth: depthOf(info), isInNamespace, route });
  }

  clear(): void {
    this.#ofResource.clear();
  }
}
