import { errorText } from '../../apimachinery/errors/error-text.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import { refuseLargeObject } from '../../apimachinery/meta/values.js';
import type { Cluster, Health, ManifestStatus, Work } from '../../api/karmada/types.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { Clock } from '../../lib/clock.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { keyOf } from '../../client/key.js';
import { aggregateFailures, isPassing } from '../../client/runtime/failures.js';
import type { EventRecorder } from '../../client/runtime/interface.js';
import type { Interpreter } from '../interpreter/interface.js';
import { workKeyOf } from './apply.js';
import { type MirrorDeps, mirrorOf } from './locate.js';

interface ReflectDeps extends MirrorDeps {
  readonly clock: Clock;
  readonly interpreter: Interpreter;
  readonly recorder: EventRecorder;
}

/** What is awaited before an object is reported for the first time. */
interface AwaitedReport {
  /** Milliseconds that are left; nothing is awaited if they are not positive. */
  readonly leftMs: number;
  /** What is awaited: any status of the object, or that the mirror shows the object and that it is healthy. */
  readonly what: 'status' | 'health';
}

export interface Reflected {
  readonly statuses: readonly ManifestStatus[];
  /** Why the statuses of other manifests are not known, or are those that the Work has. */
  readonly failure: Error | undefined;
}

/**
 * Returns the known statuses of the manifests, from the mirrors of the member; the milliseconds after which to try again if more are expected
 * soon. A status that cannot be interpreted does not stop the others.
 */
export async function reflectWork(
  work: Work,
  cluster: Cluster,
  { leftMs, what }: AwaitedReport,
  deps: ReflectDeps,
): Promise<Reflected | number> {
  const statuses: ManifestStatus[] = [];
  const failures: unknown[] = [];
  for (const [ordinal, manifest] of (work.spec.workload?.manifests ?? []).entries()) {
    const mirror = await mirrorOf(manifest, cluster, deps);
    if (!mirror) continue;
    // The first list of the mirror is not awaited, since a member may never answer: each object of it wakes its Work.
    const observed = mirror.informer.get(keyOf(manifest));
    const known = work.status?.manifestStatuses?.find(status => status.identifier.ordinal === ordinal);
    const ours = observed && workKeyOf(observed) === keyOf(work);
    const awaits = leftMs > 0 && !known && !mirror.informer.hasFailed;
    if (awaits && (ours ? isStatusMissing(observed, deps.interpreter) : what === 'health')) return leftMs;
    let status = known;
    try {
      if (ours) status = await reflect(work, observed, { ordinal, known }, deps);
    } catch (error) {
      failures.push(error);
    }
    if (awaits && what === 'health' && status?.health === 'Unhealthy') return leftMs;
    if (status) statuses.push(status);
  }
  return { statuses, failure: failures.length > 0 ? aggregateFailures(failures) : undefined };
}

/** Reports whether the object has no status although its kind has one that the member's controllers write. */
function isStatusMissing(observed: KubeObject, interpreter: Interpreter): boolean {
  const status = observed['status'] ?? {};
  return Object.keys(status).length === 0 && interpreter.has(gvkOf(observed), 'InterpretHealth');
}

/** Milliseconds after a Work was applied from which on its status was reported, with Events, if it is the same. */
const reportedMs = 60_000;

interface Place {
  /** The position of the manifest in the Work. */
  readonly ordinal: number;
  /** The status that the Work has. */
  readonly known: ManifestStatus | undefined;
}

/** Returns the status and health of an object, and records Events about them. */
// differs: Karmada records the Events whenever it looks at the object, also if nothing has changed. After a restart these are two for every Work.
async function reflect(
  work: Work,
  observed: KubeObject,
  { ordinal, known }: Place,
  deps: ReflectDeps,
): Promise<ManifestStatus> {
  const { interpreter, recorder, clock } = deps;
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
    if (!isPassing(error))
      recorder.event(work, 'Warning', 'ReflectStatusFailed', `Reflect status for ${about} failed, err: ${text}.`);
    throw error;
  }
  const isSame = known !== undefined && deepEqual(status, known.status);
  const isReported = isSame && clock.now() - appliedAt(work) > reportedMs;
  if (!isReported) recorder.event(work, 'Normal', 'ReflectStatusSucceed', `Reflect status for ${about} succeed.`);
  const health = await interpretHealth(work, observed, about, isReported ? known?.health : undefined, deps);
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

/** Returns the end of the second in which the Work was applied, in milliseconds; conditions have whole seconds. */
export const appliedAt = ({ status }: Work): number =>
  Date.parse(findCondition(status?.conditions, 'Applied')?.lastTransitionTime ?? '') + 999;

/** Returns the health of an object; Healthy for a kind without InterpretHealth. `reported` is the health of which there is an Event. */
async function interpretHealth(
  work: Work,
  observed: KubeObject,
  about: string,
  reported: Health | undefined,
  { interpreter, recorder }: ReflectDeps,
): Promise<Health> {
  if (!interpreter.has(gvkOf(observed), 'InterpretHealth')) return 'Healthy';
  try {
    const health = await interpreter.health(observed);
    const message = `Interpret health of ${about} as ${health === 'Healthy' ? 'healthy' : 'unhealthy'}.`;
    if (health !== reported) recorder.event(work, 'Normal', 'InterpretHealthSucceed', message);
    return health;
  } catch (error) {
    if (isPassing(error)) throw error; // The health is not known yet, and the Work keeps what it has.
    const text = errorText(error);
    recorder.event(work, 'Warning', 'InterpretHealthFailed', `Interpret health of ${about} failed, err: ${text}.`);
    return 'Unknown';
  }
}
