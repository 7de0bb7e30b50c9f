import { causeText, ExpectedError } from '../../lib/logging/cause.js';
import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { parseJson } from '../../lib/json/json.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Cluster } from '../../api/karmada/types.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import { type NewCondition, withConditions } from '../../client/runtime/conditions.js';
import { generationChanged } from '../../client/runtime/generation.js';
import type { ControllerContext, Informer, Key, ReconcileResult, WorkQueue } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import type { MemberContext, MemberWatch } from '../members/member-watch.js';
import { collectedApis } from './api-enablements.js';
import { type ClusterSeries, clusterSeries } from './cluster-series.js';
import type { MemberReports } from './member-reports.js';
import { createDamper, notReachable, notReady, ready, refused, type Thresholds, uncollected } from './ready.js';
import { memberUsage } from './member-usage.js';
import { customResourceDefinitions } from '../../api/kubernetes/resources.js';

export interface ClusterStatusOptions {
  readonly members: MemberWatch;
  /** Selects the clusters to observe: those in push mode, or the agent's own. */
  readonly serves: (cluster: Cluster) => boolean;
  /** Receives the result of every probe. */
  readonly reports: MemberReports;
  /** Milliseconds between two observations of a cluster. */
  readonly frequencyMs?: number; // 10 s
  readonly thresholds?: Thresholds; // 30 s each
  /** Mirror the nodes and pods of the clusters, and report their resources; true if absent. */
  readonly modelsResources?: boolean | undefined;
  /** Count the nodes by the models of their cluster (gate CustomizedClusterResourceModeling); true if absent. */
  readonly gradesNodes?: boolean;
}

type Status = NonNullable<Cluster['status']>;
const probeTimeoutMs = 10_000;
/** Delay in milliseconds from the last change of a CRD to the next observation, since a definition takes a moment until it is served. */
const servedMs = 300;

const defaultFrequencyMs = 10_000;
const defaultThresholds: Thresholds = { successMs: 30_000, failureMs: 30_000 };

/** Observes clusters and writes what it has seen into their status. */
class ClusterObserver {
  readonly clusters: Informer<Cluster>;
  readonly #context: ControllerContext;
  readonly #options: ClusterStatusOptions;
  readonly #damper: ReturnType<typeof createDamper>;
  readonly #series: ClusterSeries;
  /** Clusters that have been observed before. */
  readonly #observed = new Set<Key>();
  /** Connections over which the CRDs of the member are mirrored. */
  readonly #withDefinitions = new WeakSet<MemberContext>();
  /** Connections whose first observation did not show the resources of the member. */
  readonly #withoutUsage = new WeakSet<MemberContext>();
  #queue: WorkQueue | undefined;

