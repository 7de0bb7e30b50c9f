import { isUnreachable } from '../../lib/logging/cause.js';
import { repeatedly } from '../../lib/logging/failure-state.js';
import type { TokenRate } from '../../lib/token-bucket.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import type { TunnelRoutes } from '../interface.js';
import { createMembers } from '../members/members.js';
import { MergedCustomMetrics } from './custom-metrics.js';
import { MergedExternalMetrics } from './external-metrics.js';
import { freshnessSeries } from './freshness.js';
import { MergedResourceMetrics } from './resource-metrics.js';
import { ReadyMembers } from './ready-members.js';
import { ServedVersions } from './served-versions.js';

/** The metrics of all members, as karmada-metrics-adapter serves them. */
interface MetricsAdapter {
  readonly resources: MergedResourceMetrics;
  readonly custom: MergedCustomMetrics;
  readonly external: MergedExternalMetrics;
  /** Closes the connections to the members. */
  close(): Promise<void>;
}

interface MetricsAdapterOptions {
  /** The rate of requests to each member; absent: no limit. */
  readonly rate?: TokenRate | undefined;
  /** Milliseconds for the whole answer of a member; absent: ten seconds. */
  readonly answerMs?: number | undefined;
  readonly tunnels?: TunnelRoutes | undefined;
}

/** Creates the adapter, whose members are connected when they are first asked. */
export function createMetricsAdapter(
  context: ControllerContext,
  { rate, answerMs, tunnels }: MetricsAdapterOptions = {},
): MetricsAdapter {
  const { client, log, meter, clock } = context;
  const members = createMembers(client, 'karmada-metrics-adapter', { meter, rate, tunnels });
  const refused = repeatedly(log, 'a member does not serve its metrics');
  // An unreachable member is logged once, by the controller of its status.
  const onError = (error: unknown, cluster: string): void =>
    isUnreachable(error)
      ? log.debug({ err: error, cluster }, 'a member did not answer')
      : refused(error, cluster, { cluster });
  const ready = new ReadyMembers(context, { members, answerMs, onError });
  const observe = freshnessSeries(meter, () => clock.now());
  return {
    resources: new MergedResourceMetrics(ready, observe),
    custom: new MergedCustomMetrics(ready, new ServedVersions(() => performance.now()), observe),
    external: new MergedExternalMetrics(ready, observe),
    close: () => members.close(),
  };
}
