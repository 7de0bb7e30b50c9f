import type { ServerConfig } from '../../server/config.js';
import type { Part } from '../../server/parts.js';
import type { KarmadaSettings } from '../flags/karmada/karmada.js';
import type { parseElection } from '../flags/leader.js';
import { withLeaderElection } from '../parts/elected.js';
import { descheduler } from '../parts/descheduler.js';
import { karmadaControllers } from '../parts/karmada-controllers.js';
import type { SigningSettings } from '../flags/signing.js';
import { kubernetesControllers } from '../parts/kubernetes-controllers.js';
import type { MemberEstimators } from '../parts/member-estimators.js';
import type { MemberMirrors } from '../parts/member-mirrors.js';
import { karmadaControllerNames, kubernetesControllerNames, type parseControllers } from '../parts/names.js';
import { scheduler } from '../parts/scheduler.js';
import { startedWhenReady } from '../parts/started-when-ready.js';
import type { SchedulerSettings } from '../flags/karmada/scheduler.js';

interface ControllerSettings {
  readonly election: ReturnType<typeof parseElection>;
  readonly controllers: ReturnType<typeof parseControllers>;
  readonly settings: KarmadaSettings;
  readonly scheduling: SchedulerSettings;
  readonly signing: SigningSettings;
  readonly mirrors: MemberMirrors;
  /** Absent: no members are asked. */
  readonly estimators: MemberEstimators | undefined;
}

/** Returns the controllers and the scheduler, without those that flags turn off. They start when the server is ready. */
export function controllerParts(
  { election, controllers, settings, scheduling, signing, mirrors, estimators }: ControllerSettings,
  { storage, tenantBoundaries }: ServerConfig,
): Part[] {
  // Only a shared store can have several servers.
  const withElection = (part: Part, namespace: string): Part =>
    election && storage.type === 'etcd' ? withLeaderElection(part, namespace, election.timing) : startedWhenReady(part);
  const withKarmadaElection = (part: Part): Part => withElection(part, election?.namespace ?? '');
  const parts: Part[] = [];
  // A server that runs no controller of a part must not hold its lease.
  if (kubernetesControllerNames.some(controllers))
    parts.push(withElection(kubernetesControllers(controllers, signing), 'kube-system'));
  if (karmadaControllerNames.some(controllers))
    parts.push(withKarmadaElection(karmadaControllers(controllers, tenantBoundaries, settings, mirrors)));
  if (controllers('scheduler'))
    parts.push(withKarmadaElection(scheduler({ ...scheduling, rateLimits: settings.tuning.rateLimits }, estimators)));
  if (controllers('descheduler'))
    parts.push(withKarmadaElection(descheduler(settings.failover.descheduler, estimators)));
  return parts;
}
