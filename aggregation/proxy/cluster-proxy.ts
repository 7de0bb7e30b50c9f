/** `clusters/NAME/proxy/...`: the API of a member, through the control plane (inventory AGG-01). */
import type { Connect, ConnectRequest } from '../../apiserver/interface.js';
import type { Client } from '../../registry/interface.js';
import { connectAll, type ReadPath } from './all-clusters.js';
import { forward } from './forward.js';
import { cleanPath } from './path.js';
import { getCluster, type Target, type Targets } from './target.js';

/** A server whose root was named without its slash: relative links would lead astray. as apimachinery/pkg/util/proxy proxyRedirectsforRootPath */
function redirectToRoot(request: ConnectRequest): void {
  const { exchange } = request;
  const query = exchange.query === '' ? '' : `?${exchange.query}`;
  exchange.respond(301, { ...request.answerHeaders(), location: `${exchange.path}/${query}` }, undefined);
}

export interface ClusterProxyDeps {
  readonly targets: Targets;
  /** Reads clusters and secrets; whether the requester may use the proxy was decided before. */
  readonly client: Client;
  readonly readPath: ReadPath;
  /** The control plane itself, as somebody who may impersonate anybody. */
  readonly self: Target;
}

const allClusters = '*';

export function createClusterProxy(deps: ClusterProxyDeps): Connect {
  const { client, targets } = deps;
  return async request => {
    const { name, rest, exchange } = request;
    if (name === allClusters) return connectAll(request, deps);
    const target = await targets.ofCluster(await getCluster(client, name));
    const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
    if (rest === '' && target.prefix === '' && reads && exchange.upgrades === undefined) return redirectToRoot(request);
    await forward(request, { target, path: cleanPath(rest === '' && target.prefix === '' ? '/' : rest) });
  };
}
