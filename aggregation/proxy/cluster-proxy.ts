/** Serves `clusters/NAME/proxy/...`: the API of a member, reached through the control plane. as pkg/util/proxy ConnectCluster */
import type { ConnectHandler, ConnectRequest } from '../../apiserver/interface.js';
import { allClusters, type AllClustersDeps, connectAll } from './all-clusters.js';
import { forward } from './forward.js';
import { cleanPath } from './path.js';
import { getCluster } from './target.js';

/** Redirects to the root path with a slash, so that relative links resolve. as apimachinery/pkg/util/proxy proxyRedirectsforRootPath */
function redirectToRoot(request: ConnectRequest): void {
  const { exchange } = request;
  const query = exchange.query === '' ? '' : `?${exchange.query}`;
  exchange.respond(301, { ...request.answerHeaders(), location: `${exchange.path}/${query}` }, undefined);
}

/** Returns the host that a client has sent its request to. */
const hostOf = ({ headers }: ConnectRequest['exchange']): string | undefined =>
  [headers['host'] ?? headers[':authority'] ?? []].flat()[0];

/** Returns the handler of `clusters/proxy`. It rejects with the errors of `Targets.ofCluster`, and of `forward`. The cluster `*` stands for all. */
export function createClusterProxy(deps: AllClustersDeps): ConnectHandler {
  const { client, targets } = deps;
  return async request => {
    const { name, rest, exchange } = request;
    if (name === allClusters) return connectAll(request, deps);
    const target = await targets.ofCluster(await getCluster(client, name));
    const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
    if (rest === '' && target.prefix === '' && reads && exchange.upgrades === undefined) return redirectToRoot(request);
    const path = cleanPath(rest === '' && target.prefix === '' ? '/' : rest);
    await forward(request, { target, path, forwardedHost: hostOf(exchange) });
  };
}
