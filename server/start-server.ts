/** The composition root: turns a configuration into a running server. Several can run in one process. */
import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { Registry } from 'prom-client';
import { loadOrCreate, type Pki } from '../authn/pki/files.js';
import type { KubeconfigContext } from '../authn/pki/kubeconfig.js';
import type { Address } from '../aggregation/webhooks/resolve-service.js';
import type { LiveCatalogue } from '../registry/catalogue/catalogue.js';
import type { Offload } from '../lib/offload/interface.js';
import type { Client } from '../client/interface.js';
import { featureGates } from '../kinds/karmada/feature-gates.js';
import type { Backend } from '../storage/interface.js';
import type { Request } from '../apiserver/http/request.js';
import { meter } from '../apiserver/metrics/meter.js';
import { nodeMetrics } from '../apiserver/metrics/node-metrics.js';
import { queueMetrics } from '../apiserver/metrics/queue-metrics.js';
import { processMetrics } from '../apiserver/metrics/process-metrics.js';
import { diskMetrics, filesIn, sizeMetrics } from '../apiserver/metrics/storage-metrics.js';
import { advertisedHost } from './advertised-host.js';
import { auditOf } from './audit.js';
import { CloseStack } from './close-stack.js';
import type { Frontend, ServerConfig } from './config.js';
import { type Core, createCore } from './core.js';
import { followState } from './follow-state.js';
import { dataDirectoryCheck, type HealthChecks, healthChecks, informerSync } from './health-checks.js';
import type { Part, PartContext, RunningPart } from './parts.js';
import { extensionsOf } from './extensions.js';
import { limitingOf } from './fairness.js';
import { openOffload } from './offload.js';
import { type InitialState, populate, prepareStore } from './populate.js';
import { keepRenewed } from '../authn/pki/renewal.js';
import { startSteps, stepNames } from './start-steps.js';
import { addressOf, serve } from './serve.js';
import { notingQueues, StallMonitor } from '../apiserver/stalls/stall-monitor.js';
import { openStorage } from './storage.js';

export interface RunningServer {
  /** The server's URL, `https://HOST:PORT`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly pki: Pki;
  readonly catalogue: LiveCatalogue;
  /** The client in process, as a member of system:masters. */
  readonly client: Client;
  /** Uses a certificate and its key for new connections. */
  renew(certificate: string, key: string): void;
  /** The kubeconfig contexts of other servers that parts run. */
  readonly contexts: readonly KubeconfigContext[];
  /** The metrics of the server and its parts. */
  readonly metrics: Registry;
  /**
   * Closes the port and ends all connections, while everything in the process goes on; simulates a network failure. Does nothing when worker
   * processes hold the port.
   */
  pause(): void;
  /** Opens the port again after `pause`. Rejects with the system's error when another process has taken it. */
  resume(): Promise<void>;
  /** Stops the parts, ends watches, answers pending requests, and closes the store; resolves when everything is closed. */
  stop(): Promise<void>;
}

const defaultHosts = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

const defaultShutdownMs = 10_000;

interface Resources {
  readonly backend: Backend;
  /** Resolves when a new store is filled with prepared objects. */
  readonly initialState: Promise<InitialState>;
  readonly pki: Pki;
}

/** Starts a server. Rejects with the first error (port, folder, store), after everything is closed again. */
export async function startServer(config: ServerConfig): Promise<RunningServer> {
  const closing = new CloseStack();
  try {
    return await start(config, closing);
  } catch (error) {
    await closing
      .all()
      .catch((closeError: unknown) => config.log.warn({ err: closeError }, 'what had started could not be stopped'));
    throw error;
  }
}

