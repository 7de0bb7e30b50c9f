/** Reports to operators when members become ready or unready: lines of the log, and Events on the Cluster. */
import type { Logger } from '../../lib/logging/interface.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Cluster, Condition } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { ControllerContext, EventRecorder, Informer, ObjectChange } from '../../client/runtime/interface.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { notReady } from './ready.js';

/** Result of the last probes of a member. Times in milliseconds since the epoch. */
interface Observation {
  /** Description of the failure. */
  cause: string;
  /** Time of the first failed probe. */
  since: number;
  /** Time of the first successful probe since. */
  until: number | undefined;
}

/** Maximum number of unready members that are logged one by one at the start. */
const shownNames = 10;

const readyOf = (cluster: Cluster | undefined): Condition | undefined =>
  findCondition(cluster?.status?.conditions, 'Ready');

export class MemberReports {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #recorder: EventRecorder;
  readonly #clusters: Informer<Cluster>;
  readonly #observed = new Map<string, Observation>();
  /** The names of the members that were not ready when they were first observed, and have not become ready since. */
  readonly #joining = new Set<string>();

  constructor(context: ControllerContext) {
    this.#log = context.log;
    this.#now = () => context.clock.now();
    this.#recorder = context.recorder('cluster-status-controller');
    const clusters = context.informers.informer<Cluster>(resources.clusters);
    this.#clusters = clusters;
    // The state at the start is one summary, not one line for each member.
    void clusters.synced.then(() => {
      if (context.signal.aborted) return;
      clusters.onLaterChange(change => this.#changed(change));
      this.#reportAll(clusters.list());
    });
  }

  /** Records that a probe of a member failed. The Ready condition may follow later. */
  failed(cluster: string, cause: string): void {
    const known = this.#observed.get(cluster);
    if (known && known.until === undefined) known.cause = cause;
    else this.#observed.set(cluster, { cause, since: known?.since ?? this.#now(), until: undefined });
  }

  /** Records that a probe of a member succeeded. The Ready condition may follow later. */
  worked(cluster: string): void {
    const known = this.#observed.get(cluster);
    if (!known) return;
    // An outage that was too short to be reported is over with it; the start of the next one is another failure.
    if (readyOf(this.#clusters.get(cluster))?.status === 'True') this.#observed.delete(cluster);
    else known.until ??= this.#now();
  }

  #changed({ key, old, new: cluster }: ObjectChange<Cluster>): void {
    if (!cluster) {
      this.#observed.delete(key);
      this.#joining.delete(key);
      this.#log.info({ cluster: key }, 'member unjoined');
      return;
    }
    const [before, now] = [readyOf(old), readyOf(cluster)];
    if (!now || (before?.status === now.status && before.reason === now.reason)) return;
    if (now.status !== 'True') {
      // While it recovers, a member answers before it is healthy: the reported outage continues, without a new line.
      const isNews = !before || before.status === 'True';
      if (!before) this.#joining.add(key);
      this.#reportUnready(cluster, now, { log: isNews, event: true });
    } else {
      if (before) this.#reportRecovered(cluster, before);
      if (this.#joining.delete(key) || !before) this.#reportJoined(cluster);
    }
  }

  #reportJoined({ metadata, spec, status }: Cluster): void {
    const fields = { cluster: metadata.name, address: spec.apiEndpoint, version: status?.kubernetesVersion };
    this.#log.info(fields, 'member joined');
  }

  #reportUnready(
    cluster: Cluster,
    condition: Condition,
    how: { readonly log: boolean; readonly event: boolean },
  ): void {
    const { reason, message, lastTransitionTime } = condition;
    const name = cluster.metadata.name ?? '';
    const seen = this.#observed.get(name);
    const since = seen ? timestamp(seen.since) : lastTransitionTime;
    const cause = seen?.cause || message;
    const text = reason === notReady.reason ? 'member is not well' : 'member is silent';
    if (how.log) this.#log.warn({ cluster: name, reason, cause, since }, text);
    if (how.event) this.#recorder.event(cluster, 'Warning', reason, `${message} since ${since}: ${cause}`);
  }

  #reportRecovered(cluster: Cluster, before: Condition): void {
    const name = cluster.metadata.name ?? '';
    const { since = Date.parse(before.lastTransitionTime), until = this.#now() } = this.#observed.get(name) ?? {};
    this.#observed.delete(name);
    const silentSeconds = Math.max(0, Math.round((until - since) / 1000));
    this.#log.info({ cluster: name, silentSeconds }, 'member is back');
    this.#recorder.event(
      cluster,
      'Normal',
      'ClusterReady',
      `cluster is healthy again; it was not for ${silentSeconds} seconds`,
    );
  }

  #reportAll(clusters: readonly Cluster[]): void {
    const known = clusters.filter(readyOf);
    if (known.length === 0) return;
    const unready = known.filter(cluster => readyOf(cluster)?.status !== 'True');
    this.#log.info({ members: known.length, notReady: unready.length }, 'members are known');
    for (const cluster of unready.slice(0, shownNames)) {
      const condition = readyOf(cluster);
      if (condition) this.#reportUnready(cluster, condition, { log: true, event: false });
    }
  }
}
