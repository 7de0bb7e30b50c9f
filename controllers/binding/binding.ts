import { yieldToEventLoop } from '../../lib/time-slice.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { Binding, Cluster, TargetCluster, Work } from '../../api/karmada/types.js';
import { isWorkload } from '../../kinds/karmada/workload.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { BoundaryError } from '../override/boundary.js';
import { isSameTarget } from '../override/cluster-targets.js';
import { overrideEvents } from '../override/events.js';
import type { ApplyOverrides, Overridden } from '../override/interface.js';
import { MirroredOverrides } from '../override/mirrored-overrides.js';
import { templateKey, type Templates } from '../policy/templates.js';
import { aggregateFailures, isPassing } from '../../client/runtime/failures.js';
import { wakeOnGeneration } from '../../client/runtime/generation.js';
import { NotYet } from '../../client/runtime/controller.js';
import { keyOf, objectKey } from '../../client/key.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ReconcileResult,
} from '../../client/runtime/interface.js';
import { observed } from '../../client/runtime/meter.js';
import { find } from '../../client/find.js';
import { removeFinalizer } from '../../client/runtime/update.js';
import { AwaitedTargets } from './awaited-targets.js';
import { divideCompletions, withCompletions } from './job-completions.js';
import { type RefusedOverride, putOverrideCondition } from './override-condition.js';
import { writeWork } from '../work/write-work.js';
import { type WorkSeries, workSeries } from '../work/work-series.js';
import { existingClusters, purgedClusters, renderWork, targetClusters } from './render.js';
import { bindingIndexers, wakeOnOverrides } from './wake-on-overrides.js';
import { bindingId, bindingOfWork, workIndexers, worksOf } from './works-of-binding.js';

interface BindingOptions {
  readonly templates: Templates;
  readonly interpreter: Interpreter;
  readonly applyOverrides: ApplyOverrides;
  /** The preserved state of an application is injected into the cluster that it fails over to (gate StatefulFailoverInjection). */
  readonly injectsState: boolean;
  /** Returns the milliseconds for which the scheduler is waited for when the replicas of a binding have changed. By default it depends on the load. */
  readonly awaitTargetsMs?: () => number;
}

interface BindingDeps extends BindingOptions {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  readonly works: Informer<Work>;
  readonly clusters: Informer<Cluster>;
  readonly policies: MirroredOverrides;
  readonly series: WorkSeries;
  readonly awaited: AwaitedTargets;
  /** Bindings that wait until a Work is gone before they can write a new one. */
  readonly blocked: Set<Key>;
  /** Bindings whose last failure to write Works has an Event. */
  readonly failing: Set<Key>;
}

const directPurgeRetryMs = 5_000;

/** Keeps one Work per target cluster for every ResourceBinding and ClusterResourceBinding. */
export function startBindingControllers(context: ControllerContext, options: BindingOptions): void {
  const { informers } = context;
  const works = informers.informer<Work>(resources.works, { indexers: workIndexers });
  const clusters = informers.informer<Cluster>(resources.clusters);
  const policies = new MirroredOverrides(informers);
  const { overrides, clusterOverrides } = policies;
  for (const [name, resource] of [
    ['binding-controller', resources.resourceBindings],
    ['cluster-resource-binding-controller', resources.clusterResourceBindings],
  ] as const) {
    const bindings = informers.informer<Binding>(resource, { indexers: bindingIndexers });
    const deps = {
      ...options,
      context,
      recorder: context.recorder(name),
      works,
      clusters,
      policies,
      series: workSeries(context.meter),
      awaited: new AwaitedTargets(context.clock, options.awaitTargetsMs),
      blocked: new Set<Key>(),
      failing: new Set<Key>(),
    };
    context.run({
      name,
      synced: [works, clusters, overrides, clusterOverrides, bindings].map(({ synced }) => synced),
      wire: queue => {
        wakeOnGeneration(queue, bindings);
        bindings.onChange(change => {
          if (deps.awaited.hasArrived(change)) queue.add(change.key);
        });
        works.onChange(change => {
          const binding = !change.newCached && change.old ? bindingOfWork(change.old, bindings) : undefined;
          if (binding && isWaitingForWorks(binding, deps)) queue.add(keyOf(binding));
        });
        const { templates } = options;
        wakeOnOverrides(queue, { bindings, works, clusters, policies, templates });
      },
      reconcile: async key => {
        const binding = bindings.get(key);
        deps.blocked.delete(key);
        if (!binding) {
          deps.failing.delete(key);
          return deps.awaited.forget(key);
        }
        return reconcileBinding(binding, deps);
      },
    });
  }
}

