import type { ControllerContext, Informer } from '../../../client/runtime/interface.js';
import { deepEqual } from '../../../lib/json/equality.js';
import { compareQuantities, parseQuantity } from '../../../apimachinery/quantity/quantity.js';
import type { Binding, Cluster, ResourceList } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import type { FederatedResourceQuota } from '../../../kinds/karmada/quota/federated-resource-quota.js';
import type { Estimator } from '../../interface.js';
import type { Plugin } from '../../plugins/plugins.js';
import type { BindingClasses } from './binding-classes.js';
import type { ClusterSnapshot } from '../cluster-snapshot.js';
import { roomChecker } from './help.js';
import { peerKeys } from './peer-keys.js';
import { type Help, WakeUps } from './wake-ups.js';

interface Wiring {
  readonly namespaced: Informer<Binding>;
  readonly clusterWide: Informer<Binding>;
  readonly clusters: Informer<Cluster>;
  /** The snapshot of the clusters, which already follows their mirror: listeners are called in the order in which they were added. */
  readonly snapshot: ClusterSnapshot;
  readonly classes: Pick<BindingClasses, 'groupOf' | 'settle'>;
  readonly active: readonly Plugin[];
  readonly estimators: readonly Estimator[];
  readonly found: (binding: Binding, help: Help) => void;
}

/** Returns what wakes bindings that could not be placed, connected to the mirrors. */
export function wireWakeUps({ clock, informers, signal }: ControllerContext, wiring: Wiring): WakeUps {
  const { namespaced, clusterWide, clusters, snapshot, classes, active, estimators, found } = wiring;
  const wakeUps = new WakeUps({
    clock,
    signal,
    found,
    get: key => namespaced.get(key) ?? clusterWide.get(key),
    cluster: name => snapshot.get(name),
    hasMoreRoom: roomChecker(active, estimators),
    classes,
  });
  clusters.onLaterChange(({ old, new: cluster }) => {
    if (!old || !cluster || wakeUps.isIdle) return;
    const before = old.status?.resourceSummary;
    if (!deepEqual(before, cluster.status?.resourceSummary))
      wakeUps.clusterChanged(cluster.metadata.name ?? '', before);
  });
  for (const bindings of [namespaced, clusterWide])
    bindings.onLaterChange(change => {
      if (!change.newCached) wakeUps.forget(change.key);
    });
  namespaced.onLaterChange(({ key, old, new: binding }) => {
    if (wakeUps.isIdle || deepEqual(old?.spec.clusters ?? [], binding?.spec.clusters ?? [])) return;
    wakeUps.happened('peers', peerKeys(key, [old, binding], namespaced));
  });
  informers.informer<FederatedResourceQuota>(resources.federatedResourceQuotas).onLaterChange(({ old, new: quota }) => {
    if (!old || wakeUps.isIdle || !grants(old, quota)) return;
    const { namespace } = old.metadata;
    const keys = [...wakeUps.waitingFor('quota')].filter(key => key.startsWith(`${namespace}/`));
    wakeUps.happened('quota', keys);
  });
  return wakeUps;
}

/** Reports whether a quota has begun to allow more: it is gone, its limits have changed, or less is used. */
function grants({ spec, status }: FederatedResourceQuota, quota: FederatedResourceQuota | undefined): boolean {
  if (!quota || !deepEqual(spec.overall, quota.spec.overall)) return true;
  const now: ResourceList = quota.status?.overallUsed ?? {};
  return Object.entries(status?.overallUsed ?? {}).some(
    ([name, used]) => compareQuantities(parseQuantity(used), parseQuantity(now[name] ?? '0')) > 0,
  );
}
