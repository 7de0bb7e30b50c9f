import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { ignoreNotFound } from '../../client/find.js';
import type { FederatedResourceQuota } from '../../kinds/karmada/quota/federated-resource-quota.js';
import { clusterOfExecutionNamespace, executionNamespace, workName } from '../../api/karmada/names.js';
import type { Cluster, Work } from '../../api/karmada/types.js';
import { finalizers, labels, resources } from '../../api/karmada/well-known.js';
import { aggregateFailures, isPassing } from '../../client/runtime/failures.js';
import { keyOf, objectKey } from '../../client/key.js';
import type { ControllerContext, Key } from '../../client/runtime/interface.js';
import { workOf } from '../work/work-of.js';
import { isOfCluster } from '../work/execution-works.js';
import { writeWork } from '../work/write-work.js';

/** Returns the key of the quota that a Work was created for. */
export function quotaKeyOf({ metadata }: Work): Key | undefined {
  const namespace = metadata.labels?.[labels.federatedResourceQuotaNamespace];
  const name = metadata.labels?.[labels.federatedResourceQuotaName];
  return namespace && name ? namespacedName(namespace, name) : undefined;
}

/** The index of Works by their quota. */
export const quotaWorkIndexers = {
  quota: (work: Work): string[] => {
    const key = isOfCluster(work) ? quotaKeyOf(work) : undefined;
    return key === undefined ? [] : [key];
  },
};

/**
 * Propagates the static assignments of a FederatedResourceQuota: each cluster gets its own as a ResourceQuota of the same name.
 * as pkg/controllers/federatedresourcequota SyncController
 */
export function startQuotaSync(context: ControllerContext): void {
  const { client, informers } = context;
  const recorder = context.recorder('federated-resource-quota-sync-controller');
  const quotas = informers.informer<FederatedResourceQuota>(resources.federatedResourceQuotas);
  const clusters = informers.informer<Cluster>(resources.clusters);
  const works = informers.informer<Work>(resources.works, { indexers: quotaWorkIndexers });

  context.run({
    name: 'federated-resource-quota-sync-controller',
    synced: [quotas, clusters, works].map(({ synced }) => synced),
    wire: queue => {
      quotas.onChange(({ old, new: quota }) => {
        const state = quota ?? old;
        const same = old && quota && deepEqual(old.spec.staticAssignments, quota.spec.staticAssignments);
        if (state && !same) queue.add(keyOf(state));
      });
      clusters.onChange(({ old, new: cluster }) => {
        if (old || !cluster) return;
        for (const quota of quotas.list()) if (assigned(quota, keyOf(cluster))) queue.add(keyOf(quota));
      });
      // A Work may be left over from before the start, or another client may have deleted it.
      works.onChange(({ old, new: work }) => {
        const key = old && work ? undefined : quotaKeyOf((work ?? old) as Work);
        if (key !== undefined) queue.add(key);
      });
    },
    reconcile: async key => {
      const quota = quotas.get(key);
      const wanted = new Set(quota?.spec.staticAssignments?.map(({ clusterName }) => clusterName));
      for (const work of works.byIndex('quota', key)) {
        const cluster = clusterOfExecutionNamespace(work.metadata.namespace ?? '');
        if (!quota || cluster === undefined || !wanted.has(cluster)) await remove(work);
      }
      if (!quota || quota.metadata.deletionTimestamp) return;
      try {
        await assign(quota);
        recorder.event(quota, 'Normal', 'SyncWorkSucceed', `Sync works for FederatedResourceQuota(${key}) succeed.`);
      } catch (error) {
        if (!isPassing(error)) recorder.event(quota, 'Warning', 'SyncWorkFailed', errorText(error));
        throw error;
      }
    },
  });

  async function assign(quota: FederatedResourceQuota): Promise<void> {
    const failures: unknown[] = [];
    for (const { clusterName } of quota.spec.staticAssignments ?? []) {
      const cluster = clusters.get(clusterName);
      if (!cluster || cluster.metadata.deletionTimestamp) continue; // Its creation wakes this controller.
      try {
        await writeWork(quotaWork(quota, clusterName), client, works);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw aggregateFailures(failures);
  }

  async function remove(work: Work): Promise<void> {
    if (work.metadata.deletionTimestamp) return;
    await ignoreNotFound(client.delete(resources.works, objectKey(work)));
  }
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
