import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../openapi/gen/apps-v1.js';
import type { Client } from '../../client/interface.js';
import type { Clock } from '../../lib/clock.js';
import { cloneJson } from '../../lib/json/clone.js';
import { controllerOf, controllerReference, isControlledBy } from '../../apimachinery/meta/owner.js';
import { createExpectations, type Expectations } from '../../client/runtime/expectations.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { deployments, pods as podResource, replicaSets } from '../../api/kubernetes/resources.js';
import type { Pod } from '../pods/state.js';
import { templateHash } from '../pods/template.js';
import { ownerKey } from '../pods/owner-key.js';
import { recreateStep, rollingStep, type ReplicaSetState } from './rollout.js';
import { lastAppliedAnnotation } from '../../apimachinery/patch/last-applied.js';
import { revisionAnnotation } from '../../api/kubernetes/well-known.js';

const hashLabel = 'pod-template-hash';
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxAnnotation = 'deployment.kubernetes.io/max-replicas';

const defaultHistory = 10;

/** Rolls Deployments out over ReplicaSets, one for each version of the Pod template. */
class DeploymentController {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #deployments: Informer<Deployment>;
  readonly #sets: Informer<ReplicaSet>;
  readonly #pods: Informer<Pod>;
  readonly #expectations: Expectations;

