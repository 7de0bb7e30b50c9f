import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { findCondition, isClusterReady } from '../../kinds/karmada/conditions.js';
import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { Cluster, ManifestStatus, Work } from '../../api/karmada/types.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { keyOf } from '../../client/key.js';
import { type NewCondition, withConditions } from '../../client/runtime/conditions.js';
import { GroupFailure, NotYet, ReportedElsewhere } from '../../client/runtime/controller.js';
import { aggregateFailures } from '../../client/runtime/failures.js';
import { wakeOnGeneration } from '../../client/runtime/generation.js';
import type { ControllerContext, Informer, Key, ReconcileResult, WorkQueue } from '../../client/runtime/interface.js';
import { observed } from '../../client/runtime/meter.js';
import { retryAfterMs } from '../../client/runtime/retry-after.js';
import { removeFinalizer, updateObject } from '../../client/runtime/update.js';
import { applyManifest, deleteManifest, isManaged, workKeyOf } from './apply.js';
import { applyManifests, type ManifestDeps, reportFailure } from './apply-manifests.js';
import type { MemberWatch } from '../members/member-watch.js';
import { memberFailure, MemberProbes } from '../members/member-probes.js';
import { drifted } from './drift.js';
import { describeWork } from './describe-work.js';
import { EarlyWorks } from './early-works.js';
import { ExecutionQueue } from './execution-queue.js';
import { firstWait } from './first-wait.js';
import { FirstReports, firstStatuses, type PostponedReport } from './first-reports.js';
import { findInMember } from './locate.js';
import { MemberWrites } from './own-writes.js';
import { Prerequisites } from './prerequisites.js';
import { PassingFailures } from './passing-failures.js';
import { releasedManifest } from './release.js';
import { type WorkSeries, workSeries } from './work-series.js';
import { addWorksOf, hasFailed, hasOtherKinds, hasReturned, isLeaving, worksByCluster } from './works-of-cluster.js';

export interface ExecutionOptions {
  readonly interpreter: Interpreter;
  readonly members: MemberWatch;
  /** Selects the clusters to serve: those in push mode, or the agent's own. */
  readonly serves: (cluster: Cluster) => boolean;
  /** Returns the milliseconds for which the first report of a Work may wait for a status. By default it depends on the load. */
  readonly postponeMs?: () => number;
}

interface ExecutionDeps extends ExecutionOptions, ManifestDeps {
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly passingFailures: PassingFailures;
  readonly series: WorkSeries;
  readonly reports: FirstReports;
  readonly queue: ExecutionQueue;
}

const dispatching = {
  type: 'Dispatching',
  status: 'True',
  reason: 'Dispatching',
  message: 'Work is being dispatched to member clusters.',
} as const;
const suspended = {
  type: 'Dispatching',
  status: 'False',
  reason: 'SuspendDispatching',
  message: 'Work dispatching is in a suspended state.',
} as const;

/** Applies the manifests of every Work to its cluster, and reverts changes made there. as pkg/controllers/execution Controller */
export function startExecutionController(context: ControllerContext, options: ExecutionOptions): void {
  const works = context.informers.informer<Work>(resources.works);
  const clusters = context.informers.informer<Cluster>(resources.clusters);
  const recorder = context.recorder('execution-controller');
  const series = workSeries(context.meter);
  const { client, clock } = context;
  const { members } = options;
  const reports = new FirstReports(clock, options.postponeMs);
  const queue = new ExecutionQueue();
  const deps: ExecutionDeps = {
    ...options,
    context,
    recorder,
    clusters,
    works,
    ownWrites: new MemberWrites(),
    earlyWorks: new EarlyWorks(queue.compare),
    compare: queue.compare,
    probes: new MemberProbes(options.members.connect, queue.answered),
    passingFailures: new PassingFailures(),
    series,
    locating: { client, members, series: series.member, onAnswer: queue.answered },
    reports,
    prerequisites: new Prerequisites({ client, members, works, clock, isReportPostponed: key => reports.has(key) }),
    queue,
  };
  context.run({
    name: 'execution-controller',
    workers: 16,
    groups: worksByCluster,
    synced: [works.synced, clusters.synced],
    describe: key => describeWork(key, works.get(key)),
    wire: opened => wire(opened, deps),
    reconcile: key => reconcile(key, deps),
  });
}

