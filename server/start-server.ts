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
import type { HealthChecks } from '../apiserver/paths/health-checks.js';
import { fillStore } from './start/fill-store.js';
import type { Part, PartContext, RunningPart } from './parts.js';
import { type Extensions, extensionsOf } from './extensions.js';
import { type RequestLimiter, requestLimiter } from './fairness.js';
import { openOffload } from './offload.js';
import { type InitialState, prepareStore } from './start/populate.js';
import { createChecks } from './start/start-checks.js';
import { addressOf, hasPeers, serve } from './serve.js';
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
  readonly stop: () => Promise<void>;
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
  const stopping = new AbortController();
  const { signal } = stopping;
  setMaxListeners(0, signal); // each part adds listeners
  const hosts = [...new Set([...defaultHosts, advertisedHost(config.listen.host), ...(config.hosts ?? [])])];
  const { backend, initialState, pki } = await openResources(config, hosts, closing);
  const own: { address?: Address } = {};
  const metrics = new Registry();
  const offload = openOffload();
  closing.push(() => offload.close());
  const core = createCore(config, { pki, backend, offload, signal, self: () => own.address, metrics });
  const monitor = observeProcess(config, backend, metrics, signal);
  closing.push(() => core.pipeline.close());
  closing.push(() => core.close());
  closing.push(() => stopping.abort()); // aborts what runs already if the start fails before there are parts
  const checks = createChecks(config, backend, signal);
  const { health } = checks;
  checks.steps.done('certificates');

  const extensions = extensionsOf(config, core);
  const frontend = await openFrontend(config, core, {
    ...{ pki, backend, metrics, health, extensions, offload, monitor, closing },
  });
  const { server } = frontend;
  own.address = { host: advertisedHost(server.host), port: server.port };
  const url = `https://${addressOf(server)}`;
  closing.push(() => stopServing(config, server));
  await fillStore(config, core, {
    ...{ ...checks, ...frontend, backend, pki, hosts, url, metrics, closing, signal },
    initial: await initialState,
  });
  // An unfinished step would keep the server unready without an error.
  if (!health.isComplete) throw new Error(`steps of the start are left: ${health.unfinished.join(', ')}`);

  const peers = peersOf(config, server, url);
  const { started, markStarted } = startOf(signal);
  const context = partContext(config, core, { url, peers, pki, metrics, health, offload, monitor, signal, started });
  const contexts = await startParts(config.parts, context, running => {
    closing.push(() => running.stop());
    extensions.add(running);
  }).catch((error: unknown) => {
    stopping.abort(); // parts that have started stop before anything that they depend on
    throw error;
  });
  core.completed();
  markStarted();
  // Stalls are not monitored in the thread of simulated members, which no client waits for.
  if (isMainThread) monitor.start();
  createTokenKey(pki, config.log);
  closing.push(() => stopping.abort()); // runs before the other closers: aborts everything that runs for the server
  return runningServer(server, closing, { url, pki, core, contexts, metrics });
}

interface Running {
  readonly url: string;
  readonly pki: Pki;
  readonly core: Core;
  readonly contexts: readonly KubeconfigContext[];
  readonly metrics: Registry;
}

function runningServer(
  server: Frontend,
  closing: CloseStack,
  { url, pki, core, contexts, metrics }: Running,
): RunningServer {
  const { host, port, renew } = server;
  const { catalogue, client } = core;
  let stopped: Promise<void> | undefined;
  return {
    ...{ url, host, port, pki, catalogue, client, renew, contexts, metrics },
    pause: () => server.pause?.(),
    resume: async () => server.resume?.(),
    stop: () => (stopped ??= closing.all()),
  };
}

interface FrontendDeps {
  readonly pki: Pki;
  readonly backend: Backend;
  readonly metrics: Registry;
  readonly health: HealthChecks;
  readonly extensions: Extensions;
  readonly offload: Offload;
  readonly monitor: StallMonitor;
  readonly closing: CloseStack;
}

