/** Tells an operator how members come and go: lines of the log, and Events on the Cluster. */
import type { Logger } from '../../lib/logging/interface.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Cluster, Condition } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { ControllerContext, EventRecorder, ObjectChange } from '../../client/runtime/interface.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { notReady } from './ready.js';

/** What the last looks at a member found. Milliseconds since the epoch. */
interface Observation {
  /** In words; empty while it is well. */
  cause: string;
  /** When it first failed. */
  since: number;
  /** When it first was well again. */
  until: number | undefined;
}

/** Names that a line shows; the rest is a number. */
const shownNames = 10;

const readyOf = (cluster: Cluster | undefined): Condition | undefined =>
  findCondition(cluster?.status?.conditions, 'Ready');

export class MemberReports {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #recorder: EventRecorder;
  readonly #observed = new Map<string, Observation>();

  constructor(context: ControllerContext) {
    this.#log = context.log;
    this.#now = () => context.clock.now();
    this.#recorder = context.recorder('cluster-status-controller');
    const clusters = context.informers.informer<Cluster>(resources.clusters);
    // What stands at the start is one line, not one for each member.
    void clusters.synced.then(() => {
      if (context.signal.aborted) return;
      let isFirst = true;
      clusters.onChange(change => !isFirst && this.#changed(change));
      isFirst = false;
      this.#tellAll(clusters.list());
    });
  }

  /** A look at a member failed, for this reason. The Ready condition may follow later. */
  failed(cluster: string, cause: string): void {
    const known = this.#observed.get(cluster);
    if (known && known.until === undefined) known.cause = cause;
    else this.#observed.set(cluster, { cause, since: known?.since ?? this.#now(), until: undefined });
  }

  /** A look at a member found it well. The Ready condition may follow later. */
  worked(cluster: string): void {
    const known = this.#observed.get(cluster);
    if (known) known.until ??= this.#now();
  }

  #changed({ key, old, new: cluster }: ObjectChange<Cluster>): void {
    if (!cluster) {
      this.#observed.delete(key);
      this.#log.info({ cluster: key }, 'member unjoined');
      return;
    }
    const [before, now] = [readyOf(old), readyOf(cluster)];
    if (!now || (before?.status === now.status && before.reason === now.reason)) return;
    if (now.status !== 'True') {
      // On its way back a member answers before it is well: the state that was told goes on.
      const isNews = !before || before.status === 'True';
      this.#tellSilent(cluster, now, { log: isNews, event: true });
    } else if (before) this.#tellBack(cluster, before);
    else {
      const { apiEndpoint: address } = cluster.spec;
      this.#log.info({ cluster: key, address, version: cluster.status?.kubernetesVersion }, 'member joined');
    }
  }

  #tellSilent(cluster: Cluster, condition: Condition, how: { readonly log: boolean; readonly event: boolean }): void {
    const { reason, message, lastTransitionTime } = condition;
    const name = cluster.metadata.name ?? '';
    const seen = this.#observed.get(name);
    const since = seen ? timestamp(seen.since) : lastTransitionTime;
    const cause = seen?.cause || message;
    const text = reason === notReady.reason ? 'member is not well' : 'member is silent';
    if (how.log) this.#log.warn({ cluster: name, reason, cause, since }, text);
    if (how.event) this.#recorder.event(cluster, 'Warning', reason, `${message} since ${since}: ${cause}`);
  }

  #tellBack(cluster: Cluster, before: Condition): void {
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

  #tellAll(clusters: readonly Cluster[]): void {
    const known = clusters.filter(readyOf);
    if (known.length === 0) return;
    const away = known.filter(cluster => readyOf(cluster)?.status !== 'True');
    this.#log.info({ members: known.length, notReady: away.length }, 'members are known');
    for (const cluster of away.slice(0, shownNames)) {
      const condition = readyOf(cluster);
      if (condition) this.#tellSilent(cluster, condition, { log: true, event: false });
    }
  }
}
