import type { Cluster } from '../../api/karmada/types.js';
import type { Client } from '../../client/interface.js';
import type { InformerFactory } from '../../client/runtime/interface.js';
import type { Clock } from '../../lib/clock.js';
import type { Logger } from '../../lib/logging/interface.js';
import type { AccurateEstimator, EstimatorSettings } from '../interface.js';
import { type ConnectMirrors, MirroredEstimator, type MirroredSettings } from './mirrored-estimator.js';
import { RemoteEstimator } from './remote-estimator.js';
import { RoutedEstimator } from './routed-estimator.js';

interface AccurateDeps {
  readonly client: Pick<Client, 'get'>;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Connects to members for estimates in this process. */
  readonly connect: ConnectMirrors;
  /** Returns whether a member in pull mode can be connected; absent: none can. */
  readonly reachesPulled?: (cluster: Cluster) => boolean;
}

/**
 * Creates the estimator of all members (flag --enable-scheduler-estimator). It asks the estimators that have Services, and estimates by mirrors for
 * other members; without `inProcess`, it asks all. It ends when the signal aborts.
 * differs: karmada-scheduler has no estimates of members without an estimator.
 */
export function createAccurateEstimator(
  settings: EstimatorSettings,
  gates: Pick<MirroredSettings, 'usesQuotas' | 'usesAssumed'>,
  deps: AccurateDeps,
): AccurateEstimator {
  const { inProcess, timeoutMs } = settings;
  const remote = new RemoteEstimator({ ...settings, needsService: inProcess }, deps);
  return inProcess ? new RoutedEstimator(remote, new MirroredEstimator({ timeoutMs, ...gates }, deps)) : remote;
}