/**
 * Reports whether the binding waits until a Work is gone. The deletion of any other Work by a client does not write the Work again before the binding
 * changes, as in Karmada: `karmadactl unregister` deletes the Works of a cluster, and waits until there are none.
 */
const isWaitingForWorks = (binding: Binding, { blocked }: BindingDeps): boolean =>
  binding.metadata.deletionTimestamp !== undefined || blocked.has(keyOf(binding));

async function reconcileBinding(binding: Binding, deps: BindingDeps): Promise<ReconcileResult> {
  const works = worksOf(binding, deps.works);
  if (binding.metadata.deletionTimestamp) return finalizeBinding(binding, works, deps);
  if (!bindingId(binding)) return undefined; // The binding has not passed admission yet.
  const existing = existingClusters(binding.spec);
  const surplus = works.filter(work => !existing.has(clusterOf(work)));
  await deleteWorks(surplus, binding, deps);
  const purged = purgedClusters(binding.spec);
  if (works.some(work => purged.has(clusterOf(work)))) {
    deps.blocked.add(keyOf(binding));
    return { againAfter: directPurgeRetryMs };
  }
  const leftMs = deps.awaited.leftMs(binding);
  if (leftMs > 0) return { againAfter: leftMs };
  const template = await fetchTemplate(binding, deps);
  if (!template) return undefined; // The template is gone, and its binding is deleted with it.
  try {
    const { isStale, isUnchanged } = await observed(() => ensureWorks(binding, template, deps), deps.series.bound);
    if (isStale) return { againAfter: 0 };
    const hasFailed = deps.failing.delete(keyOf(binding));
    // differs: Karmada records the Events of every reconciliation. After a restart, these are two for every binding.
    if (isUnchanged && surplus.length === 0 && !hasFailed && isFullyApplied(binding)) return undefined;
  } catch (error) {
    const text = errorText(error);
    if (!isPassing(error)) {
      deps.failing.add(keyOf(binding));
      for (const about of [binding, template]) deps.recorder.event(about, 'Warning', 'SyncWorkFailed', text);
    }
    throw error;
  }
  const { namespace, name } = binding.metadata;
  const message = `Sync work of ${binding.kind}(${namespace ? `${namespace}/` : ''}${name}) successful.`;
  for (const about of [binding, template]) deps.recorder.event(about, 'Normal', 'SyncWorkSucceed', message);
  return undefined;
}

/** Reports whether the Works of a binding were written before, and applied. */
const isFullyApplied = ({ status }: Binding): boolean => isConditionTrue(status?.conditions, 'FullyApplied');

const clusterOf = (work: Work): string => clusterOfExecutionNamespace(work.metadata.namespace ?? '') ?? '';

/** Deletes the Works of the binding, and removes the finalizer once all of them are gone. */
async function finalizeBinding(binding: Binding, works: readonly Work[], deps: BindingDeps): Promise<void> {
  if (works.length > 0) return deleteWorks(works, binding, deps);
  const namespaced = binding.metadata.namespace !== undefined;
  const resource = namespaced ? resources.resourceBindings : resources.clusterResourceBindings;
  await removeFinalizer(
    deps.context.client,
    resource,
    binding,
    namespaced ? finalizers.binding : finalizers.clusterBinding,
  );
}

async function deleteWorks(works: readonly Work[], binding: Binding, deps: BindingDeps): Promise<void> {
  for (const work of works) {
    if (work.metadata.deletionTimestamp) continue;
    try {
      await deps.context.client.delete(resources.works, objectKey(work));
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) continue;
      deps.recorder.event(binding, 'Warning', 'CleanupWorkFailed', errorText(error));
      throw error;
    }
  }
}

