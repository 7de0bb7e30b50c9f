import type { Deployment } from '../../openapi/gen/apps-v1.js';
import { bindingName } from '../../api/karmada/names.js';
import type { Binding } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import { deployments } from '../../api/kubernetes/resources.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { splitKey } from '../../client/key.js';
import type {
  ControllerContext,
  Informer,
  Key,
  ObjectChange,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';

/** Milliseconds until the status is looked at again. */
const waitMs = 1000;

const isRetained = ({ metadata }: Deployment): boolean => metadata.labels?.[labels.retainReplicas] === 'true';

/** Reports whether the replicas of a labelled Deployment, or the label, have changed. as predicateFunc */
function concerns({ old, new: deployment }: ObjectChange<Deployment>): boolean {
  if (!old || !deployment || !isRetained(deployment)) return false;
  if (!isRetained(old)) return true;
  return old.spec?.replicas !== deployment.spec?.replicas || old.status?.replicas !== deployment.status?.replicas;
}

/**
 * Reports whether the spec of the Deployment has reached the members, and the replicas in its status are the sum of theirs. Otherwise the sum is an
 * older one, and must not replace the replicas that a user has just set. as isDeploymentStatusCollected
 */
export function isStatusCollected({ spec, status }: Deployment, { metadata, ...binding }: Binding): boolean {
  const { aggregatedStatus = [], schedulerObservedGeneration } = binding.status ?? {};
  if (spec?.replicas === undefined || spec.replicas !== (binding.spec.replicas ?? 0)) return false;
  if (metadata.generation !== schedulerObservedGeneration) return false;
  if (aggregatedStatus.length !== (binding.spec.clusters ?? []).length) return false;
  let sum = 0;
  for (const item of aggregatedStatus) {
    const { replicas } = (item.status ?? {}) as { readonly replicas?: unknown };
    // An HPA has at least one replica: without any, the member has not reported yet.
    if (typeof replicas !== 'number' || replicas <= 0) return false;
    sum += replicas;
  }
  return (status?.replicas ?? 0) === sum;
}

/** as pkg/controllers/deploymentreplicassyncer DeploymentReplicasSyncer */
class DeploymentReplicasSyncer {
  readonly #client: Client;
  readonly #deployments: Informer<Deployment>;

  constructor({ client, informers }: ControllerContext) {
    this.#client = client;
    this.#deployments = informers.informer<Deployment>(deployments);
  }

  get synced(): readonly Promise<void>[] {
    return [this.#deployments.synced];
  }

  wire(queue: WorkQueue): void {
    this.#deployments.onChange(change => {
      if (concerns(change)) queue.add(change.key);
    });
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const place = { namespace, name: bindingName('Deployment', name) };
    const binding = (await find(this.#client, resources.resourceBindings, place)) as Binding | undefined;
    if (binding?.spec.placement?.replicaScheduling?.replicaSchedulingType !== 'Divided') return undefined;
    const deployment = (await find(this.#client, deployments, { namespace, name })) as Deployment | undefined;
    if (!deployment || !isRetained(deployment)) return undefined;
    const { spec, status } = deployment;
    const replicas = status?.replicas ?? 0;
    if (spec?.replicas === replicas) return undefined;
    if (!isStatusCollected(deployment, binding)) return { againAfter: waitMs };
    await this.#client.update(deployments, { ...deployment, spec: { ...spec, replicas } });
    return undefined;
  }
}

/** Copies the replicas that HPAs in members have set from the status of a Deployment to its spec. */
export function startDeploymentReplicasSyncer(context: ControllerContext): void {
  const syncer = new DeploymentReplicasSyncer(context);
  context.run({
    name: 'deployment-replicas-syncer',
    synced: syncer.synced,
    reconcile: key => syncer.reconcile(key),
    wire: queue => syncer.wire(queue),
  });
}
