import type { KubeObject } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import { refuseLargeObject } from '../../apimachinery/meta/values.js';
import { findCondition, isApplied, isClusterReady } from '../../kinds/karmada/conditions.js';
import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { Cluster, Health, ManifestStatus, Work } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { ReportedElsewhere } from '../../client/runtime/controller.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { ControllerContext, EventRecorder, Key } from '../../client/runtime/interface.js';
import { createAdaptiveDelay } from '../../client/runtime/adaptive-delay.js';
import { updateObject } from '../../client/runtime/update.js';
import { workKeyOf } from './execution.js';
import { describeWork } from './describe-work.js';
import { addWorksOf, hasReturned } from './works-of-cluster.js';
import type { MemberWatch } from '../members/member-watch.js';

/**
 * Milliseconds after a Work is applied for which an empty status is not reported, since the member's controllers are about to fill it.
 * differs: Karmada reports the empty status, which is one more write for every Work.
 */
const firstStatusMs = 1000;

export interface WorkStatusOptions {
  readonly interpreter: Interpreter;
  readonly members: MemberWatch;
  readonly serves: (cluster: Cluster) => boolean;
}

/** Writes the status and health of the objects in a member into their Work's status. as pkg/controllers/status WorkStatusController */
export function startWorkStatusController(context: ControllerContext, options: WorkStatusOptions): void {
  const works = context.informers.informer<Work>(resources.works);
  const clusters = context.informers.informer<Cluster>(resources.clusters);
  const recorder = context.recorder('work-status-controller');
  const adaptiveDelay = createAdaptiveDelay();
  const { members, interpreter } = options;
  context.run({
    name: 'work-status-controller',
    workers: 16,
    synced: [works.synced, clusters.synced],
    describe: key => describeWork(key, works.get(key)),
    wire: queue => {
      const enqueue = (key: Key): void => queue.addAfter(key, adaptiveDelay());
      works.onChange(({ key, old, new: work }) => {
        if (work && isApplied(work) && !(old && isApplied(old))) enqueue(key);
      });
      // Objects may have changed while the cluster was not ready, and nothing else brings the status of their Works up to date at once.
      clusters.onChange(change => {
        if (hasReturned(change)) addWorksOf(change.key, works, queue);
      });
      members.onDisconnect(cluster => addWorksOf(cluster, works, queue));
      members.onChange((_cluster, _resource, { new: object }) => {
        const key = object && workKeyOf(object);
        if (key && works.get(key)) enqueue(key);
      });
    },
    reconcile: async key => {
      const work = works.get(key);
      if (!work || work.metadata.deletionTimestamp || !isApplied(work)) return undefined;
      const statuses = await reflectAll(work);
      if (typeof statuses === 'number') return { againAfter: statuses };
      if (statuses.length > 0) await write(work, statuses);
      return undefined;
    },
  });

  /** Returns the known statuses of the manifests, or the milliseconds after which to try again if more are expected soon. */
  async function reflectAll(work: Work): Promise<ManifestStatus[] | number> {
    const cluster = clusters.get(clusterOfExecutionNamespace(work.metadata.namespace ?? '') ?? '');
    if (!cluster || !options.serves(cluster)) return [];
    if (!isClusterReady(cluster)) throw new ReportedElsewhere(`cluster(${cluster.metadata.name}) not ready`);
    const left = appliedAt(work) + firstStatusMs - context.clock.now();
    const statuses: ManifestStatus[] = [];
    for (const [ordinal, manifest] of (work.spec.workload?.manifests ?? []).entries()) {
      const resource = await context.client.mapper.forKind(gvkOf(manifest));
      if (!resource) continue;
      const { informer } = await members.watch(cluster, resource);
      // The first list of the mirror is not awaited, since a member may never answer: each object of it wakes its Work.
      const observed = informer.get(keyOf(manifest));
      const known = work.status?.manifestStatuses?.find(status => status.identifier.ordinal === ordinal);
      const ours = observed && workKeyOf(observed) === keyOf(work);
      if (left > 0 && !known && ours && isStatusMissing(observed, interpreter)) return left;
      if (ours) statuses.push(await reflect(work, observed, ordinal, interpreter, recorder));
      else if (known) statuses.push(known);
    }
    return statuses;
  }

  async function write(work: Work, statuses: readonly ManifestStatus[]): Promise<void> {
    const change = (draft: Work): void => {
      const status = (draft.status ??= {});
      if (!deepEqual(status.manifestStatuses, statuses)) status.manifestStatuses = [...statuses];
    };
    await updateObject(context.client, resources.works, work, change, { subresource: 'status' });
  }
}

/** Reports whether the object has no status although its kind has one that the member's controllers write. */
function isStatusMissing(observed: KubeObject, interpreter: Interpreter): boolean {
  const status = observed['status'] ?? {};
  return Object.keys(status).length === 0 && interpreter.has(gvkOf(observed), 'InterpretHealth');
}

/** Returns the end of the second in which the Work was applied, in milliseconds; conditions have whole seconds. */
const appliedAt = ({ status }: Work): number =>
  Date.parse(findCondition(status?.conditions, 'Applied')?.lastTransitionTime ?? '') + 999;

async function reflect(
  work: Work,
  observed: KubeObject,
  ordinal: number,
  interpreter: Interpreter,
  recorder: EventRecorder,
): Promise<ManifestStatus> {
  const { namespace, name = '' } = observed.metadata;
  const { group, version, kind } = gvkOf(observed);
  const about = `object(${kind}/${namespace ?? ''}/${name})`;
  let status: Record<string, unknown> | undefined;
  try {
    status = await interpreter.reflectStatus(observed);
    // differs: upstream collects a status of any size. This one becomes part of the Work, the binding and the template.
    refuseLargeObject(status);
  } catch (error) {
    const text = errorText(error);
    recorder.event(work, 'Warning', 'ReflectStatusFailed', `Reflect status for ${about} failed, err: ${text}.`);
    throw error;
  }
  recorder.event(work, 'Normal', 'ReflectStatusSucceed', `Reflect status for ${about} succeed.`);
  const health = await interpretHealth(work, observed, about, interpreter, recorder);
  return {
    identifier: {
      ordinal,
      ...(group ? { group } : {}),
      version,
      kind,
      resource: '',
      ...(namespace ? { namespace } : {}),
      name,
    },
    ...(status === undefined ? {} : { status }),
    health,
  };
}

/** Returns the health of an object; Healthy for a kind without InterpretHealth. */
async function interpretHealth(
  work: Work,
  observed: KubeObject,
  about: string,
  interpreter: Interpreter,
  recorder: EventRecorder,
): Promise<Health> {
  if (!interpreter.has(gvkOf(observed), 'InterpretHealth')) return 'Healthy';
  try {
    const health = await interpreter.health(observed);
    const message = `Interpret health of ${about} as ${health === 'Healthy' ? 'healthy' : 'unhealthy'}.`;
    recorder.event(work, 'Normal', 'InterpretHealthSucceed', message);
    return health;
  } catch (error) {
    const text = errorText(error);
    recorder.event(work, 'Warning', 'InterpretHealthFailed', `Interpret health of ${about} failed, err: ${text}.`);
    return 'Unknown';
  }
}
