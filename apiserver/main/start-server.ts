/** The composition root: a configuration becomes a running server. Several can run in one process. */
import net from 'node:net';
import { followPolicy } from '../../authn/access/follow.js';
import type { BootstrapOptions } from '../../authn/bootstrap/objects.js';
import { ensureBootstrap } from '../../authn/bootstrap/ensure.js';
import { loadOrCreate, type Pki } from '../../authn/pki/files.js';
import { createCatalogue, type LiveCatalogue } from '../../registry/catalogue/catalogue.js';
import { loopback } from '../../registry/client/loopback.js';
import type { Client, Identity } from '../../registry/interface.js';
import { nativeDefinitions } from '../../registry/kinds/native.js';
import { withAccess } from '../../registry/kinds/with-access.js';
import { createPipeline } from '../../registry/pipeline/pipeline.js';
import { Registry } from 'prom-client';
import { type ApiServer, startApiServer } from '../http/api-server.js';
import { filters } from '../http/filters.js';
import type { HealthCheck } from '../interface.js';
import { serverMetrics } from '../metrics/request-metrics.js';
import { FrameCache } from '../negotiate/frames.js';
import { resources } from '../handlers/resources.js';
import { createAccess } from './access.js';
import { Closing } from './closing.js';
import type { ServerConfig } from './config.js';
import type { PartContext } from './parts.js';
import { pathsOf } from './paths.js';
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
  /** Ends watches, answers what is asked, stops the parts, closes the store. Resolves when all is closed. */
  stop(): Promise<void>;
}

const serverUser: Identity = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

const usualHosts = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** The first address of a range of Services, which is that of `kubernetes`. */
function firstAddress(cidr: string): string {
  const [base = ''] = cidr.split('/');
  return base.includes(':')
    ? `${base.replace(/:?:?$/, '')}::1`
    : base.replace(/\d+$/, last => String(Number(last) + 1));
}

function bootstrapOptions(config: ServerConfig, pki: Pki, { host, port }: ApiServer, url: string): BootstrapOptions {
  const cidr = config.serviceCidr ?? '10.96.0.0/12';
  const karmada = { namespace: 'karmada-system', server: { url, authority: pki.authority.certificate } };
  return {
    now: new Date(),
    trust: {
      clientAuthority: pki.authority.certificate,
      frontProxyAuthority: pki.frontProxyAuthority.certificate,
      allowedNames: ['front-proxy-client'],
    },
    service: { cidr, address: firstAddress(cidr), port, ...(net.isIP(host) === 0 ? {} : { endpoint: host }) },
    ...(config.profile === 'karmada' ? { karmada } : {}),
  };
}

/** Rejects with what stands in the way (port, folder, store); then nothing is left open. */
export async function startServer(config: ServerConfig): Promise<RunningServer> {
  const closing = new Closing();
  try {
    return await start(config, closing);
  } catch (error) {
    await closing.all().catch(() => undefined);
    throw error;
  }
}

async function start(config: ServerConfig, closing: Closing): Promise<RunningServer> {
  const { log, listen } = config;
  const stopping = new AbortController();
  const hosts = [...new Set([...usualHosts, listen.host, ...(config.hosts ?? [])])];
  const [storage, pki] = await Promise.all([
    openStorage(config.storage, log).then(opened => {
      closing.push(() => opened.close());
      return opened;
    }),
    loadOrCreate(config.pkiDirectory, { hosts }),
  ]);

  const access = createAccess(pki, config.anonymous ?? true);
  const catalogue = createCatalogue(withAccess(nativeDefinitions(), access.ports, () => new Date()));
  const pipeline = createPipeline({ catalogue, backend: storage.backend });
  closing.push(() => pipeline.close());
  closing.push(() => stopping.abort()); // should the start fail
  const client = loopback(pipeline, catalogue, serverUser);

  const registry = new Registry();
  const metrics = serverMetrics(registry);
  const checks: HealthCheck[] = [];
  let url = '';
  const route = resources({
    pipeline,
    catalogue,
    authorize: access.authorize,
    metrics,
    frames: new FrameCache(),
    now: () => new Date(),
    random: Math.random,
    minRequestTimeout: config.minRequestTimeout ?? 1_800_000,
    delegates: config.delegates ?? [],
    connect: config.connect,
    paths: pathsOf({
      checks,
      registries: [registry],
      metrics,
      catalogue,
      started: new Date(),
      address: () => url.slice('https://'.length),
    }),
  });
  const server = await startApiServer({
    ...listen,
    certificate: pki.serving.certificate,
    key: pki.serving.key,
    clientAuthorities: pki.authority.certificate,
    filters: filters({ ...access, route, requestTimeout: config.requestTimeout ?? 60_000 }),
    onBug: (request, error) =>
      log.error({ err: error, method: request.exchange.method, path: request.exchange.path }, 'a request failed'),
  });
  closing.push(() => server.stop(config.shutdownPatience ?? 10_000));
  url = `https://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`;

  const following = followPolicy(access.policy, {
    client,
    signal: stopping.signal,
    onError: (resource, error) => log.warn({ err: error, resource }, 'the policy cannot be followed'),
  });
  await Promise.all([following.synced, ensureBootstrap(client, bootstrapOptions(config, pki, server, url))]);

  const context: PartContext = {
    clientFor: (identity, fieldManager = identity.name) => loopback(pipeline, catalogue, identity, { fieldManager }),
    catalogue,
    url,
    pki,
    log,
    metrics: registry,
    signal: stopping.signal,
    check: check => void checks.push(check),
  };
  for (const part of config.parts ?? []) {
    const running = await part.start(context);
    if (running) closing.push(() => running.stop());
  }
  closing.push(() => stopping.abort()); // first of all: whoever works for the server hears that it ends

  let stopped: Promise<void> | undefined;
  return {
    url,
    host: server.host,
    port: server.port,
    pki,
    catalogue,
    client,
    stop: () => (stopped ??= closing.all()),
  };
}
