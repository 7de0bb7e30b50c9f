import type { Backend } from '../storage/interface.js';
import type { ServerConfig } from './config.js';
import {
  dataDirectoryCheck,
  type HealthChecks,
  healthChecks,
  type InformerSync,
  informerSync,
} from './health-checks.js';
import { type StartSteps, startSteps, stepNames } from './start-steps.js';

/** The health checks of a server, and what tells them how far the start is. */
export interface StartChecks {
  readonly health: HealthChecks;
  readonly steps: StartSteps;
  readonly informers: InformerSync;
}

export function createChecks({ storage }: ServerConfig, backend: Backend, signal: AbortSignal): StartChecks {
  const health = healthChecks(backend, signal);
  if (storage.type !== 'etcd') health.add(dataDirectoryCheck(backend));
  health.begin(stepNames);
  const informers = informerSync();
  health.add(informers.check);
  return { health, steps: startSteps(health.finish), informers };
}
