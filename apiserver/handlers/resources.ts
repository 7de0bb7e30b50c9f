/** The last filter, which finds the handler of an authorized request. */
import { badRequest, forbidden, pathNotFound, StatusError } from '../../apimachinery/errors/status.js';
import type { Catalogue, ResourceDefinition } from '../../registry/interface.js';
import { notYetFound, pageNotFound, TextAnswer } from '../http/answer.js';
import { attributesOf, type RequestFilter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import type { ConnectHandler, ConnectRequest, Delegate } from '../interface.js';
import type { ServerMetrics } from '../metrics/request-metrics.js';
import { connectOptions } from './connect-options.js';
import { handlers } from './handlers.js';
import { type Route, routes } from './route.js';
import { callOf, type HandlerDeps } from './serve-resource.js';

interface RoutingDeps extends HandlerDeps {
  readonly catalogue: Catalogue;
  readonly metrics: ServerMetrics;
  /** Called in order, before the catalogue is searched. */
  readonly delegates: readonly Delegate[];
  /** Returns the function that serves a connect subresource; undefined when there is none. */
  readonly connectFor: (definition: ResourceDefinition, subresource: string) => ConnectHandler | undefined;
  /** Reports whether all kinds are served. Until then an unknown kind is answered with 503, not with 404. */
  readonly isComplete: () => boolean;
  /** Serves all paths that are no resources. */
  readonly paths: RequestFilter;
}

/** Returns the part of the path after the subresource, as sent: `/a%2Fb` for `/api/v1/.../proxy/a%2Fb`. */
function restOf(request: Request): string {
  const { info, exchange } = request;
  const segments =
    (info.prefix === 'apis' ? 3 : 2) + (info.namespace === '' || info.resource === 'namespaces' ? 0 : 2) + 3;
  let at = 0;
  for (let i = 0; i < segments && at >= 0; i++) at = exchange.path.indexOf('/', at + 1);
  return at < 0 ? '' : exchange.path.slice(at);
}

function connectRequest(request: Request, route: Route): ConnectRequest {
  const { info } = request;
  return Object.assign(request, {
    definition: route.definition,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    rest: restOf(request),
  });
}

/** Kinds of options that also need the right to create: a right to get must not suffice, though WebSockets begin with a GET. */
// as pkg/registry/core/pod/rest/authorize.go ensureAuthorizedForVerb
const needCreate = new Set(['PodExecOptions', 'PodAttachOptions', 'PodPortForwardOptions']);

async function mustCreate({ authorize }: HandlerDeps, { user, info }: Request): Promise<void> {
  if (info.verb === 'create') return;
  const { allowed, reason } = await authorize(user, { ...attributesOf(info), verb: 'create' });
  if (!allowed) throw forbidden({ group: info.group, resource: info.resource }, info.name, reason);
}

/** Runs admission for a connect request, before the object is read. Logs are read without admission. */
async function admitConnect(deps: HandlerDeps, request: Request, { part, ...route }: Route): Promise<void> {
  if (part?.type !== 'connect') return;
  const options = connectOptions(part.kind, request.query, restOf(request));
  if (!options) return;
  if (request.query.all('dryRun').length > 0) throw badRequest('dryRun is not supported');
  await deps.pipeline.connect(callOf(deps, request, { ...route, part }), request.info.name, options);
  if (needCreate.has(part.kind.kind)) await mustCreate(deps, request);
}

/** Reports whether a patch is an apply, which has series of its own. as apiserver/pkg/endpoints/metrics CleanVerb */
const isApply = (request: Request): boolean => request.header('content-type') === 'application/apply-patch+yaml';

/** Returns the filter. It answers every request for a resource: 404 for one that is not served, 405 for a verb that the resource does not have. */
export function resourceRequests(deps: RoutingDeps): RequestFilter {
  const find = routes(deps.catalogue, deps.metrics.route);

  const serveConnect = async (request: Request, route: Route): Promise<void> => {
    await admitConnect(deps, request, route);
    const connect = deps.connectFor(route.definition, request.info.subresource);
    if (!connect) {
      await deps.pipeline.get(callOf(deps, request, route), request.info.name); // Throws 404 when the object does not exist.
      throw pathNotFound();
    }
    const onEnded = route.metrics.longRunning();
    let code = 200;
    try {
      await connect(connectRequest(request, route));
    } catch (error) {
      code = error instanceof StatusError ? error.code : 500;
      throw error;
    } finally {
      onEnded(code, request.seconds, request);
      request.release();
    }
  };

  const serve: RequestFilter = request => {
    const { info, exchange } = request;
    if (info.path.startsWith('//')) throw pageNotFound(); // as apiserver/pkg/server/handler.go: such a path matches no root
    for (const delegate of deps.delegates) {
      const other = delegate(info);
      if (!other) continue;
      if (info.verb === 'watch') request.ticket?.initialised(); // The other server limits its initial events.
      return other(request).finally(() => request.release());
    }
    if (!info.isResource) return deps.paths(request);
    const route = find(exchange.method, info);
    request.metrics = info.verb === 'patch' && isApply(request) ? route.applyMetrics() : route.metrics;
    if (route.version.deprecation !== undefined) {
      request.warn(route.version.deprecation);
      request.annotate('k8s.io/deprecated', 'true');
    }
    return route.part?.type === 'connect' ? serveConnect(request, route) : handlers[route.verb](deps, request, route);
  };

  return request => {
    try {
      return serve(request);
    } catch (error) {
      if (error instanceof TextAnswer && error.code === 404 && !deps.isComplete()) throw notYetFound();
      throw error;
    }
  };
}
