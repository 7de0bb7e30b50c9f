import type { Clock } from '../../lib/clock.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { Client } from '../../client/interface.js';
import { isApplied, isClusterReady } from '../../kinds/karmada/conditions.js';
import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { Cluster, ManifestStatus, Work } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { ReportedElsewhere } from '../../client/runtime/controller.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ObjectChange,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { mightContain } from '../../client/watch/cached-reader.js';
import { createAdaptiveDelay } from '../../client/runtime/adaptive-delay.js';
import { updateObject } from '../../client/runtime/update.js';
import { workKeyOf } from './apply.js';
import { describeWork } from './describe-work.js';
import { appliedAt, type Reflected, reflectWork } from './reflect-work.js';
import { addWorksOf, hasReturned, worksByCluster } from './works-of-cluster.js';
import type { MemberWatch } from '../members/member-watch.js';

const name = 'work-status-controller';

/**
 * Milliseconds after a Work is applied for which an empty status is not reported, since the member's controllers are about to fill it.
 * differs: Karmada reports the empty status, which is one more write for every Work.
 */
const firstStatusMs = 1000;

interface WorkStatusOptions {
  readonly interpreter: Interpreter;
  readonly members: MemberWatch;
  readonly serves: (cluster: Cluster) => boolean;
}

/** Reflects objects in members into the statuses of their Works. */
class WorkStatusController {
  readonly works: Informer<Work>;
  readonly #clusters: Informer<Cluster>;
  readonly #options: WorkStatusOptions;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;

  constructor({ client, clock, informers, recorder }: ControllerContext, options: WorkStatusOptions) {
    this.works = informers.informer<Work>(resources.works);
    this.#clusters = informers.informer<Cluster>(resources.clusters);
    this.#options = options;
    this.#client = client;
    this.#clock = clock;
    this.#recorder = recorder(name);
  }

  get synced(): readonly Promise<void>[] {
    return [this.works.synced, this.#clusters.synced];
  }

  wire(queue: WorkQueue): void {
    const { members } = this.#options;
    const adaptiveDelay = createAdaptiveDelay();
    this.works.onChange(change => {
      if (becameApplied(change)) queue.addAfter(change.key, adaptiveDelay());
    });
    members.onChange((_mirror, { new: object }) => {
      const key = object && workKeyOf(object);
      const work = key && this.works.get(key);
      // A Work is woken again when the mirror shows that it is applied.
      if (work && isApplied(work)) queue.addAfter(key, adaptiveDelay());
    });
    // Objects may have changed while the cluster was not ready, and nothing else brings the status of their Works up to date at once.
    this.#clusters.onChange(change => {
      if (hasReturned(change)) addWorksOf(change.key, this.works, queue);
    });
    members.onDisconnect(cluster => addWorksOf(cluster, this.works, queue));
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const work = this.works.get(key);
    if (!work || work.metadata.deletionTimestamp || !isApplied(work)) return undefined;
    const reflected = await this.#reflectAll(work);
    if (typeof reflected === 'number') return { againAfter: reflected };
    const { statuses, failure } = reflected;
    if (statuses.length > 0) await this.#write(work, statuses);
    if (failure) throw failure;
    return undefined;
  }

  /** Returns the known statuses of the manifests, or the milliseconds after which to try again if more are expected soon. */
  async #reflectAll(work: Work): Promise<Reflected | number> {
    const { interpreter, members, serves } = this.#options;
    const cluster = this.#clusters.get(clusterOfExecutionNamespace(work.metadata.namespace ?? '') ?? '');
    if (!cluster || !serves(cluster)) return { statuses: [], failure: undefined };
    if (!isClusterReady(cluster)) throw new ReportedElsewhere(`cluster(${cluster.metadata.name}) not ready`);
    const leftMs = appliedAt(work) + firstStatusMs - this.#clock.now();
    const deps = { client: this.#client, clock: this.#clock, members, interpreter, recorder: this.#recorder };
    return reflectWork(work, cluster, { leftMs, what: 'status' }, deps);
  }

  async #write(work: Work, statuses: readonly ManifestStatus[]): Promise<void> {
    const change = (draft: Work): void => {
      const status = (draft.status ??= {});
      if (!deepEqual(status.manifestStatuses, statuses)) status.manifestStatuses = [...statuses];
    };
    await updateObject(this.#client, resources.works, work, change, { subresource: 'status' });
  }
}

/** A condition of a Work contains its type. */
const appliedProbe = { text: 'Applied' };

/** hot: at the start once per Work. Reports whether a Work was applied, or may have been before it was seen first, which is known without parsing it. */
function becameApplied(change: ObjectChange<Work>): boolean {
  const { oldCached, newCached } = change;
  if (!newCached || !mightContain(newCached, appliedProbe)) return false;
  return !oldCached || (isApplied(newCached.object) && !isApplied(oldCached.object));
}

/** Writes the status and health of the objects in a member into their Work's status. as pkg/controllers/status WorkStatusController */
export function startWorkStatusController(context: ControllerContext, options: WorkStatusOptions): void {
  const controller = new WorkStatusController(context, options);
  context.run({
    name,
    workers: 16,
    groups: worksByCluster,
    synced: controller.synced,
    describe: key => describeWork(key, controller.works.get(key)),
    wire: queue => controller.wire(queue),
    reconcile: key => controller.reconcile(key),
  });
}
