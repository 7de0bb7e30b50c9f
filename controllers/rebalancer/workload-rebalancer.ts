import { ExpectedError } from '../../lib/logging/cause.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { bindingName } from '../../api/karmada/names.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { ControllerContext, Result } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import {
  type ObservedWorkload,
  observedWorkloads,
  type WorkloadReference,
  type WorkloadRebalancer,
} from './rebalancing.js';

const rebalancers: GroupVersionResource = {
  group: 'apps.karmada.io',
  version: 'v1alpha1',
  resource: 'workloadrebalancers',
};

/**
 * Triggers one rescheduling of each workload, and deletes the WorkloadRebalancer when its TTL has expired.
 * as pkg/controllers/workloadrebalancer RebalancerController
 */
export function startWorkloadRebalancer(context: ControllerContext): void {
  const { client, clock, informers, log } = context;
  const mirror = informers.informer<WorkloadRebalancer>(rebalancers);

  context.run({
    name: 'workload-rebalancer',
    synced: [mirror.synced],
    wire: queue =>
      mirror.onChange(({ old, new: rebalancer }) => {
        if (rebalancer && !(old && deepEqual(old.spec, rebalancer.spec))) queue.add(keyOf(rebalancer));
      }),
    reconcile: async key => {
      const rebalancer = mirror.get(key);
      if (!rebalancer || rebalancer.metadata.deletionTimestamp) return undefined;
      const before = observedWorkloads(rebalancer);
      const after = await Promise.all(before.map(async item => (item.result ? item : rebalance(item, rebalancer))));
      const unfinished = after.filter(({ result }) => !result).length;
      const finished = await writeStatus(rebalancer, after, unfinished === 0);
      if (unfinished > 0) throw new ExpectedError(`${unfinished} resource reschedule triggered failed and need retry`);
      return cleanUp(finished);
    },
  });

  async function rebalance(item: ObservedWorkload, { metadata }: WorkloadRebalancer): Promise<ObservedWorkload> {
    const { workload } = item;
    const requestedAt = metadata.creationTimestamp ?? timestamp(clock.now());
    try {
      await reschedule(workload, requestedAt);
      return { workload, result: 'Successful' };
    } catch (error) {
      if (error instanceof StatusError && error.code === 404)
        return { workload, result: 'Failed', reason: 'ReferencedBindingNotFound' };
      log.debug({ rebalancer: metadata.name, workload, err: error }, 'a workload could not be rescheduled');
      return item;
    }
  }

  /** Sets rescheduleTriggeredAt of the workload's binding, unless a later request has set it. */
  async function reschedule({ kind, name, namespace = '' }: WorkloadReference, requestedAt: string): Promise<void> {
    const resource = namespace ? resources.resourceBindings : resources.clusterResourceBindings;
    const binding = (await client.get(resource, { namespace, name: bindingName(kind, name) })) as Binding;
    await updateObject(client, resource, binding, ({ spec }) => {
      const { rescheduleTriggeredAt: last } = spec;
      if (last === undefined || Date.parse(last) < Date.parse(requestedAt)) spec.rescheduleTriggeredAt = requestedAt;
    });
  }

  async function writeStatus(
    rebalancer: WorkloadRebalancer,
    workloads: ObservedWorkload[],
    finished: boolean,
  ): Promise<WorkloadRebalancer> {
    const { generation = 0 } = rebalancer.metadata;
    return updateObject(
      client,
      rebalancers,
      rebalancer,
      draft => {
        const { finishTime, ...known } = draft.status ?? {};
        const status = { observedWorkloads: workloads, observedGeneration: generation };
        const time = deepEqual(known, status) || !finished ? finishTime : timestamp(clock.now());
        draft.status = { ...status, ...(time === undefined ? {} : { finishTime: time }) };
      },
      { subresource: 'status' },
    );
  }

  async function cleanUp({ metadata, spec, status }: WorkloadRebalancer): Promise<Result> {
    if (spec.ttlSecondsAfterFinished === undefined || status?.finishTime === undefined) return undefined;
    const left = Date.parse(status.finishTime) + spec.ttlSecondsAfterFinished * 1000 - clock.now();
    if (left > 0) return { againAfter: left };
    const { name = '', resourceVersion = '' } = metadata;
    // The precondition keeps an object that was changed meanwhile.
    await client.delete(rebalancers, { name }, { preconditions: { resourceVersion } });
    return undefined;
  }
}
