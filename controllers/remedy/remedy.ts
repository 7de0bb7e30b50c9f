import { deepEqual } from '../../lib/json/equality.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { type Remedy, remedyActions } from './remedy-actions.js';

/** Writes the actions that Remedies demand into the status of the clusters. as pkg/controllers/remediation RemedyController */
export function startRemedyController({ client, informers, run }: ControllerContext): void {
  const clusters = informers.informer<Cluster>(resources.clusters);
  const remedies = informers.informer<Remedy>(resources.remedies);
  run({
    name: 'remedy-controller',
    synced: [clusters.synced, remedies.synced],
    wire: queue => {
      clusters.onChange(({ key, old, new: cluster }) => {
        if (!cluster) return;
        const [before, after] = [old?.status, cluster.status];
        const isSame =
          old &&
          deepEqual(before?.conditions, after?.conditions) &&
          deepEqual(before?.remedyActions, after?.remedyActions);
        if (!isSame) queue.add(key);
      });
      remedies.onChange(({ old, new: remedy }) => {
        if (old && remedy && deepEqual(old.spec, remedy.spec)) return;
        for (const key of clusters.cached.keys()) queue.add(key);
      });
    },
    reconcile: async key => {
      const cluster = clusters.get(key);
      if (!cluster || cluster.metadata.deletionTimestamp) return;
      await updateObject(
        client,
        resources.clusters,
        cluster,
        draft => {
          const actions = remedyActions(remedies.list(), draft);
          if (deepEqual(actions, draft.status?.remedyActions ?? [])) return;
          if (actions.length > 0) (draft.status ??= {}).remedyActions = actions;
          else delete draft.status?.remedyActions;
        },
        { subresource: 'status' },
      );
    },
  });
}