  constructor({ client, clock, informers }: ControllerContext) {
    this.#client = client;
    this.#clock = clock;
    this.#deployments = informers.informer<Deployment>(deployments);
    this.#sets = informers.informer<ReplicaSet>(replicaSets, {
      indexers: { controller: set => [controllerOf(set)?.uid ?? ''] },
    });
    this.#pods = informers.informer<Pod>(podResource, {
      indexers: { controller: pod => [controllerOf(pod)?.uid ?? ''] },
    });
    this.#expectations = createExpectations(this.#sets, clock);
  }

  get synced(): readonly Promise<void>[] {
    return [this.#deployments.synced, this.#sets.synced, this.#pods.synced];
  }

  wire(queue: WorkQueue): void {
    this.#deployments.onChange(({ new: deployment }) => deployment && queue.add(keyOf(deployment)));
    this.#sets.onChange(({ old, new: now }) => {
      const key = ownerKey(now ?? old, 'Deployment');
      if (key !== undefined) queue.add(key);
    });
    this.#pods.onChange(({ old, new: now }) => {
      const set = now ? undefined : ownerKey(old, 'ReplicaSet');
      const key = set === undefined ? undefined : ownerKey(this.#sets.get(set), 'Deployment');
      if (key !== undefined) queue.add(key);
    });
  }

  async reconcile(key: Key): Promise<void> {
    const deployment = this.#deployments.get(key);
    if (!deployment || !this.#expectations.fulfilled(key)) return;
    const versions = this.#versionsOf(deployment);
    const hash = templateHash(deployment.spec?.template ?? {}, deployment.status?.collisionCount);
    const latest = versions.find(set => set.metadata.labels?.[hashLabel] === hash);
    const older = versions.filter(set => set !== latest);
    const revision = revisionOf(latest) > highest(older) ? revisionOf(latest) : highest(older) + 1;
    if (!deployment.metadata.deletionTimestamp && !deployment.spec?.paused) {
      if (!latest) await this.#createSet(deployment, hash, revision, older);
      else if (revisionOf(latest) !== revision) await this.#markRevision(latest, revision);
      else await this.#rollOut(deployment, latest, older);
      await this.#forget(deployment, older);
    }
    // Until the new ReplicaSet has been observed there is no status to write; its status update requeues the Deployment.
    if (!latest || latest.status?.observedGeneration !== latest.metadata.generation) return;
    const now = timestamp(this.#clock.now());
    // A status update may contain annotations, which do not change the generation. as pkg/controller/deployment getNewReplicaSet
    await updateObject(
      this.#client,
      deployments,
      deployment,
      draft => {
        const annotations = { ...draft.metadata.annotations, [revisionAnnotation]: String(revision) };
        draft.metadata = { ...draft.metadata, annotations };
        draft.status = statusOf(draft, latest, older, now);
      },
      { subresource: 'status' },
    );
  }

  #versionsOf(deployment: Deployment): ReplicaSet[] {
    return this.#sets
      .byIndex('controller', deployment.metadata.uid ?? '')
      .filter(set => isControlledBy(set, deployment.metadata.uid));
  }

  /** Creates the ReplicaSet of a version with the replicas of its first step. as pkg/controller/deployment getNewReplicaSet */
  async #createSet(
    deployment: Deployment,
    hash: string,
    revision: number,
    older: readonly ReplicaSet[],
  ): Promise<void> {
    const name = `${deployment.metadata.name}-${hash}`;
    const replicas = this.#nextReplicas(deployment, { name, replicas: 0, available: 0 }, older).get(name) ?? 0;
    const set = replicaSetOf(deployment, { name, hash, revision, replicas });
    await this.#client.create(replicaSets, set);
    this.#expectations.created(keyOf(deployment), keyOf(set));
  }

  #markRevision(set: ReplicaSet, revision: number): Promise<ReplicaSet> {
    return updateObject(this.#client, replicaSets, set, draft => {
      (draft.metadata.annotations ??= {})[revisionAnnotation] = String(revision);
    });
  }

  /** Returns the number of existing Pods of older versions, for which a Recreate waits. */
  #running(older: readonly ReplicaSet[]): number {
    return older.reduce((sum, set) => sum + this.#pods.byIndex('controller', set.metadata.uid ?? '').length, 0);
  }

  /** Returns the replicas of the next step by the name of the ReplicaSet. */
  #nextReplicas(
    { spec }: Deployment,
    latest: ReplicaSetState,
    older: readonly ReplicaSet[],
  ): ReadonlyMap<string, number> {
    const desired = spec?.replicas ?? 1;
    const { type, rollingUpdate } = spec?.strategy ?? {};
    return type === 'Recreate'
      ? recreateStep(desired, latest, older.map(stateOf), this.#running(older))
      : rollingStep(desired, latest, older.map(stateOf), rollingUpdate);
  }

  async #rollOut(deployment: Deployment, latest: ReplicaSet, older: readonly ReplicaSet[]): Promise<void> {
    const desired = deployment.spec?.replicas ?? 1;
    const next = this.#nextReplicas(deployment, stateOf(latest), older);
    for (const set of [latest, ...older]) {
      const replicas = next.get(set.metadata.name ?? '');
      if (replicas === undefined) continue;
      await updateObject(this.#client, replicaSets, set, draft => {
        if (draft.spec) draft.spec.replicas = replicas;
        (draft.metadata.annotations ??= {})[desiredAnnotation] = String(desired);
      });
    }
  }

  /** Deletes old versions without replicas beyond the history limit, the oldest first. */
  async #forget(deployment: Deployment, older: readonly ReplicaSet[]): Promise<void> {
    const limit = deployment.spec?.revisionHistoryLimit ?? defaultHistory;
    const idle = older.filter(
      set => set.spec?.replicas === 0 && !set.status?.replicas && !set.metadata.deletionTimestamp,
    );
    const superfluous = idle.sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(0, idle.length - limit));
    for (const { metadata } of superfluous)
      await this.#client.delete(replicaSets, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
  }
}

/** Starts the controller of Deployments. */
export function startDeployments(context: ControllerContext): void {
  const controller = new DeploymentController(context);
  context.run({
    name: 'deployment-controller',
    synced: controller.synced,
    wire: queue => controller.wire(queue),
    reconcile: key => controller.reconcile(key),
  });
}