interface OpenedFrontend {
  readonly server: Frontend;
  readonly limiting: RequestLimiter;
}

/** Opens the port in this process, or in worker processes. */
async function openFrontend(config: ServerConfig, core: Core, deps: FrontendDeps): Promise<OpenedFrontend> {
  const { pki, backend, metrics, health, extensions, offload, monitor, closing } = deps;
  // The worker processes export the metrics of requests. Here they would all be zero, so they are not exported.
  const requestMetrics = config.startFrontend ? new Registry() : metrics;
  const limiting = requestLimiter(config.limits, requestMetrics);
  const audit = await auditOf(config.audit, requestMetrics, config.log, closing);
  if (config.startFrontend) {
    await pki.tokenKey.get(); // workers read the existing key
    return { server: await config.startFrontend(backend, metrics), limiting };
  }
  const server = await serve(config, core, {
    ...{ pki, health, registry: metrics, extensions, limiting, audit, offload, closing },
    onAdvance: request => monitor.note(request),
  });
  return { server, limiting };
}

/** Creates the key after the start, since that occupies a core, and no token was requested yet. */
function createTokenKey({ tokenKey }: Pki, log: ServerConfig['log']): void {
  tokenKey.get().catch((error: unknown) => {
    const message = 'the key for service account tokens cannot be created; it is tried again when a token is requested';
    log.error({ cause: (error as Error).message }, message);
  });
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
  // The stop waits until a key that is being created is on disk.
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

/** Returns where other processes reach this one; undefined if there are none. */
function peersOf(config: ServerConfig, { host, ownPort }: Frontend, url: string): PartContext['peers'] {
  if (!hasPeers(config)) return undefined;
  if (config.startFrontend) return { url: undefined };
  return { url: ownPort === undefined ? url : `https://${addressOf({ host, port: ownPort })}` };
}

interface PartDeps {
  readonly url: string;
  readonly peers: PartContext['peers'];
  readonly pki: Pki;
  readonly metrics: Registry;
  readonly health: HealthChecks;
  readonly offload: Offload;
  readonly monitor: StallMonitor;
  readonly signal: AbortSignal;
  readonly started: Promise<void>;
}

/** Builds the context of parts. */
function partContext(
  { log, featureGates: gates = featureGates() }: ServerConfig,
  { authn, catalogue, clientFor, callWebhook }: Core,
  { url, peers, pki, metrics, health, offload, monitor, signal, started }: PartDeps,
): PartContext {
  return {
    clientFor: (identity, fieldManager = identity.name) => clientFor(identity, fieldManager),
    ...{ catalogue, callWebhook, url, pki, log, metrics, offload, signal, started },
    ...(peers && { peers }),
    authorize: authn.authorize,
    observeQueue: notingQueues(queueMetrics(metrics), monitor),
    meter: meter(metrics),
    featureGates: gates,
    check: check => health.add(check),
  };
}

/** Returns a promise that resolves when the start is marked as over, or the signal aborts. */
function startOf(signal: AbortSignal): { readonly started: Promise<void>; readonly markStarted: () => void } {
  let markStarted = (): void => undefined;
  const started = new Promise<void>(resolve => (markStarted = resolve));
  signal.addEventListener('abort', () => markStarted(), { once: true });
  return { started, markStarted: () => markStarted() };
}

/** Starts parts one after the other, since a part may need what an earlier one serves. Returns the kubeconfig contexts of servers that parts run. */
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
  { shutdownDelayMs = 0, shutdownTimeoutMs, startFrontend }: ServerConfig,
  server: Frontend,
): Promise<void> {
  const shutdownMs = shutdownTimeoutMs ?? defaultShutdownMs;
  // Workers wait for the delay themselves.
  if (startFrontend) return server.stop(shutdownMs + shutdownDelayMs);
  server.retire?.();
  if (shutdownDelayMs > 0) await setTimeout(shutdownDelayMs);
  return server.stop(shutdownMs);
}
