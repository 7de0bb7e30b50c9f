import type { KubeObject } from '../../apimachinery/interface.js';
import { endOf } from '../../kinds/kubernetes/batch/job-end.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { deleteUnchanged } from '../../client/runtime/update.js';
import { jobs } from '../../api/kubernetes/resources.js';

interface Job extends KubeObject {
  spec?: { ttlSecondsAfterFinished?: number };
  status?: { conditions?: { type: string; status: string; lastTransitionTime?: string }[] };
}

/** Returns when a finished Job expires, in milliseconds since the epoch; undefined if it runs or has no TTL. */
function expiry({ spec, status, metadata }: Job): number | undefined {
  const ttl = spec?.ttlSecondsAfterFinished;
  const done = endOf(status?.conditions);
  if (ttl === undefined || !done?.lastTransitionTime || metadata.deletionTimestamp) return undefined;
  return Date.parse(done.lastTransitionTime) + ttl * 1000;
}

/** Deletes finished Jobs once their TTL has expired. as pkg/controller/ttlafterfinished */
export function startTtlAfterFinished(context: ControllerContext): void {
  const { client, clock } = context;
  const mirror = context.informers.informer<Job>(jobs);
  context.run({
    name: 'ttl-after-finished-controller',
    synced: [mirror.synced],
    wire: queue =>
      mirror.onChange(({ new: job }) => {
        if (job && expiry(job) !== undefined) queue.add(keyOf(job));
      }),
    reconcile: async key => {
      const job = mirror.get(key);
      const at = job && expiry(job);
      if (!job || at === undefined) return undefined;
      const left = at - clock.now();
      if (left > 0) return { againAfter: left };
      await deleteUnchanged(client, jobs, job, { propagationPolicy: 'Foreground' });
      return undefined;
    },
  });
}
