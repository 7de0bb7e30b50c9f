import type { Clock } from '../../lib/clock.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { Logger } from '../../lib/logging/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import { bindingName } from '../../api/karmada/names.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer, Key, ReconcileResult, WorkQueue } from '../../client/runtime/interface.js';
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

/** Workloads that are rebalanced at a time. */
const maxAtOnce = 32;

class Rebalancer {
  readonly #rebalancers: Informer<WorkloadRebalancer>;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor({ client, clock, informers, log }: ControllerContext) {
    this.#rebalancers = informers.informer<WorkloadRebalancer>(rebalancers);
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  get synced(): readonly Promise<void>[] {
    return [this.#rebalancers.synced];
  }

  wire(queue: WorkQueue): void {
    this.#rebalancers.onChange(({ old, new: changed }) => {
      if (changed && !(old && deepEqual(old.spec, changed.spec))) queue.add(keyOf(changed));
    });
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const rebalancer = this.#rebalancers.get(key);
    if (!rebalancer || rebalancer.metadata.deletionTimestamp) return undefined;
    const before = observedWorkloads(rebalancer);
    const after = await this.#rebalanceAll(before, rebalancer);
    const unfinished = after.filter(({ result }) => !result).length;
    const written = await this.#writeStatus(rebalancer, after, unfinished === 0);
    if (unfinished > 0) throw new ExpectedError(`${unfinished} resource reschedule triggered failed and need retry`);
    return this.#cleanUp(written);
  }

  /** Returns the results, in the same order. A few workloads are rebalanced at a time: a user may have written thousands. */
  async #rebalanceAll(all: readonly ObservedWorkload[], rebalancer: WorkloadRebalancer): Promise<ObservedWorkload[]> {
    const results: ObservedWorkload[] = [];
    for (let at = 0; at < all.length; at += maxAtOnce) {
      const some = all.slice(at, at + maxAtOnce);
      results.push(
        ...(await Promise.all(some.map(async item => (item.result ? item : this.#rebalance(item, rebalancer))))),
      );
      await yieldToEventLoop();
    }
    return results;
  }

  /** Returns the result for a workload; none if it has to be tried again. */
  async #rebalance(item: ObservedWorkload, { metadata }: WorkloadRebalancer): Promise<ObservedWorkload> {
    const { workload } = item;
    const requestedAt = metadata.creationTimestamp ?? timestamp(this.#clock.now());
    try {
      await this.#reschedule(workload, requestedAt);
      return { workload, result: 'Successful' };
    } catch (error) {
      if (error instanceof StatusError && error.code === 404)
        return { workload, result: 'Failed', reason: 'ReferencedBindingNotFound' };
      this.#log.debug({ rebalancer: metadata.name, workload, err: error }, 'a workload could not be rescheduled');
      return item;
    }
  }

  /** Sets rescheduleTriggeredAt of the workload's binding, unless a later request has set it. */
  async #reschedule({ kind, name, namespace = '' }: WorkloadReference, requestedAt: string): Promise<void> {
    const resource = namespace ? resources.resourceBindings : resources.clusterResourceBindings;
    const binding = (await this.#client.get(resource, { namespace, name: bindingName(kind, name) })) as Binding;
    await updateObject(this.#client, resource, binding, ({ spec }) => {
      const { rescheduleTriggeredAt: last } = spec;
      if (last === undefined || Date.parse(last) < Date.parse(requestedAt)) spec.rescheduleTriggeredAt = requestedAt;
    });
  }

  /** Writes the results; `finished` if all workloads have one. Returns the object that was written. */
  async #writeStatus(
    rebalancer: WorkloadRebalancer,
    workloads: ObservedWorkload[],
    finished: boolean,
  ): Promise<WorkloadRebalancer> {
    const { generation = 0 } = rebalancer.metadata;
    const change = (draft: WorkloadRebalancer): void => {
      const { finishTime, ...known } = draft.status ?? {};
      const status = { observedWorkloads: workloads, observedGeneration: generation };
      const time = deepEqual(known, status) || !finished ? finishTime : timestamp(this.#clock.now());
      draft.status = { ...status, ...(time === undefined ? {} : { finishTime: time }) };
    };
    return updateObject(this.#client, rebalancers, rebalancer, change, { subresource: 'status' });
  }

  /** Deletes the object when its TTL has expired. */
  async #cleanUp({ metadata, spec, status }: WorkloadRebalancer): Promise<ReconcileResult> {
    if (spec.ttlSecondsAfterFinished === undefined || status?.finishTime === undefined) return undefined;
    const left = Date.parse(status.finishTime) + spec.ttlSecondsAfterFinished * 1000 - this.#clock.now();
    if (left > 0) return { againAfter: left };
    const { name = '', resourceVersion = '' } = metadata;
    // The precondition keeps an object that was changed meanwhile.
    await this.#client.delete(rebalancers, { name }, { preconditions: { resourceVersion } });
    return undefined;
  }
}

/**
 * Triggers one rescheduling of each workload, and deletes the WorkloadRebalancer when its TTL has expired.
 * as pkg/controllers/workloadrebalancer RebalancerController
 */
export function startWorkloadRebalancer(context: ControllerContext): void {
  const rebalancer = new Rebalancer(context);
  context.run({
    name: 'workload-rebalancer',
    synced: rebalancer.synced,
    wire: queue => rebalancer.wire(queue),
    reconcile: key => rebalancer.reconcile(key),
  });
}
