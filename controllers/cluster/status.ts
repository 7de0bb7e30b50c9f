import { causeText, ExpectedError } from '../../lib/logging/cause.js';
import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { parseJson } from '../../lib/json/json.js';
import type { MappedResource } from '../../client/interface.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Cluster } from '../../api/karmada/types.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import { type NewCondition, withCondition } from '../../client/runtime/conditions.js';
import { generationChanged } from '../../client/runtime/generation.js';
import type { ControllerContext, Result } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import type { ConnectMember, MemberContext } from '../work/members.js';
import { clusterSeries } from './cluster-series.js';
import type { MemberReports } from './member-reports.js';
import { createDamper, notReachable, notReady, ready, type Thresholds, uncollected } from './ready.js';
import { type Node, nodeSummary, type Pod, summarise } from './summary.js';
import { customResourceDefinitions, nodes, pods } from '../../api/kubernetes/resources.js';

export interface ClusterStatusOptions {
  readonly connect: ConnectMember;
  /** Push mode looks after the clusters that it can reach; an agent after its own. */
  readonly serves: (cluster: Cluster) => boolean;
  /** Told of what every look finds. */
  readonly reports: MemberReports;
  /** Milliseconds between two looks. */
  readonly frequencyMs?: number; // 10 s
  readonly thresholds?: Thresholds; // 30 s each
}

type Status = NonNullable<Cluster['status']>;
const probeTimeoutMs = 10_000;
/** How long the lists of nodes and pods are waited for at each look. */
const listTimeoutMs = 10_000;
/** A definition takes a moment until it is served; so many milliseconds after its last change the cluster is looked at. */
const servedMs = 300;

/** Observes every cluster in turn: whether it is healthy, what it serves, how full it is. as pkg/controllers/status ClusterStatusController */
export function startClusterStatusController(context: ControllerContext, options: ClusterStatusOptions): void {
  const {
    frequencyMs = 10_000,
    thresholds = { successMs: 30_000, failureMs: 30_000 },
    serves,
    connect,
    reports,
  } = options;
  const { client, clock } = context;
  const clusters = context.informers.informer<Cluster>(resources.clusters);
  const damper = createDamper(thresholds);
  const heeded = new WeakSet<MemberContext>();
  const series = clusterSeries(context.meter, () =>
    context.signal.aborted ? [] : clusters.list().filter(cluster => serves(cluster) && cluster.status),
  );
  let lookSoon: (cluster: string) => void = () => undefined;

  context.run({
    name: 'cluster-status-controller',
    synced: [clusters.synced],
    wire: queue => {
      lookSoon = name => queue.addAfter(name, servedMs);
      clusters.onChange(change => {
        const { key, old, new: cluster } = change;
        if (!cluster) {
          series.gone(key);
          return damper.forget(key);
        }
        const adopted = isAdopted(cluster) && !(old && isAdopted(old));
        if (serves(cluster) && (adopted || generationChanged(change))) queue.add(key);
      });
    },
    reconcile: async key => {
      const cluster = clusters.get(key);
      // The cluster controller comes first; its write wakes us.
      if (!cluster || !serves(cluster) || !isAdopted(cluster)) return undefined;
      const began = performance.now();
      await look(cluster);
      series.collected(key, (performance.now() - began) / 1000);
      return { againAfter: frequencyMs } satisfies Result;
    },
  });

  async function look(cluster: Cluster): Promise<void> {
    const name = cluster.metadata.name ?? '';
    const current = findCondition(cluster.status?.conditions, 'Ready');
    const report = (observed: NewCondition): NewCondition => damper.report(name, current, observed, clock.now());
    let member: MemberContext;
    try {
      member = await connect(cluster);
    } catch (error) {
      reports.failed(name, causeText(error));
      return write(cluster, [report(uncollected(errorText(error)))]);
    }
    const { health, cause } = await probe(member);
    if (context.signal.aborted) return;
    if (health === ready) reports.worked(name);
    else reports.failed(name, cause);
    const condition = report(health);
    if (health !== ready || condition.status !== 'True') return write(cluster, [condition]);
    heedDefinitions(name, member);
    const { status, conditions } = await collect(cluster, member);
    return write(cluster, [...conditions, condition], status);
  }

  /** What a cluster serves changes with its definitions: resources of a new kind need not wait for the next turn. */
  function heedDefinitions(name: string, member: MemberContext): void {
    if (heeded.has(member)) return;
    heeded.add(member);
    const mirror = member.informers.informer(customResourceDefinitions);
    mirror.onChange(() => mirror.hasSynced && lookSoon(name));
  }

  async function write(
    cluster: Cluster,
    conditions: readonly NewCondition[],
    status: Partial<Status> = {},
  ): Promise<void> {
    await updateObject(
      client,
      resources.clusters,
      cluster,
      draft => {
        const next = (draft.status ??= {});
        for (const [field, value] of Object.entries(status))
          if (!deepEqual(next[field as keyof Status], value)) Object.assign(next, { [field]: value });
        for (const condition of conditions)
          next.conditions = withCondition(next.conditions ?? [], condition, clock.now());
      },
      { subresource: 'status' },
    );
  }
}

