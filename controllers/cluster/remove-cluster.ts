/** Removes a cluster in order: first its execution namespace, then the bindings that target it, then the Cluster itself. */
import type { Clock } from '../../lib/clock.js';
import { FailureStates } from '../../lib/logging/failure-state.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';
import { executionNamespace } from '../../api/karmada/names.js';
import type { Binding, Cluster, Work } from '../../api/karmada/types.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import { namespaces } from '../../api/kubernetes/resources.js';
import { NotYet } from '../../client/runtime/controller.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, EventRecorder, Informer, ReconcileResult } from '../../client/runtime/interface.js';
import { removeFinalizer } from '../../client/runtime/update.js';
import { walk } from '../../client/runtime/mirrors/walk.js';
import { bindingsText, worksText } from './removal-text.js';

const checkAgainMs = 10_000;
/** Milliseconds after which a waiting removal is logged. */
const slowRemovalMs = 30_000;
/** Milliseconds after which the same Event is written again. Events expire after an hour. */
const eventAgainMs = 30 * 60_000;
export interface ClusterDeps {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  readonly works: Informer<Work>;
  readonly bindings: readonly Informer<Binding>[];
  readonly spaces: Informer;
  readonly waits: RemovalWaits;
}

/** Reports what the removal of a cluster waits for: an Event at once, at every change and every half hour, a line of the log if it takes long. */
export class RemovalWaits {
  readonly #reported = new Map<string, { readonly what: string; readonly at: number }>();
  readonly #clock: Clock;
  readonly #failureStates: FailureStates;

  constructor({ log, clock }: Pick<ControllerContext, 'log' | 'clock'>) {
    this.#clock = clock;
    this.#failureStates = new FailureStates({
      ...{ log, now: () => clock.now(), graceMs: slowRemovalMs },
      fails: 'a cluster that is to be removed waits',
      works: 'a cluster that was to be removed waits no longer',
    });
  }

  wait(cluster: Cluster, what: string, recorder: EventRecorder): void {
    const name = keyOf(cluster);
    this.#failureStates.failed(name, new NotYet(what), { cluster: name });
    const at = this.#clock.now();
    const reported = this.#reported.get(name);
    if (reported?.what === what && at - reported.at < eventAgainMs) return;
    this.#reported.set(name, { what, at });
    recorder.event(cluster, 'Normal', 'RemoveClusterWaiting', `The removal of cluster(${name}) waits for ${what}`);
  }

  done(cluster: string): void {
    this.#reported.delete(cluster);
    this.#failureStates.worked(cluster);
  }
}

/** Takes the next steps of a removal. Resolves with the time to look again if something is left: what is waited for is in an Event. */
export async function removeCluster(cluster: Cluster, deps: ClusterDeps): Promise<ReconcileResult> {
  const { client } = deps.context;
  const name = keyOf(cluster);
  const space = executionNamespace(name);
  // An agent that is gone cannot delete what it applied.
  if (cluster.spec.syncMode === 'Pull' && !isClusterReady(cluster))
    for await (const work of walk(deps.works, deps.works.keysIn(space)))
      await removeFinalizer(client, resources.works, work, finalizers.execution);
  if (deps.spaces.get(space)) {
    await deleteSpace(cluster, space, deps);
    const works = deps.works.keysIn(space);
    const left = works.size === 0 ? `the deletion of namespace ${space}` : worksText(works, space);
    deps.waits.wait(cluster, left, deps.recorder);
    return { againAfter: checkAgainMs };
  }
  const left = await bindingsText(name, deps.bindings);
  if (left !== undefined) {
    deps.waits.wait(cluster, left, deps.recorder);
    return { againAfter: checkAgainMs };
  }
  const message = `Removed execution space for cluster(${name}).`;
  deps.recorder.event(cluster, 'Normal', 'RemoveExecutionSpaceSucceed', message);
  await removeFinalizer(client, resources.clusters, cluster, finalizers.cluster);
  deps.waits.done(name);
  return undefined;
}

async function deleteSpace(cluster: Cluster, space: string, deps: ClusterDeps): Promise<void> {
  if (deps.spaces.get(space)?.metadata.deletionTimestamp) return;
  try {
    await deps.context.client.delete(namespaces, { name: space });
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return;
    deps.recorder.event(cluster, 'Warning', 'RemoveExecutionSpaceFailed', errorText(error));
    throw error;
  }
}