const stateOf = ({ metadata, spec, status }: ReplicaSet): ReplicaSetState => ({
  name: metadata.name ?? '',
  replicas: spec?.replicas ?? 1,
  available: status?.availableReplicas ?? 0,
});

const revisionOf = (set: ReplicaSet | undefined): number =>
  Number(set?.metadata.annotations?.[revisionAnnotation] ?? 0);
const highest = (sets: readonly ReplicaSet[]): number => sets.reduce((max, set) => Math.max(max, revisionOf(set)), 0);

interface Version {
  readonly name: string;
  readonly hash: string;
  readonly revision: number;
  readonly replicas: number;
}

function replicaSetOf(deployment: Deployment, { name, hash, revision, replicas }: Version): ReplicaSet {
  const { metadata, spec } = deployment;
  const template = cloneJson(spec?.template ?? {});
  template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, [hashLabel]: hash } };
  const desired = spec?.replicas ?? 1;
  const { [lastAppliedAnnotation]: _, [revisionAnnotation]: __, ...kept } = metadata.annotations ?? {};
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...template.metadata.labels },
      annotations: {
        ...kept,
        [revisionAnnotation]: String(revision),
        [desiredAnnotation]: String(desired),
        [maxAnnotation]: String(desired),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector.matchLabels, [hashLabel]: hash } },
      template,
      ...(spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
    },
  };
}

function statusOf(
  { metadata, spec, status: before }: Deployment,
  latest: ReplicaSet | undefined,
  older: readonly ReplicaSet[],
  now: string,
): DeploymentStatus {
  const sum = (field: 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas'): number =>
    [...older, ...(latest ? [latest] : [])].reduce((n, { status }) => n + (status?.[field] ?? 0), 0);
  const counts = {
    replicas: sum('replicas'),
    updatedReplicas: latest?.status?.replicas ?? 0,
    readyReplicas: sum('readyReplicas'),
    availableReplicas: sum('availableReplicas'),
    unavailableReplicas: Math.max(0, Math.max(sum('replicas'), spec?.replicas ?? 1) - sum('availableReplicas')),
  };
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0)),
    terminatingReplicas: sum('terminatingReplicas'),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...(before?.collisionCount ? { collisionCount: before.collisionCount } : {}),
    conditions: datedConditions(conditionsOf(spec, counts, latest), before?.conditions ?? [], now),
  };
}

interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly availableReplicas: number;
}

function conditionsOf(
  spec: Deployment['spec'],
  counts: Counts,
  latest: ReplicaSet | undefined,
): readonly DeploymentCondition[] {
  const desired = spec?.replicas ?? 1;
  const name = latest?.metadata.name ?? '';
  const share = spec?.strategy?.rollingUpdate?.maxUnavailable;
  const missing = typeof share === 'number' ? share : Math.floor((desired * parseInt(share ?? '0', 10)) / 100);
  const complete =
    counts.updatedReplicas === desired && counts.replicas === desired && counts.availableReplicas === desired;
  const available = counts.availableReplicas >= desired - missing;
  return [
    available
      ? {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        },
    complete
      ? {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "${name}" has successfully progressed.`,
        }
      : {
          type: 'Progressing',
          status: 'True',
          reason: 'ReplicaSetUpdated',
          message: `ReplicaSet "${name}" is progressing.`,
        },
  ];
}

/** Returns the conditions with the times of the previous ones as far as they have not changed. */
function datedConditions(
  conditions: readonly DeploymentCondition[],
  before: readonly DeploymentCondition[],
  now: string,
): DeploymentCondition[] {
  return conditions.map(condition => {
    const known = before.find(({ type }) => type === condition.type);
    const same =
      known?.status === condition.status && known.reason === condition.reason && known.message === condition.message;
    return {
      ...condition,
      lastUpdateTime: same ? (known.lastUpdateTime ?? now) : now,
      lastTransitionTime: known?.status === condition.status ? (known.lastTransitionTime ?? now) : now,
    };
  });
}
