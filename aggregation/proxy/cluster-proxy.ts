/** `clusters/NAME/proxy/...`: the API of a member, through the control plane (inventory AGG-01). */
import type { Connect, ConnectRequest } from '../../apiserver/interface.js';
import type { Client } from '../../registry/interface.js';
import { forward } from './forward.js';
import { cleanPath } from './path.js';
import { createTargets, getCluster } from './target.js';

export interface ClusterProxy {
  readonly connect: Connect;
  close(): Promise<void>;
}

/** A server whose root was named without its slash: relative links would lead astray. as apimachinery/pkg/util/proxy proxyRedirectsforRootPath */
function redirectToRoot(request: ConnectRequest): void {
  const { exchange } = request;
  const query = exchange.query === '' ? '' : `?${exchange.query}`;
  exchange.respond(301, { ...request.answerHeaders(), location: `${exchange.path}/${query}` }, undefined);
}

/** `client` reads clusters and secrets; whether the requester may use the proxy was decided before. */
export function createClusterProxy(client: Client): ClusterProxy {
  const targets = createTargets(client);
  return {
    async connect(request) {
      const { name, rest, exchange } = request;
      const target = await targets.ofCluster(await getCluster(client, name));
      const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
      if (rest === '' && target.prefix === '' && reads && exchange.upgrades === undefined)
        return redirectToRoot(request);
      await forward(request, { target, path: cleanPath(rest === '' && target.prefix === '' ? '/' : rest) });
    },
    close: () => targets.close(),
  };
}
