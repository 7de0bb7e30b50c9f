/** `flagship scheduler-estimator`: estimates for the scheduler how much more a member can run, as karmada-scheduler-estimator does. */
import process from 'node:process';
import { Registry } from 'prom-client';
import { remote } from '../../aggregation/remote/client.js';
import { meter } from '../../apiserver/metrics/meter.js';
import { createInformerFactory } from '../../client/runtime/mirrors/informer.js';
import { MirrorBudget } from '../../client/watch/budget.js';
import { heldByEstimator } from '../../controllers/members/held-parts.js';
import { systemClock } from '../../lib/clock.js';
import type { Logger } from '../../lib/logging/interface.js';
import { serveGrpc } from '../../scheduler/estimators/grpc/server.js';
import { estimatorHandlers } from '../../scheduler/estimators/member/handlers.js';
import { MemberEstimates } from '../../scheduler/estimators/member/member-estimates.js';
import { estimatorSeries } from '../../scheduler/estimators/member/series.js';
import { livePods, MirroredWorkloads } from '../../scheduler/estimators/member/workload-readers.js';
import { createLogger } from '../../server/logger.js';
import { describeFlags, parseFlags, UsageError } from '../flags/flags.js';
import { interruption } from '../interruption.js';
import { packageVersion } from '../version.js';
import { acceptedFlags, estimatorFlags, type EstimatorProcessSettings, parseEstimatorProcess } from './flags.js';
import { serveProbes } from '../serve-probes.js';

const help = `Estimates how many more replicas a member can run, by its nodes, pods and quotas. It speaks the gRPC protocol of
karmada-scheduler-estimator, and accepts its flags.

Usage:
  flagship scheduler-estimator --kubeconfig FILE --cluster-name NAME [flags]

Flags:
${describeFlags(estimatorFlags)}
`;

/** Maximum memory of the mirrors of the member in bytes. */
const mirrorBytes = 1024 * 1024 * 1024;

async function run(settings: EstimatorProcessSettings, log: Logger): Promise<void> {
  const { cluster, endpoint, rate, gates, port, tls } = settings;
  const interrupted = interruption();
  const registry = new Registry();
  const endProbes = await serveProbes(settings.probes, registry);
  const stop = new AbortController();
  const client = remote(endpoint, { userAgent: 'karmada-scheduler-estimator', rate });
  const informers = createInformerFactory({
    ...{ client: client.holding(heldByEstimator), signal: stop.signal, clock: systemClock, log },
    budget: new MirrorBudget(mirrorBytes),
  });
  const series = estimatorSeries(meter(registry));
  const estimates = new MemberEstimates({
    ...{ informers, podSelection: livePods },
    ...{ timed: point => series.timed(point), timedPoint: point => series.timedPoint(point) },
    usesQuotas: gates.ResourceQuotaEstimate,
    usesAssumed: gates.SchedulingOvercommitProtection,
  });
  const workloads = new MirroredWorkloads(informers, livePods);
  const first = await Promise.race([estimates.synced, interrupted]);
  if (first === undefined) {
    const handlers = estimatorHandlers({ cluster, estimates, workloads, series, clock: systemClock, log });
    const server = await serveGrpc({ port, tls, handlers });
    log.info({ version: packageVersion(), cluster, port: server.port, tls: tls !== undefined }, 'estimates are served');
    log.info({ signal: await interrupted }, 'stopping');
    await server.close();
  }
  stop.abort();
  endProbes();
  await client.close();
}

/** Returns the exit status. */
export async function schedulerEstimator(args: readonly string[]): Promise<number> {
  const { values, rest } = parseFlags(acceptedFlags, args);
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (rest.length > 0) throw new UsageError(`unknown argument: ${rest[0]}`);
  const settings = parseEstimatorProcess(values);
  await run(settings, await createLogger(settings.logging));
  return 0;
}