/** Adds the Works that changes of Works, clusters and objects in members concern. */
function wire(queue: WorkQueue, deps: ExecutionDeps): void {
  const { clusters, works, members, reports, prerequisites, ownWrites } = deps;
  const { compare: add, resume } = deps.queue;
  deps.queue.open(queue);
  wakeOnGeneration(queue, works);
  works.onChange(({ key }) => prerequisites.settled(key));
  // A Work that failed while its cluster was not ready is reconciled at once, without waiting for its backoff, when the cluster is
  // ready again, and when it is being removed, since then an unreachable cluster is not cleaned up.
  clusters.onChange(change => {
    if (hasReturned(change) || isLeaving(change)) addWorksOf(change.key, works, { resume, add });
    // Works of a cluster that is not ready get their conditions without a request. A kind that was missing may be served now.
    else if (hasFailed(change) || hasOtherKinds(change)) resume(change.key);
  });
  // With new credentials, the mirrors that show drift are started by the next reconciliation.
  members.onDisconnect(cluster => addWorksOf(cluster, works, { resume, add }));
  members.onChange(({ informer }, { old, new: object }) => {
    if (object) {
      reports.wake(workKeyOf(object), queue);
      prerequisites.changed(object);
    }
    const seen = object ?? old;
    const isOwn = seen !== undefined && ownWrites.take(seen, informer);
    const key = old && workKeyOf(old);
    if (!key || !works.cached.has(key)) return;
    if (!object || (!isOwn && drifted(old, object))) add(key);
  });
}

async function reconcile(key: Key, deps: ExecutionDeps): Promise<ReconcileResult> {
  const work = deps.works.get(key);
  const mustSync = deps.queue.takeComparison(key);
  const postponed = deps.reports.of(key, work);
  const name = clusterOfExecutionNamespace(work?.metadata.namespace ?? '');
  const cluster = name === undefined ? undefined : deps.clusters.get(name);
  if (!work || name === undefined) return void deps.passingFailures.forget(key);
  if (!cluster || !deps.serves(cluster)) {
    deps.reports.drop(key); // The Work is applied again when its cluster is back.
    if (!cluster) throw new NotYet(`clusters.cluster.karmada.io "${name}" not found`);
    return;
  }
  if (work.metadata.deletionTimestamp) {
    deps.passingFailures.forget(key);
    return finalize(work, cluster, deps);
  }
  const isCurrent = postponed?.generation === work.metadata.generation && !mustSync;
  if (postponed && isCurrent) return report(work, cluster, postponed, deps);
  // A report that the next one would replace is written first: changes that follow each other cannot postpone it for ever.
  const current = postponed ? await setConditions(work, postponed.conditions, deps) : work;
  return observed(() => sync(current, cluster, deps), deps.series.synced);
}

async function sync(work: Work, cluster: Cluster, deps: ExecutionDeps): Promise<ReconcileResult> {
  if (work.spec.suspendDispatching) return void (await setConditions(work, [suspended], deps));
  const name = cluster.metadata.name ?? '';
  if (!isClusterReady(cluster)) {
    await setConditions(work, [dispatching], deps);
    throw new ReportedElsewhere(`cluster(${name}) not ready`);
  }
  const { appliedCount, failed, waits, isMemberDown, isUnchanged } = await applyManifests(work, cluster, deps);
  const wait = firstWait(waits);
  if (wait && failed.length === 0) throw wait;
  const about = `work(${keyOf(work)}) to cluster(${name})`;
  if (failed.length === 0) {
    deps.passingFailures.forget(keyOf(work));
    const message = 'Manifest has been successfully applied';
    const wanted = [dispatching, { type: 'Applied', status: 'True', reason: 'AppliedSuccessful', message }] as const;
    const postponed = deps.reports.postpone(work, wanted);
    // What is written is noticed by the change of the Work. Those that wait for the Work must find it applied.
    if (postponed) deps.prerequisites.settled(keyOf(work));
    else await setConditions(work, wanted, deps);
    if (!isUnchanged) deps.recorder.event(work, 'Normal', 'SyncSucceed', `Sync ${about} successful.`);
    return postponed;
  }
  const failures = failed.map(({ error }) => error);
  const failure = aggregateFailures(failures);
  const all = failure.message;
  const outage = isMemberDown ? memberFailure(failures, all) : undefined;
  if (deps.passingFailures.isPassing(keyOf(work), failures, isMemberDown)) {
    await setFailed(work, [dispatching], outage, deps);
    throw outage ?? new NotYet(all, Math.max(...failures.map(retryAfterMs)));
  }
  for (const { manifest, error } of failed) reportFailure(manifest, name, error, deps);
  const total = work.spec.workload?.manifests?.length ?? 0;
  const message = `Failed to apply all manifests (${appliedCount}/${total}): ${all}`;
  const applied = { type: 'Applied', status: 'False', reason: 'AppliedFailed', message } as const;
  await setFailed(work, [dispatching, applied], outage, deps);
  deps.recorder.event(work, 'Warning', 'SyncFailed', `Failed to sync ${about}, err: ${all}`);
  throw outage ?? wait ?? failure;
}