async function start(config: ServerConfig, closing: CloseStack): Promise<RunningServer> {
  const { log } = config;
  const stopping = new AbortController();
  const { signal } = stopping;
  setMaxListeners(0, signal); // each part adds listeners
  const hosts = [...new Set([...defaultHosts, advertisedHost(config.listen.host), ...(config.hosts ?? [])])];
  const { backend, initialState, pki } = await openResources(config, hosts, closing);
  const own: { address?: Address } = {};
  const metrics = new Registry();
  const offload = openOffload();
  closing.push(() => offload.close());
  const core = createCore(config, { pki, backend, signal, self: () => own.address, metrics });
  const monitor = observeProcess(config, backend, metrics, signal);
  const onAdvance = (request: Request): void => monitor.note(request);
  closing.push(() => core.pipeline.close());
  closing.push(() => core.close());
  closing.push(() => stopping.abort()); // for a start that fails before there are parts
  const health = healthChecks(backend, signal);
  if (config.storage.type !== 'etcd') health.add(dataDirectoryCheck(backend));
  health.begin(stepNames);
  const steps = startSteps(health.finish);
  steps.done('certificates');
  const informers = informerSync();
  health.add(informers.check);

  const extensions = extensionsOf(config, core.client);
  // A process that serves no requests has no metrics for them.
  const edge = config.startFrontend ? new Registry() : metrics;
  const limiting = limitingOf(config.limits, edge);
  const audit = await auditOf(config.audit, edge, log, closing);
  if (config.startFrontend) await pki.tokenKey.get(); // workers read the existing key
  const server: Frontend = config.startFrontend
    ? await config.startFrontend(backend, metrics)
    : await serve(config, core, {
        ...{ pki, health, registry: metrics, extensions, limiting, audit },
        ...{ offload, closing, onAdvance },
      });
  own.address = { host: advertisedHost(server.host), port: server.port };
  const url = `https://${addressOf(server)}`;
  const { renew } = server;
  closing.push(() => stopServing(config, server));

  const initial = await initialState;
  // Metrics of objects that all processes of a server see are counted by the process that writes them.
  const sharedMetrics = config.populated ? new Registry() : metrics;
  const followed = followState(config, core, { metrics: sharedMetrics, steps, informers, signal });
  steps.done('served');
  const followFairness = (): Promise<void> =>
    limiting.follow(core.client, log, signal).then(() => steps.done('fairness'));
  if (config.populated) {
    await Promise.all([followed, config.populated]);
    await followFairness();
    // The process that wrote the objects did this.
    steps.allWritten();
    steps.done('announced');
    steps.done('identity');
  } else {
    keepRenewed({ pki, directory: config.pkiDirectory, hosts, log, signal, renew });
    await populate({
      ...{ config, client: core.client, backend, initial, pki, server, url },
      ...{ followed, followFairness, steps, closing, signal },
    });
  }
  // An unfinished step would keep the server unready without an error.
  if (!health.isComplete) throw new Error(`steps of the start are left: ${health.unfinished.join(', ')}`);

  const context = partContext(config, core, { url, pki, metrics, health, offload, monitor, signal });
  const contexts = await startParts(config.parts, context, running => {
    closing.push(() => running.stop());
    extensions.add(running);
  }).catch((error: unknown) => {
    stopping.abort(); // parts that have started stop before anything that they depend on
    throw error;
  });
  core.completed();
  // Stalls are not monitored in the thread of simulated members, which no client waits for.
  if (isMainThread) monitor.start();
  // The key is created late: it takes a core meanwhile, and no token was requested yet.
  pki.tokenKey.get().catch((error: unknown) => {
    const message = 'there is no key to sign tokens with; whoever asks for a token makes it be tried again';
    log.error({ cause: (error as Error).message }, message);
  });
  closing.push(() => stopping.abort()); // first: aborts everything that runs for the server
  let stopped: Promise<void> | undefined;
  const { catalogue, client } = core;
  const { host, port } = server;
  return {
    ...{ url, host, port, pki, catalogue, client, renew, contexts, metrics },
    pause: () => server.pause?.(),
    resume: async () => server.resume?.(),
    stop: () => (stopped ??= closing.all()),
  };
}

/** Opens the persistent state of the server: the store and the keys. */
async function openResources(config: ServerConfig, hosts: readonly string[], closing: CloseStack): Promise<Resources> {
  const opening = openStorage(config.storage, config.log).then(({ backend, close }) => {
    closing.push(close);
    const initialState = prepareStore(config, backend);
    initialState.catch(() => undefined); // the start awaits it later
    return { backend, initialState };
  });
  const loading = loadOrCreate(config.pkiDirectory, { hosts, ...(config.tokens && { tokens: config.tokens }) });
  await Promise.allSettled([opening, loading]); // If one fails, the other one must be open before it is closed.
  const [{ backend, initialState }, pki] = await Promise.all([opening, loading]);
  // A key that is being created has a file that is being written.
  closing.push(() => pki.tokenKey.settled());
  return { backend, initialState, pki };
}

/** Registers the metrics of the process and its store. */
function observeProcess(config: ServerConfig, backend: Backend, metrics: Registry, signal: AbortSignal): StallMonitor {
  const { storage, log } = config;
  processMetrics(metrics);
  const { collectedMs } = nodeMetrics(metrics, signal);
  if (storage.type === 'embedded') {
    sizeMetrics(metrics, 'embedded-0', filesIn(storage.directory));
    diskMetrics(metrics, storage.directory, () => backend.refusesWrites === true);
  } else if (backend.size) sizeMetrics(metrics, 'etcd-0', () => backend.size?.() ?? 0);
  return new StallMonitor({ metrics, log, collectedMs, signal });
}

interface PartDeps {
  readonly url: string;
  readonly pki: Pki;
  readonly metrics: Registry;
  readonly health: HealthChecks;
  readonly offload: Offload;
  readonly monitor: StallMonitor;
  readonly signal: AbortSignal;
}

/** Builds the context of parts. */
function partContext(
  { log, featureGates: gates = featureGates() }: ServerConfig,
  { catalogue, clientFor }: Core,
  { url, pki, metrics, health, offload, monitor, signal }: PartDeps,
): PartContext {
  return {
    clientFor: (identity, fieldManager = identity.name) => clientFor(identity, fieldManager),
    ...{ catalogue, url, pki, log, metrics, offload, signal },
    observeQueue: notingQueues(queueMetrics(metrics), monitor),
    meter: meter(metrics),
    featureGates: gates,
    check: check => health.add(check),
  };
}

/** Starts parts one after the other, since a part may need what an earlier one serves. Returns how to reach the servers that they run. */
async function startParts(
  parts: readonly Part[] = [],
  context: PartContext,
  onStarted: (part: RunningPart) => void,
): Promise<KubeconfigContext[]> {
  const contexts: KubeconfigContext[] = [];
  for (const part of parts) {
    const running = await part.start(context);
    if (!running) continue;
    onStarted(running);
    contexts.push(...(running.contexts ?? []));
  }
  return contexts;
}

/** Lets /readyz fail first, so that load balancers remove the server; then accepts no more requests. */
async function stopServing(
  { shutdownDelay = 0, shutdownTimeoutMs, startFrontend }: ServerConfig,
  server: Frontend,
): Promise<void> {
  const shutdownMs = shutdownTimeoutMs ?? defaultShutdownMs;
  // Workers wait for the delay themselves.
  if (startFrontend) return server.stop(shutdownMs + shutdownDelay);
  server.retire?.();
  if (shutdownDelay > 0) await setTimeout(shutdownDelay);
  return server.stop(shutdownMs);
}