  constructor(context: ControllerContext, options: ClusterStatusOptions) {
    this.#context = context;
    this.#options = options;
    this.#damper = createDamper(options.thresholds ?? defaultThresholds);
    this.clusters = context.informers.informer<Cluster>(resources.clusters);
    this.#series = clusterSeries(context.meter, () =>
      context.signal.aborted ? [] : this.clusters.list().filter(cluster => options.serves(cluster) && cluster.status),
    );
  }

  /** Milliseconds between two observations of a cluster. */
  get frequencyMs(): number {
    return this.#options.frequencyMs ?? defaultFrequencyMs;
  }

  wire(queue: WorkQueue): void {
    this.#queue = queue;
    this.clusters.onChange(change => {
      const { key, old, new: cluster } = change;
      if (!cluster) return this.#forget(key);
      const adopted = isAdopted(cluster) && !(old && isAdopted(old));
      if (this.#options.serves(cluster) && (adopted || generationChanged(change))) queue.add(key);
    });
  }

  /** Observes a cluster soon after a change of its CRDs, so that a new kind need not wait for the next period. */
  #watchDefinitions(cluster: Key, member: MemberContext): void {
    if (this.#withDefinitions.has(member)) return;
    this.#withDefinitions.add(member);
    const definitions = member.informers.informer(customResourceDefinitions);
    definitions.onChange(() => {
      if (definitions.hasSynced) this.#queue?.addAfter(cluster, servedMs);
    });
  }

  /** Observes a cluster again when its nodes and pods are known, if they were not yet: its resources need not wait for the next period. */
  #awaitUsage(cluster: Key, member: MemberContext): void {
    const usage = memberUsage(member);
    if (usage.hasSynced || this.#withoutUsage.has(member)) return;
    this.#withoutUsage.add(member);
    void usage.synced.then(() => {
      if (!member.signal.aborted) this.#queue?.add(cluster);
    });
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const cluster = this.clusters.get(key);
    // The cluster controller adds its finalizer first; that write wakes this controller.
    if (!cluster || !this.#options.serves(cluster) || !isAdopted(cluster)) return undefined;
    const began = performance.now();
    await this.#observe(cluster);
    if (this.#isGone(cluster)) return undefined;
    this.#series.collected(key, (performance.now() - began) / 1000);
    const isFirst = !this.#observed.has(key);
    this.#observed.add(key);
    return { againAfter: delayMs(this.frequencyMs, isFirst, Math.random()) };
  }

  /** Reports whether the Cluster was deleted meanwhile, or replaced by another one of the same name, for which there is a change of its own. */
  #isGone({ metadata: { name = '', uid } }: Cluster): boolean {
    return this.clusters.get(name)?.metadata.uid !== uid;
  }

  #forget(key: Key): void {
    this.#series.gone(key);
    this.#damper.forget(key);
    this.#observed.delete(key);
  }

  async #observe(cluster: Cluster): Promise<void> {
    const { members, reports } = this.#options;
    const name = cluster.metadata.name ?? '';
    let member: MemberContext;
    try {
      member = await members.connect(cluster);
    } catch (error) {
      if (this.#isGone(cluster)) return;
      reports.failed(name, causeText(error));
      return this.#write(cluster, [this.#damped(cluster, uncollected(errorText(error)))]);
    }
    const { health, cause } = await probe(member);
    if (this.#context.signal.aborted || this.#isGone(cluster)) return;
    if (health === ready) reports.worked(name);
    else reports.failed(name, cause);
    const condition = this.#damped(cluster, health);
    if (health !== ready || condition.status !== 'True') return this.#write(cluster, [condition]);
    this.#watchDefinitions(name, member);
    const { status, conditions } = await collect(cluster, member, this.#options);
    if (this.#options.modelsResources ?? true) this.#awaitUsage(name, member);
    // A connection that was closed meanwhile would show a cluster that serves nothing.
    if (this.#context.signal.aborted || member.signal.aborted) return;
    return this.#write(cluster, [...conditions, condition], status);
  }

  /** Returns the Ready condition to write after this observation. */
  #damped({ metadata: { name = '' }, status }: Cluster, observed: NewCondition): NewCondition {
    const current = findCondition(status?.conditions, 'Ready');
    return this.#damper.report(name, current, observed, this.#context.clock.now());
  }

  async #write(cluster: Cluster, conditions: readonly NewCondition[], status: Partial<Status> = {}): Promise<void> {
    const { client, clock } = this.#context;
    const change = (draft: Cluster): void => {
      const next = (draft.status ??= {});
      for (const [field, value] of Object.entries(status))
        if (!deepEqual(next[field as keyof Status], value)) Object.assign(next, { [field]: value });
      next.conditions = withConditions(next.conditions, conditions, clock.now());
    };
    await updateObject(client, resources.clusters, cluster, change, { subresource: 'status' });
  }
}

/** The share of a period by which the time between two observations may differ from it. */
const jitter = 0.1;

/**
 * Returns the milliseconds until the next observation. Observations of many clusters are spread over the period: the first ones come together at
 * the start, so that the second ones follow anywhere in the period. `random`: from 0 to below 1.
 */
export function delayMs(frequencyMs: number, isFirst: boolean, random: number): number {
  const share = isFirst ? 0.5 + random / 2 : 1 - jitter + 2 * jitter * random;
  return frequencyMs * share;
}

/** Observes every cluster: its health, the APIs that it serves, its resource usage. as pkg/controllers/status ClusterStatusController */
export function startClusterStatusController(context: ControllerContext, options: ClusterStatusOptions): void {
  const observer = new ClusterObserver(context, options);
  context.run({
    name: 'cluster-status-controller',
    // A cluster that does not answer holds a worker of its own until the timeouts.
    workers: 32,
    groups: { of: key => key, maxWorkers: 1, waitsForRemote: true },
    synced: [observer.clusters.synced],
    // A cluster is observed in every period, even if its status cannot be written for a long time.
    maxRetryMs: observer.frequencyMs,
    wire: queue => observer.wire(queue),
    reconcile: key => observer.reconcile(key),
  });
}

const isAdopted = ({ metadata }: Cluster): boolean => metadata.finalizers?.includes(finalizers.cluster) ?? false;

/** Maximum size of an answer in bytes. An unhealthy server lists its checks. */
const maxProbeBytes = 1024 * 1024;

interface Health {
  readonly health: NewCondition;
  /** Description of why the cluster is not healthy. */
  readonly cause: string;
}

/** Probes `/readyz`, or `/healthz` of a server that is too old to have the former. */
async function probe({ client, signal }: MemberContext): Promise<Health> {
  const get = async (path: string): Promise<{ status: number; cause: string }> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]);
    const request = { method: 'GET', path, signal: limit, maxBytes: maxProbeBytes };
    const { status, body } = await client.raw(request).catch((error: unknown) => {
      throw limit.aborted && !signal.aborted
        ? new ExpectedError(`no answer within ${probeTimeoutMs / 1000} seconds`)
        : error;
    });
    return { status, cause: `${path} answered ${status}: ${causeText(body.toString('utf8', 0, 500))}` };
  };
  try {
    let answer = await get('/readyz');
    if (answer.status === 404) answer = await get('/healthz');
    const failed = answer.status === 401 ? refused : notReady;
    return { health: answer.status === 200 ? ready : failed, cause: answer.cause };
  } catch (error) {
    return { health: notReachable, cause: causeText(error) }; // any failure to get an answer
  }
}