/**
 * Writes the conditions of a Work that has failed. If that fails while the member is down, it throws the outage nevertheless, which pauses the Works
 * of the member. The next attempt writes the conditions.
 */
async function setFailed(
  work: Work,
  wanted: readonly NewCondition[],
  outage: GroupFailure | undefined,
  deps: ExecutionDeps,
): Promise<void> {
  try {
    await setConditions(work, wanted, deps);
  } catch (error) {
    if (!outage) throw error;
    const message = `${outage.message}; the status of the Work cannot be written: ${errorText(error)}`;
    throw new GroupFailure(message, { isReportedElsewhere: false, retryAfterMs: outage.retryAfterMs });
  }
}

/** Deletes the Work's objects from the cluster, or releases them, and removes the finalizer of the Work. */
async function finalize(work: Work, cluster: Cluster, deps: ExecutionDeps): Promise<void> {
  deps.reports.drop(keyOf(work));
  if (!work.metadata.finalizers?.includes(finalizers.execution)) return;
  const reachable = isClusterReady(cluster);
  // An unreachable cluster that is being removed must not block its own removal.
  if (!reachable && !cluster.metadata.deletionTimestamp)
    throw new ReportedElsewhere(`cluster(${cluster.metadata.name}) not ready`);
  for (const manifest of reachable ? (work.spec.workload?.manifests ?? []) : []) {
    try {
      await removeManifest(manifest, work, cluster, deps);
    } catch (error) {
      throw (await deps.probes.isDown(cluster, error)) ? memberFailure([error], errorText(error)) : error;
    }
  }
  await removeFinalizer(deps.context.client, resources.works, work, finalizers.execution);
}

/** Deletes the object of a manifest from the cluster, or releases it. */
async function removeManifest(
  manifest: KubeObject,
  { spec }: Work,
  cluster: Cluster,
  deps: ExecutionDeps,
): Promise<void> {
  const at = await findInMember(manifest, cluster, deps.locating);
  if (at && !spec.preserveResourcesOnDeletion) await deleteManifest(manifest, at);
  else if (at && isManaged(at.observed)) await applyManifest(releasedManifest(manifest), at, deps.interpreter);
}

/** Writes a postponed report, with the statuses of the objects if they are known; waits for them until the report is due. */
async function report(
  work: Work,
  cluster: Cluster,
  postponed: PostponedReport,
  deps: ExecutionDeps,
): Promise<ReconcileResult> {
  const statuses = isClusterReady(cluster) ? await firstStatuses(work, cluster, postponed.until, deps) : [];
  if (typeof statuses === 'number') return { againAfter: statuses };
  await setConditions(work, postponed.conditions, deps, statuses);
  return undefined;
}

/** Writes the conditions, and the statuses if there are any. Returns the Work as it is then. */
async function setConditions(
  work: Work,
  wanted: readonly NewCondition[],
  deps: ExecutionDeps,
  statuses: readonly ManifestStatus[] = [],
): Promise<Work> {
  const { client, clock } = deps.context;
  deps.reports.drop(keyOf(work));
  const change = (draft: Work): void => {
    const status = (draft.status ??= {});
    status.conditions = withConditions(status.conditions, wanted, clock.now());
    if (statuses.length > 0) status.manifestStatuses = [...statuses];
  };
  const updated = await updateObject(client, resources.works, work, change, { subresource: 'status' });
  const before = findCondition(work.status?.conditions, 'Dispatching')?.status;
  const now = wanted.find(({ type }) => type === 'Dispatching');
  if (now && now.status !== before) deps.recorder.event(work, 'Normal', 'WorkDispatching', now.message);
  return updated;
}
