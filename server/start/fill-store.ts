import { Registry } from 'prom-client';
import type { Pki } from '../../authn/pki/files.js';
import { keepRenewed } from '../../authn/pki/renewal.js';
import { systemClock } from '../../lib/clock.js';
import type { Backend } from '../../storage/interface.js';
import type { CloseStack } from '../close-stack.js';
import type { Frontend, ServerConfig } from '../config.js';
import type { Core } from '../core.js';
import type { RequestLimiter } from '../fairness.js';
import { followState } from './follow-state.js';
import { type InitialState, populate } from './populate.js';
import type { StartChecks } from './start-checks.js';

interface FillDeps extends Pick<StartChecks, 'steps' | 'informers'> {
  readonly server: Frontend;
  readonly limiting: RequestLimiter;
  readonly backend: Backend;
  readonly initial: InitialState;
  readonly pki: Pki;
  readonly hosts: readonly string[];
  readonly url: string;
  readonly metrics: Registry;
  readonly closing: CloseStack;
  readonly signal: AbortSignal;
}

/** Resolves when the store has all objects that a server needs, and this server has read them. */
export async function fillStore(config: ServerConfig, core: Core, deps: FillDeps): Promise<void> {
  const { server, limiting, steps, informers, backend, initial, pki, hosts, url, closing, signal } = deps;
  const { log, populated } = config;
  const { client } = core;
  // Metrics of objects that all processes of a server see are counted by the process that writes them.
  const metrics = populated ? new Registry() : deps.metrics;
  const followed = followState(config, core, { metrics, steps, informers, signal });
  steps.done('served');
  const followFairness = (): Promise<void> => limiting.follow(client, log, signal).then(() => steps.done('fairness'));
  if (populated) {
    await Promise.all([followed, populated]);
    await followFairness();
    // The process that wrote the objects did this.
    steps.allWritten();
    steps.done('announced');
    steps.done('identity');
    return;
  }
  const { renew } = server;
  const { pkiDirectory: directory, onAdminRenewed } = config;
  keepRenewed({ pki, directory, hosts, log, clock: systemClock, signal, renew, onAdminRenewed });
  await populate({
    ...{ config, client, backend, initial, pki, server, url },
    ...{ followed, followFairness, steps, closing, signal },
  });
}
