import { createClusterProxy } from '../../aggregation/proxy/cluster-proxy.js';
import { createTargets, type Target, type Targets } from '../../aggregation/proxy/target.js';
import type { ShareLimits } from '../../aggregation/proxy/request-shares.js';
import { createMetricsAdapter } from '../../aggregation/metrics/metrics-adapter.js';
import { defaultMemoryLimit } from '../../aggregation/remote/limits.js';
import { ReverseTunnels } from '../../aggregation/reverse-tunnel/reverse-tunnels.js';
import { tunnelDelegate } from '../../aggregation/reverse-tunnel/serve-tunnels.js';
import { runTunnelDirectory } from '../../aggregation/reverse-tunnel/tunnel-directory.js';
import { createSearch, type SearchSettings } from '../../aggregation/search/search.js';
import type { Endpoint } from '../../aggregation/interface.js';
import type { TokenRate } from '../../lib/token-bucket.js';
import { isUnreachable } from '../../lib/logging/cause.js';
import { repeatedly } from '../../lib/logging/failure-state.js';
import type { Query } from '../../apiserver/interface.js';
import { isLongRunning, requestInfo } from '../../apiserver/http/request-info.js';
import { metricsApis } from '../../server/metrics-apis.js';
import type { Part, PartContext } from '../../server/parts.js';
import { decoder, readHandlers } from '../../server/read-handlers.js';
import { resources } from '../../api/karmada/well-known.js';
import { componentContext } from '../../client/runtime/component.js';

/** Returns a server of this control plane, with the credentials of its administrator. */
const serverAt = (server: string, { pki }: PartContext): Endpoint => ({
  server,
  ca: pki.authority.certificate,
  clientCertificate: pki.admin.certificate,
  clientKey: pki.admin.key,
});

/** Returns the control plane itself as a target, with the present certificate of its administrator, which is renewed while it runs. */
function ownTarget(part: PartContext, targets: Targets): Target {
  let opened: { readonly admin: typeof part.pki.admin; readonly target: Target } | undefined;
  const current = (): Target => {
    const { admin } = part.pki;
    // Opened for the first request: many servers have none, and a pool and its package take a part of the start.
    if (opened?.admin !== admin) opened = { admin, target: targets.at(serverAt(part.url, part)) };
    return opened.target;
  };
  return {
    get origin() {
      return current().origin;
    },
    get prefix() {
      return current().prefix;
    },
    get pool() {
      return current().pool;
    },
    get credentials() {
      return current().credentials;
    },
  };
}

interface AggregationSettings {
  /** The rate of requests to each member that karmada-metrics-adapter and karmada-search send each; absent: no limit. */
  readonly memberRate?: TokenRate | undefined;
  /** Maximum memory in bytes of the lists of one member, of its mirrors, and of the lists that all requests together hold. */
  readonly memoryLimit?: number | undefined;
  /** How many requests of users may be under way to each member; absent: the defaults. */
  readonly userLimits?: ShareLimits;
  /** Milliseconds that it gives each member for an answer; absent: ten seconds. */
  readonly metricsAnswerMs?: number;
  /** Absent: everything. */
  readonly search?: SearchSettings;
  /** The reverse tunnels of agents, which other parts of this process share; absent: its own. */
  readonly tunnels?: ReverseTunnels;
}

/** Reports whether a request to a member runs without a deadline. */
function lastsLong(method: string, path: string, query: Query): boolean {
  try {
    return isLongRunning(requestInfo(method, path, query));
  } catch {
    return false; // The path is malformed, which the member answers with an error.
  }
}

const everything: SearchSettings = { search: true, proxy: true, backends: true };

/**
 * The work of karmada-aggregated-apiserver and karmada-search besides serving their kinds, and of karmada-metrics-adapter: the access to members.
 */
export const aggregation = ({
  memberRate: rate,
  metricsAnswerMs: answerMs,
  search: settings = everything,
  userLimits,
  memoryLimit = defaultMemoryLimit,
  tunnels = new ReverseTunnels(),
}: AggregationSettings = {}): Part => ({
  name: 'karmada-aggregated-apiserver',
  start(part) {
    const groups = ['system:masters', 'system:authenticated'];
    const client = part.clientFor({ name: 'system:karmada-aggregated-apiserver', groups });
    const targets = createTargets(client, { limits: userLimits, tunnels, isLongRunning: lastsLong });
    const access = { targets, self: ownTarget(part, targets), readPath: requestInfo };
    const context = componentContext(part, 'karmada-search');
    const { catalogue, log, offload, authorize } = part;
    const refused = repeatedly(log, 'a member refuses requests of the proxy of all clusters');
    // An unreachable member is logged once, by the controller of its status.
    const onError = (error: unknown, cluster: string): void =>
      isUnreachable(error)
        ? log.debug({ err: error, cluster }, 'a member did not answer')
        : refused(error, cluster, { cluster });
    context.informers.informer(resources.clusters).onChange(({ old, new: cluster }) => {
      if (!old || cluster) return;
      const { name = '' } = old.metadata;
      targets.forget(name);
      tunnels.forget(name);
    });
    const peering = componentContext(part, 'karmada-aggregated-apiserver');
    if (part.peers) runTunnelDirectory(peering, { tunnels, url: part.peers.url, peerAt: url => serverAt(url, part) });
    const search = createSearch(context, {
      ...{ ...access, catalogue, authorize, settings, memberRate: rate, memoryLimit, tunnels },
      serveRead: readHandlers(catalogue, offload),
      decode: decoder(catalogue, offload),
    });
    const metrics = createMetricsAdapter(context, { rate, answerMs, tunnels });
    const { delegates, groupVersions } = metricsApis(metrics, offload);
    return Promise.resolve({
      connects: { 'clusters.cluster.karmada.io/proxy': createClusterProxy({ client, ...access, onError }) },
      delegates: [...search.delegates, ...delegates, tunnelDelegate(tunnels, { client, log, meter: part.meter })],
      groupVersions,
      async stop() {
        tunnels.close();
        await Promise.all([targets.close(), search.close(), metrics.close()]);
        await Promise.all([context.finished(), peering.finished()]);
      },
    });
  },
});
