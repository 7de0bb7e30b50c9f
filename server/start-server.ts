/** The composition root: a configuration becomes a running server. Several can run in one process. */
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
import { begin, type Beginning, populate } from './populate.js';
import { keepRenewed } from './renewal.js';
import { startSteps, stepNames } from './start-steps.js';
import { addressOf, serve } from './serve.js';
import { notingQueues, StallMonitor } from './stall-monitor.js';
import { openStorage } from './storage.js';

export interface RunningServer {
  /** `https://HOST:PORT` */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly pki: Pki;
  readonly catalogue: LiveCatalogue;
  /** In process, as a member of system:masters. */
  readonly client: Client;
  /** Takes a certificate and its key into use for new connections. */
  renew(certificate: string, key: string): void;
  /** How to reach other servers that parts run. */
  readonly contexts: readonly KubeconfigContext[];
  /** What it and its parts count. */
  readonly metrics: Registry;
  /**
   * Closes the port and ends all connections; what runs in the process goes on. A stand-in for a network that fails. Does nothing where worker
   * processes hold the port.
   */
  pause(): void;
  /** Opens the port again after `pause`. Rejects with the system's error when another process has taken it. */
  resume(): Promise<void>;
  /** Stops the parts, ends watches, answers what was asked, closes the store; resolves when all is closed. */
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

const defaultPatience = 10_000;

interface Kept {
  readonly backend: Backend;
  /** A new store has what all of them begin with. */
  readonly begun: Promise<Beginning>;
  readonly pki: Pki;
}

/** Rejects with what stands in the way (port, folder, store); then nothing is left open. */
export async function startServer(config: ServerConfig): Promise<RunningServer> {
  const closing = new CloseStack();
  try {
    return await start(config, closing);
  } catch (error) {
    await closing
      .all()
      .catch((also: unknown) => config.log.warn({ err: also }, 'what had started could not be stopped'));
    throw error;
  }
}

async function start(config: ServerConfig, closing: CloseStack): Promise<RunningServer> {
  const { log } = config;
  const stopping = new AbortController();
  const { signal } = stopping;
  setMaxListeners(0, signal); // as many as there are parts
  const hosts = [...new Set([...defaultHosts, advertisedHost(config.listen.host), ...(config.hosts ?? [])])];
  const { backend, begun, pki } = await openKept(config, hosts, closing);
  const own: { address?: Address } = {};
  const metrics = new Registry();
  const offload = openOffload();
  closing.push(() => offload.close());
  const core = createCore(config, { pki, backend, signal, self: () => own.address, metrics });
  const monitor = observeProcess(config, backend, metrics, signal);
  const onAdvance = (request: Request): void => monitor.note(request);
  closing.push(() => core.pipeline.close());
  closing.push(() => core.close());
  closing.push(() => stopping.abort()); // should the start fail before there are parts
  const health = healthChecks(backend, signal);
  if (config.storage.type !== 'etcd') health.add(dataDirectoryCheck(backend));
  health.begin(stepNames);
  const steps = startSteps(health.finish);
  steps.done('certificates');
  const informers = informerSync();
  health.add(informers.check);

  const extensions = extensionsOf(config, core.client);
  // Who serves no requests has no seats and no events to tell of.
  const edge = config.front ? new Registry() : metrics;
  const limiting = limitingOf(config.limits, edge);
  const audit = await auditOf(config.audit, edge, log, closing);
  if (config.front) await pki.tokenKey.get(); // workers read what is there
  const server: Frontend = config.front
    ? await config.front(backend, metrics)
    : await serve(config, core, {
        ...{ pki, health, registry: metrics, extensions, limiting, audit },
        ...{ offload, closing, onAdvance },
      });
  own.address = { host: advertisedHost(server.host), port: server.port };
  const url = `https://${addressOf(server)}`;
  const { renew } = server;
  closing.push(() => stopServing(config, server));

  const beginning = await begun;
  // What all processes of a server see, the one that writes it counts.
  const ofStatus = config.populated ? new Registry() : metrics;
  const followed = followState(config, core, { metrics: ofStatus, steps, informers, signal });
  steps.done('served');
  const seat = (): Promise<void> => limiting.follow(core.client, log, signal).then(() => steps.done('fairness'));
  if (config.populated) {
    await Promise.all([followed, config.populated]);
    await seat();
    // By the process that wrote what is there.
    steps.allWritten();
    steps.done('announced');
    steps.done('identity');
  } else {
    keepRenewed({ pki, directory: config.pkiDirectory, hosts, log, signal, renew });
    await populate({
      ...{ config, client: core.client, backend, beginning, pki, server, url },
      ...{ followed, seat, steps, closing, signal },
    });
  }
  // What nobody finishes would never be told.
  if (!health.isComplete) throw new Error(`steps of the start are left: ${health.unfinished.join(', ')}`);

  const context = partContext(config, core, { url, pki, metrics, health, offload, monitor, signal });
  const contexts = await startParts(config.parts, context, running => {
    closing.push(() => running.stop());
    extensions.add(running);
  }).catch((error: unknown) => {
    stopping.abort(); // the parts that have started stop before anything they stand on does
    throw error;
  });
  core.completed();
  // Nobody waits for simulated members, which run in a thread of their own.
  if (isMainThread) monitor.start();
  // Not before: while it is made it takes a core, and nobody has asked for a token yet.
  pki.tokenKey.get().catch((error: unknown) => {
    const told = 'there is no key to sign tokens with; whoever asks for a token makes it be tried again';
    log.error({ cause: (error as Error).message }, told);
  });
  closing.push(() => stopping.abort()); // first of all: whoever works for the server hears that it ends
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

/** What outlives the server: the store, and how it was found; the keys. */
async function openKept(config: ServerConfig, hosts: readonly string[], closing: CloseStack): Promise<Kept> {
  const opening = openStorage(config.storage, config.log).then(({ backend, close }) => {
    closing.push(close);
    const begun = begin(config, backend);
    begun.catch(() => undefined); // the start waits for it later
    return { backend, begun };
  });
  const loading = loadOrCreate(config.pkiDirectory, { hosts, ...(config.tokens && { tokens: config.tokens }) });
  await Promise.allSettled([opening, loading]); // should one fail, the other must be there to be closed
  const [{ backend, begun }, pki] = await Promise.all([opening, loading]);
  // A key that is being made is a file that is being written.
  closing.push(() => pki.tokenKey.settled());
  return { backend, begun, pki };
}

/** What of the process and its store shows in the metrics. */
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

/** What parts are told of the server that they run on. */
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

/** One after the other: a part may need what one before it serves. How to reach what they run. */
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

/** First it only says that it ends, so that whoever spreads requests over several servers leaves it out; then it takes no more. */
async function stopServing(
  { shutdownDelay = 0, shutdownPatience, front }: ServerConfig,
  server: Frontend,
): Promise<void> {
  const patience = shutdownPatience ?? defaultPatience;
  // Workers wait by themselves.
  if (front) return server.stop(patience + shutdownDelay);
  server.retire?.();
  if (shutdownDelay > 0) await setTimeout(shutdownDelay);
  return server.stop(patience);
}