async function fetchTemplate({ spec: { resource } }: Binding, deps: BindingDeps): Promise<KubeObject | undefined> {
  const source = deps.templates.source(resource.apiVersion, resource.kind);
  if (!source) return undefined;
  const { namespace = '', name } = resource;
  // A cluster-scoped kind has no objects in a namespace, whatever the binding says.
  if (source.resource.namespaced !== (namespace !== '')) return undefined;
  return deps.templates.get(templateKey(resource)) ?? find(deps.context.client, source.resource, { namespace, name });
}

interface Ensured {
  /** A cluster that a Work was rendered for has changed meanwhile, so that other rules of overrides may be for it. */
  readonly isStale: boolean;
  /** There are Works, and all of them were there before. */
  readonly isUnchanged: boolean;
}

/** Writes the Works of all clusters. The failure of one does not stop the others; throws all failures as one error. */
async function ensureWorks(binding: Binding, template: KubeObject, deps: BindingDeps): Promise<Ensured> {
  const targets = targetClusters(binding.spec);
  const completions = divideCompletions(template, binding.spec, targets);
  const failures: unknown[] = [];
  let isStale = false;
  let isUnchanged = targets.length > 0;
  const crossings: RefusedOverride[] = [];
  const write = async (target: TargetCluster): Promise<void> => {
    try {
      const cluster = deps.clusters.get(target.name);
      if (!cluster) throw new ExpectedError(`clusters.cluster.karmada.io "${target.name}" not found`);
      // A cluster that is being removed gets no new Works.
      if (cluster.metadata.deletionTimestamp) return;
      const revised = await revise(template, binding, target, deps.interpreter);
      await yieldToEventLoop();
      const manifest = withCompletions(revised, completions?.get(target.name));
      const rendered = await deps.applyOverrides(
        manifest,
        cluster,
        deps.policies,
        overrideEvents(deps.recorder, { template, binding }, target.name),
      );
      await yieldToEventLoop();
      const injected = deps.injectsState ? preserve(rendered, binding, target, targets.length) : rendered;
      const work = renderWork(binding, injected, target.name);
      await yieldToEventLoop();
      const outcome = await writeWork(work, deps.context.client, deps.works);
      isUnchanged &&= outcome === 'unchanged';
      const current = deps.clusters.get(target.name);
      if (current && current !== cluster && !isSameTarget(cluster, current)) isStale = true;
    } catch (error) {
      failures.push(error);
      if (error instanceof NotYet) deps.blocked.add(keyOf(binding));
      if (error instanceof BoundaryError) crossings.push({ cluster: target.name, text: error.message });
    }
  };
  const writes: Promise<void>[] = [];
  for (const target of targets) {
    writes.push(write(target));
    // Each write copies the template, which may be large.
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
  await Promise.all(writes);
  await putOverrideCondition(binding, crossings, deps.context);
  if (failures.length > 0) throw aggregateFailures(failures);
  return { isStale, isUnchanged };
}

/** Returns the manifest with the replicas that the scheduler assigned, also for duplicated scheduling. */
async function revise(
  template: KubeObject,
  binding: Binding,
  target: TargetCluster,
  interpreter: Interpreter,
): Promise<KubeObject> {
  if (!isWorkload(binding.spec) || !interpreter.has(gvkOf(template), 'ReviseReplica')) return template;
  return interpreter.reviseReplica(template, target.replicas ?? 0);
}

/** Adds the preserved state as labels for the one cluster that an application has failed over to. */
function preserve(rendered: Overridden, { spec }: Binding, target: TargetCluster, targets: number): Overridden {
  const task = spec.gracefulEvictionTasks?.at(-1);
  if (targets !== 1 || task?.purgeMode !== 'Directly' || !task.preservedLabelState) return rendered;
  if (task.clustersBeforeFailover?.includes(target.name)) return rendered;
  const { metadata } = rendered.object;
  const labels = { ...metadata.labels, ...task.preservedLabelState };
  return { ...rendered, object: { ...rendered.object, metadata: { ...metadata, labels } } };
}
