/** Starts a server with all components of `flagship up`, without members. */
import type { Test } from 'tap';
import type { ServerConfig } from '../../../server/config.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';

const all = (): boolean => true;

export const runningControlPlane = (t: Test, config: Partial<ServerConfig> = {}): Promise<TestServer> =>
  runningServer(t, {
    ...config,
    parts: [aggregation(), kubernetesControllers(all), karmadaControllers(all), scheduler()],
  });
