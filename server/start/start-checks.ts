import type { Backend } from '../../storage/interface.js';
import { StoreHealth } from '../../storage/store-health.js';
import { HealthChecks, InformerSync } from '../../apiserver/paths/health-checks.js';
import type { ServerConfig } from '../config.js';
import { StartSteps, stepNames } from './start-steps.js';

/** The health checks of a server, and what tells them how far the start is. */
export interface StartChecks {
  readonly health: HealthChecks;
  readonly steps: StartSteps;
  readonly informers: InformerSync;
}

/** Returns the health checks of a server that starts. They follow the store until the signal aborts. */
export function createChecks({ storage }: ServerConfig, backend: Backend, signal: AbortSignal): StartChecks {
  const store = new StoreHealth(backend);
  const health = new HealthChecks(store, signal);
  if (storage.type !== 'etcd') health.add({ name: 'data-directory', endpoints: ['readyz'], check: () => store.disk() });
  health.begin(stepNames);
  const informers = new InformerSync();
  health.add(informers);
  return { health, steps: new StartSteps(name => health.finish(name)), informers };
}
