import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { ignoreNotFound } from '../../client/find.js';
import type { CachedObject, Client } from '../../client/interface.js';
import { mightContain } from '../../client/watch/cached-reader.js';
import type { FederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import { clusterOfExecutionNamespace, executionNamespace, workName } from '../../api/karmada/names.js';
import type { Cluster, Work } from '../../api/karmada/types.js';
import { finalizers, labels, resources } from '../../api/karmada/well-known.js';
import { aggregateFailures, isPassing } from '../../client/runtime/failures.js';
import { keyOf, objectKey } from '../../client/key.js';
import type { ControllerContext, EventRecorder, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { workOf } from '../work/work-of.js';
import { isOfCluster } from '../work/execution-works.js';
import { writeWork } from '../work/write-work.js';

const controllerName = 'federated-resource-quota-sync-controller';

/** Returns the key of the quota that a Work was created for. */
function quotaKeyOf({ metadata }: Work): Key | undefined {
  const namespace = metadata.labels?.[labels.federatedResourceQuotaNamespace];
  const name = metadata.labels?.[labels.federatedResourceQuotaName];
  return namespace && name ? namespacedName(namespace, name) : undefined;
}

/** Few Works belong to a quota; the others are not parsed. */
const quotaProbe = { text: labels.federatedResourceQuotaName };

/** As `quotaKeyOf`, for a Work in a cache. */
export const cachedQuotaKeyOf = (work: CachedObject<Work> | undefined): Key | undefined =>
  work && mightContain(work, quotaProbe) ? quotaKeyOf(work.object) : undefined;

/** The index of Works by their quota. */
export const quotaWorkIndexers = {
  quota: {
    probe: quotaProbe,
    values: (work: Work): string[] => {
      const key = isOfCluster(work) ? quotaKeyOf(work) : undefined;
      return key === undefined ? [] : [key];
    },
  },
};

/** as pkg/controllers/federatedresourcequota SyncController */
class QuotaSync {
  readonly #client: Client;
  readonly #recorder: EventRecorder;
  readonly #quotas: Informer<FederatedResourceQuota>;
  readonly #clusters: Informer<Cluster>;
  readonly #works: Informer<Work>;

  constructor({ client, informers, recorder }: ControllerContext) {
    this.#client = client;
    this.#recorder = recorder(controllerName);
    this.#quotas = informers.informer<FederatedResourceQuota>(resources.federatedResourceQuotas);
    this.#clusters = informers.informer<Cluster>(resources.clusters);
    this.#works = informers.informer<Work>(resources.works, { indexers: quotaWorkIndexers });
  }

  get synced(): readonly Promise<void>[] {
    return [this.#quotas.synced, this.#clusters.synced, this.#works.synced];
  }

  wire(queue: WorkQueue): void {
    this.#quotas.onChange(({ old, new: quota }) => {
      const state = quota ?? old;
      const same = old && quota && deepEqual(old.spec.staticAssignments, quota.spec.staticAssignments);
      if (state && !same) queue.add(keyOf(state));
    });
    this.#clusters.onChange(({ old, new: cluster }) => {
      if (old || !cluster) return;
      for (const quota of this.#quotas.list()) if (assigned(quota, keyOf(cluster))) queue.add(keyOf(quota));
    });
    // A Work may be left over from before the start, or another client may have deleted it.
    this.#works.onChange(({ oldCached: old, newCached: work }) => {
      const key = old && work ? undefined : cachedQuotaKeyOf(work ?? old);
      if (key !== undefined) queue.add(key);
    });
  }

  async reconcile(key: Key): Promise<void> {
    const quota = this.#quotas.get(key);
    const assignedClusters = new Set(quota?.spec.staticAssignments?.map(({ clusterName }) => clusterName));
    for (const work of this.#works.byIndex('quota', key)) {
      const cluster = clusterOfExecutionNamespace(work.metadata.namespace ?? '');
      if (!quota || cluster === undefined || !assignedClusters.has(cluster)) await this.#remove(work);
    }
    if (!quota || quota.metadata.deletionTimestamp) return;
    const recorder = this.#recorder;
    try {
      await this.#assign(quota);
      recorder.event(quota, 'Normal', 'SyncWorkSucceed', `Sync works for FederatedResourceQuota(${key}) succeed.`);
    } catch (error) {
      if (!isPassing(error)) recorder.event(quota, 'Warning', 'SyncWorkFailed', errorText(error));
      throw error;
    }
  }

  async #assign(quota: FederatedResourceQuota): Promise<void> {
    const failures: unknown[] = [];
    for (const { clusterName } of quota.spec.staticAssignments ?? []) {
      const cluster = this.#clusters.get(clusterName);
      if (!cluster || cluster.metadata.deletionTimestamp) continue; // Its creation wakes this controller.
      try {
        await writeWork(quotaWork(quota, clusterName), this.#client, this.#works);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw aggregateFailures(failures);
  }

  async #remove(work: Work): Promise<void> {
    if (work.metadata.deletionTimestamp) return;
    await ignoreNotFound(this.#client.delete(resources.works, objectKey(work)));
  }
}

/** Propagates the static assignments of a FederatedResourceQuota: each cluster gets its own as a ResourceQuota of the same name. */
export function startQuotaSync(context: ControllerContext): void {
  const sync = new QuotaSync(context);
  context.run({
    name: controllerName,
    synced: sync.synced,
    wire: queue => sync.wire(queue),
    reconcile: key => sync.reconcile(key),
  });
}

type Assignment = NonNullable<FederatedResourceQuota['spec']['staticAssignments']>[number];

const assigned = ({ spec }: FederatedResourceQuota, cluster: string): Assignment | undefined =>
  spec.staticAssignments?.find(({ clusterName }) => clusterName === cluster);

/** Returns the Work of a quota for a cluster. Of two assignments to the same cluster, the first one counts. */
export function quotaWork(quota: FederatedResourceQuota, cluster: string): Work {
  const { namespace = '', name = '' } = quota.metadata;
  const manifest: KubeObject = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace, name },
    spec: { hard: { ...assigned(quota, cluster)?.hard } },
  };
  const metadata = {
    namespace: executionNamespace(cluster),
    name: workName('ResourceQuota', name, namespace),
    finalizers: [finalizers.execution],
    labels: { [labels.federatedResourceQuotaNamespace]: namespace, [labels.federatedResourceQuotaName]: name },
  };
  return workOf(metadata, manifest);
}
