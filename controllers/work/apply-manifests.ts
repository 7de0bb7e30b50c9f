import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { isApplied } from '../../kinds/karmada/conditions.js';
import type { Cluster, Work } from '../../api/karmada/types.js';
import { annotations } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { keyOf } from '../../client/key.js';
import { NotYet } from '../../client/runtime/controller.js';
import type { ControllerContext, EventRecorder, Key } from '../../client/runtime/interface.js';
import { type AppliedObject, applyManifest, type MemberObject } from './apply.js';
import type { MemberProbes } from '../members/member-probes.js';
import type { EarlyWorks } from './early-works.js';
import { type LocateDeps, findInMirror } from './locate.js';
import type { MemberWrites } from './own-writes.js';
import type { Prerequisites } from './prerequisites.js';

/** What the manifests of a Work need to be applied. */
export interface ManifestDeps {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  readonly interpreter: Interpreter;
  readonly ownWrites: MemberWrites;
  readonly earlyWorks: EarlyWorks;
  readonly probes: MemberProbes;
  readonly locating: LocateDeps;
  readonly prerequisites: Prerequisites;
  /** Adds a Work whose manifests must be compared with the member. */
  readonly compare: (work: Key) => void;
}

interface Applied {
  readonly appliedCount: number;
  readonly failed: readonly { readonly manifest: KubeObject; readonly error: unknown }[];
  /** What other manifests wait for. */
  readonly waits: readonly NotYet[];
  readonly isMemberDown: boolean;
  /** The Work was applied before, and the member has all of its objects. */
  readonly isUnchanged: boolean;
}

/**
 * Applies the manifests of a Work, until the member is down: each further one would take as long as the timeout of a request. A manifest that waits
 * does not stop the others.
 */
export async function applyManifests(work: Work, cluster: Cluster, deps: ManifestDeps): Promise<Applied> {
  const failed: { manifest: KubeObject; error: unknown }[] = [];
  const waits: NotYet[] = [];
  let appliedCount = 0;
  let isUnchanged = isApplied(work);
  for (const manifest of work.spec.workload?.manifests ?? []) {
    try {
      const outcome = await syncManifest(manifest, work, cluster, deps);
      isUnchanged &&= outcome === 'unchanged';
      appliedCount++;
    } catch (error) {
      if (deps.context.signal.aborted) throw error;
      const wait = waitOf(error, manifest, work, deps);
      if (wait) waits.push(wait);
      else failed.push({ manifest, error });
      if (!wait && (await deps.probes.isDown(cluster, error)))
        return { appliedCount, failed, waits, isMemberDown: true, isUnchanged };
    }
  }
  return { appliedCount, failed, waits, isMemberDown: false, isUnchanged };
}

/** Returns the error of a manifest as a wait; undefined if it is a failure. */
function waitOf(error: unknown, manifest: KubeObject, work: Work, { prerequisites }: ManifestDeps): NotYet | undefined {
  if (error instanceof NotYet) return error;
  const retryMs = prerequisites.retryMs(error, manifest, work);
  return retryMs === undefined ? undefined : new NotYet(errorText(error), retryMs);
}

/** Applies a manifest. An Event is recorded unless the Work was applied before and nothing has changed. */
// differs: Karmada records the Events of every reconciliation. After a restart, or when a cluster is ready again, these are some for every Work.
async function syncManifest(
  manifest: KubeObject,
  work: Work,
  cluster: Cluster,
  deps: ManifestDeps,
): Promise<AppliedObject['outcome']> {
  await deps.prerequisites.requireKind(manifest, work, cluster);
  const name = cluster.metadata.name ?? '';
  const { namespace = '' } = manifest.metadata;
  const at = await findInMirror(manifest, cluster, deps.locating);
  if (!at) throw new ExpectedError(`no matches for kind "${manifest.kind}" in version "${manifest.apiVersion}"`);
  if (at.mirror) deps.earlyWorks.add(keyOf(work), at.mirror);
  if (!at.observed) deps.prerequisites.requireNamespace(manifest, work);
  const { object, outcome } = await writeManifest(manifest, at, deps);
  if (deps.ownWrites.add(object, at.mirror, manifest)) deps.compare(keyOf(work));
  if (isApplied(work) && outcome === 'unchanged') return outcome;
  const message = `Successfully applied resource(${namespace}/${manifest.metadata.name}) to cluster ${name}`;
  deps.recorder.event(templateOf(manifest), 'Normal', 'SyncSucceed', message);
  return outcome;
}

/** Applies a manifest while the events of its object are held. */
async function writeManifest(manifest: KubeObject, at: MemberObject, deps: ManifestDeps): Promise<AppliedObject> {
  deps.ownWrites.begin(manifest, at.mirror);
  try {
    return await applyManifest(manifest, at, deps.interpreter);
  } catch (error) {
    deps.ownWrites.failed(manifest, at.mirror);
    throw error;
  }
}

/** Records an Event about the template of a manifest that could not be applied. */
export function reportFailure(manifest: KubeObject, cluster: string, error: unknown, { recorder }: ManifestDeps): void {
  const message = `Failed to create or update resource(${keyOf(manifest)}) in member cluster(${cluster}): ${errorText(error)}`;
  recorder.event(templateOf(manifest), 'Warning', 'SyncFailed', message);
}

/** Returns a reference to the template of a manifest, for events. */
function templateOf(manifest: KubeObject): KubeObject {
  const uid = manifest.metadata.annotations?.[annotations.templateUid];
  const { namespace, name = '' } = manifest.metadata;
  const metadata = { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) };
  return { apiVersion: manifest.apiVersion, kind: manifest.kind, metadata };
}