async function collect(
  cluster: Cluster,
  member: MemberContext,
  { modelsResources = true, gradesNodes = true }: ClusterStatusOptions,
): Promise<{ status: Partial<Status>; conditions: NewCondition[] }> {
  const discovering = member.client.mapper.refresh().catch(() => undefined);
  const [version, discovery] = await Promise.all([kubernetesVersion(member), discovering]);
  const models = (gradesNodes && cluster.spec.resourceModels) || [];
  const { enablements, condition } = collectedApis(discovery, cluster.status?.apiEnablements);
  return {
    status: {
      ...(version ? { kubernetesVersion: version } : {}),
      ...(enablements ? { apiEnablements: enablements } : {}),
      ...(modelsResources ? await memberUsage(member).collect(models) : {}),
    },
    conditions: [condition],
  };
}

/** Maximum size of the answer of `/version` in bytes, and of the version in characters. */
const maxVersionBytes = 64 * 1024;
const maxVersionLength = 256;

async function kubernetesVersion({ client }: MemberContext): Promise<string | undefined> {
  try {
    const { status, body } = await client.raw({ method: 'GET', path: '/version', maxBytes: maxVersionBytes });
    if (status !== 200) return undefined;
    const { gitVersion } = (parseJson(body.toString('utf8')) ?? {}) as { gitVersion?: unknown };
    return typeof gitVersion === 'string' && gitVersion.length <= maxVersionLength ? gitVersion : undefined;
  } catch {
    return undefined; // The answer holds no version. The probe has already shown that the server can be reached.
  }
}
