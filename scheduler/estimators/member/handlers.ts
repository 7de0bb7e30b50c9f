import { observed } from '../../../client/runtime/meter.js';
import type { Clock } from '../../../lib/clock.js';
import { ExpectedError, causeText } from '../../../lib/logging/cause.js';
import type { Logger } from '../../../lib/logging/interface.js';
import { inTimeSlices } from '../../../lib/time-slice.js';
import { stepsUnlessAborted } from '../../../lib/unless-aborted.js';
import type { EstimatorHandler } from '../grpc/server.js';
import { readReplicasMessage, readSetsMessage, readUnschedulableMessage, writeCount } from '../protocol/messages.js';
import type { EstimatorMethod } from '../protocol/service.js';
import type { MemberEstimates } from './member-estimates.js';
import type { EstimatorSeries } from './series.js';
import { unschedulableReplicas, type WorkloadReader } from './unschedulable.js';

interface ServedMember {
  /** The name of the cluster. Requests for another one are refused. */
  readonly cluster: string;
  readonly estimates: MemberEstimates;
  readonly workloads: WorkloadReader;
  readonly series: EstimatorSeries;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Returns the methods of Karmada's estimator for one member. as pkg/estimator/server AccurateSchedulerEstimatorServer */
export function estimatorHandlers(member: ServedMember): Readonly<Record<EstimatorMethod, EstimatorHandler>> {
  const { estimates, workloads, series, clock, log } = member;
  const requireOwn = (cluster: string): void => {
    if (cluster !== member.cluster)
      throw new ExpectedError(`cluster name does not match, got: ${cluster}, desire: ${member.cluster}`);
  };
  const answering =
    (method: EstimatorMethod, count: (message: Buffer, signal: AbortSignal) => Promise<number>): EstimatorHandler =>
    (message, { object, signal }) =>
      observed(
        async () => {
          try {
            const found = await count(message, signal);
            log.debug({ object, method, count: found }, 'answered an estimate');
            return writeCount(found);
          } catch (error) {
            log.debug({ object, method, cause: causeText(error) }, 'refused an estimate');
            throw error;
          }
        },
        (result, seconds) => {
          series.counted(method, result);
          series.took(method, 'Total', result, seconds);
        },
      );
  return {
    MaxAvailableReplicas: answering('MaxAvailableReplicas', async (message, signal) => {
      const {
        cluster,
        requirements,
        assumed = [],
      } = await inTimeSlices(stepsUnlessAborted(readReplicasMessage(message), signal));
      requireOwn(cluster);
      return estimates.replicas(requirements, assumed, signal);
    }),
    MaxAvailableComponentSets: answering('MaxAvailableComponentSets', async (message, signal) => {
      const {
        cluster,
        namespace,
        components,
        assumed = [],
      } = await inTimeSlices(stepsUnlessAborted(readSetsMessage(message), signal));
      requireOwn(cluster);
      return estimates.sets({ namespace, components }, assumed, signal);
    }),
    GetUnschedulableReplicas: answering('GetUnschedulableReplicas', async (message, signal) => {
      const { cluster, resource, thresholdMs } = readUnschedulableMessage(message);
      requireOwn(cluster);
      if (!resource) throw new ExpectedError('resource is nil');
      return unschedulableReplicas(workloads, resource, { thresholdMs, now: clock.now(), signal });
    }),
  };
}