const isAdopted = ({ metadata }: Cluster): boolean => metadata.finalizers?.includes(finalizers.cluster) ?? false;

/** Bytes. A server that is not well lists its checks. */
const longestProbeAnswer = 1024 * 1024;

interface Health {
  readonly health: NewCondition;
  /** Why it is not well, in words. */
  readonly cause: string;
}

/** `/readyz`, or `/healthz` where a server is too old to have it. */
async function probe({ client, signal }: MemberContext): Promise<Health> {
  const ask = async (path: string): Promise<{ status: number; cause: string }> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]);
    const request = { method: 'GET', path, signal: limit, most: longestProbeAnswer };
    const { status, body } = await client.raw(request).catch((error: unknown) => {
      throw limit.aborted && !signal.aborted
        ? new ExpectedError(`no answer within ${probeTimeoutMs / 1000} seconds`)
        : error;
    });
    return { status, cause: `${path} answered ${status}: ${causeText(body.toString('utf8', 0, 500))}` };
  };
  try {
    let answer = await ask('/readyz');
    if (answer.status === 404) answer = await ask('/healthz');
    return { health: answer.status === 200 ? ready : notReady, cause: answer.cause };
  } catch (error) {
    return { health: notReachable, cause: causeText(error) }; // whatever stands in the way of an answer
  }
}

async function collect(
  cluster: Cluster,
  member: MemberContext,
): Promise<{ status: Partial<Status>; conditions: NewCondition[] }> {
  const [version, enablements] = await Promise.all([kubernetesVersion(member), apiEnablements(member)]);
  return {
    status: {
      ...(version ? { kubernetesVersion: version } : {}),
      ...(enablements ? { apiEnablements: enablements } : {}),
      ...(await fullness(cluster, member)),
    },
    conditions: [completeness(enablements)],
  };
}

/** How full a cluster is. Nothing where its nodes and pods cannot be told now: what was known then stays. */
async function fullness(
  { spec }: Cluster,
  { informers, signal }: MemberContext,
): Promise<Pick<Status, 'nodeSummary' | 'resourceSummary'>> {
  const [nodeMirror, podMirror] = [informers.informer<Node>(nodes), informers.informer<Pod>(pods)];
  // A member whose lists never end must not keep the worker.
  const patience = clockOut(signal, listTimeoutMs);
  await Promise.race([Promise.all([nodeMirror.synced, podMirror.synced]), patience.over]);
  patience.release();
  if (!nodeMirror.hasSynced || !podMirror.hasSynced) return {};
  const all = nodeMirror.list();
  try {
    const resourceSummary = await summarise(all, podMirror.list(), spec.resourceModels ?? []);
    return { nodeSummary: nodeSummary(all), resourceSummary };
  } catch {
    return {}; // a node or pod of a form that no Kubernetes gives it
  }
}

/** Resolves after so many milliseconds, or with the signal. */
function clockOut(signal: AbortSignal, ms: number): { readonly over: Promise<void>; release(): void } {
  let end = (): void => undefined;
  const over = new Promise<void>(resolve => (end = resolve));
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
  return {
    over,
    release() {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    },
  };
}

/** Bytes of the answer of `/version`, and characters of the version in it. */
const longestVersionAnswer = 64 * 1024;
const longestVersion = 256;

async function kubernetesVersion({ client }: MemberContext): Promise<string | undefined> {
  try {
    const { status, body } = await client.raw({ method: 'GET', path: '/version', most: longestVersionAnswer });
    if (status !== 200) return undefined;
    const { gitVersion } = (parseJson(body.toString('utf8')) ?? {}) as { gitVersion?: unknown };
    return typeof gitVersion === 'string' && gitVersion.length <= longestVersion ? gitVersion : undefined;
  } catch {
    return undefined; // what it says is no version; that it can be reached, the probe has shown
  }
}

/** What a cluster serves, group by group, sorted; undefined when it cannot be told now: the old list then stays. */
async function apiEnablements({ client }: MemberContext): Promise<Status['apiEnablements'] | undefined> {
  const served = await client.mapper
    .refresh()
    .then(() => client.mapper.resources())
    .catch(() => undefined);
  if (!served) return undefined;
  const groups = new Map<string, MappedResource[]>();
  for (const resource of served) {
    const groupVersion = apiVersionOf(resource);
    const known = groups.get(groupVersion);
    if (known) known.push(resource);
    else groups.set(groupVersion, [resource]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([groupVersion, list]) => ({
      groupVersion,
      resources: list.map(({ resource: name, kind }) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    }));
}

function completeness(enablements: Status['apiEnablements'] | undefined): NewCondition {
  const type = 'CompleteAPIEnablements';
  if (enablements?.length)
    return { type, status: 'True', reason: 'Complete', message: 'collected complete APIEnablements from the cluster' };
  const message = 'collected empty APIEnablements from the cluster';
  return { type, status: 'False', reason: 'EmptyAPIEnablements', message };
}
