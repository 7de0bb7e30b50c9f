/** Serves `proxying/NAME/proxy/...`: all members and the control plane as one API server. as pkg/registry/search/storage ProxyingREST */
import type { KubeObject } from '../../apimachinery/interface.js';
import { methodNotSupported } from '../../apimachinery/errors/status.js';
import type { RequestContext, RequestInfo } from '../../apiserver/interface.js';
import { jsonText } from '../../lib/json/json.js';
import type { Client } from '../../client/interface.js';
import { forward } from '../proxy/forward.js';
import { cleanPath } from '../proxy/path.js';
import { getCluster, type Target, type Targets } from '../proxy/target.js';
import type { Caches } from './caches.js';
import { HeldLists } from './held-lists.js';
import { createReader, locate, type ResourceReader } from './reader.js';
import { asInCluster } from './as-in-cluster.js';

export interface ProxyingDeps {
  readonly caches: Caches;
  readonly client: Client;
  readonly targets: Targets;
  /** The control plane itself, with credentials that may impersonate any user. */
  readonly self: Target;
  readonly readPath: (method: string, path: string, query: RequestContext['query']) => RequestInfo;
  /** Maximum memory in bytes of the lists of members that all requests together hold. */
  readonly memoryLimit: number;
  /** Serves a get, list or watch of `info` as the API server does, from the reader. */
  readonly serveRead: (context: RequestContext, info: RequestInfo, reader: ResourceReader) => Promise<void>;
  /** Decodes the object in a body of any media type; undefined if it is not an object. */
  readonly decode: (
    body: Buffer,
    contentType: string,
    info: RequestInfo,
    caller: Pick<RequestContext, 'user' | 'signal'>,
  ) => Promise<KubeObject | undefined>;
}

/** Maximum size of a request body in bytes, as for other requests to the API. */
const maxBytes = 3 * 1024 * 1024;
const reads = new Set(['get', 'list', 'watch']);

/** Forwards a write or a request for a subresource to the cluster that has the object. */
async function forwardToCluster(
  context: RequestContext,
  info: RequestInfo,
  path: string,
  deps: ProxyingDeps,
): Promise<void> {
  const { group, version, resource, namespace, name, verb } = info;
  const gvr = { group, version, resource };
  // The target cluster of a create is unknown.
  if (verb === 'create' && name === '') throw methodNotSupported(gvr, verb);
  const { cluster } = locate(deps.caches, gvr, resource === 'namespaces' ? '' : namespace, name);
  const target = await deps.targets.ofCluster(await getCluster(deps.client, cluster));
  if (verb !== 'update') return forward(context, { target, path });
  const sent = await context.exchange.body(maxBytes);
  const type = context.exchange.headers['content-type'];
  const object = await deps.decode(sent, typeof type === 'string' ? type : '', info, context);
  const changed = object && asInCluster(object, cluster);
  const body = changed
    ? { bytes: Buffer.from(jsonText(changed)), type: 'application/json' }
    : { bytes: sent, type: undefined };
  return forward(context, { target, path, body });
}

/** Returns REST of `/apis/GROUP/VERSION/proxying/NAME/proxy/REST`, with its leading slash. */
function restOf(path: string): string {
  let at = 0;
  for (let i = 0; i < 6 && at >= 0; i++) at = path.indexOf('/', at + 1);
  return at < 0 ? '/' : cleanPath(path.slice(at));
}

/**
 * Returns the handler of requests below `proxying`. Reads of registered kinds are answered from the mirrors; all other requests are forwarded to the
 * control plane or to the cluster of the object, in the name of the requester.
 */
export function createProxying(deps: ProxyingDeps): (context: RequestContext) => Promise<void> {
  const { caches } = deps;
  const lists = new HeldLists(deps.memoryLimit);
  return async context => {
    // Otherwise a request for a registered kind would be one for the control plane, right after the start.
    await deps.caches.started;
    const path = restOf(context.exchange.path);
    const info = deps.readPath(context.exchange.method, path, context.query);
    const { group, version, resource } = info;
    const registered = info.isResource && deps.caches.has({ group, version, resource });
    // differs: upstream uses its own identity with the control plane; here the request impersonates the requester.
    if (!registered) return forward(context, { target: deps.self, path });
    if (info.subresource === '' && reads.has(info.verb) && context.exchange.method === 'GET') {
      const held = lists.request();
      try {
        return await deps.serveRead(context, info, createReader({ caches, held }));
      } finally {
        held.releaseAll();
      }
    }
    return forwardToCluster(context, info, path, deps);
  };
}
