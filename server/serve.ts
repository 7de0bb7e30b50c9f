/** Opens the port of a server, and assembles the handlers of its requests. */
import net from 'node:net';
import type { Registry } from 'prom-client';
import type { Pki } from '../authn/pki/files.js';
import { awaitBody, defaultArrivalLimits } from '../apiserver/flow/body-arrivals.js';
import type { Offload } from '../lib/offload/interface.js';
import { countedLimit } from '../apiserver/flow/in-flight.js';
import { maxBody } from '../apiserver/handlers/max-body.js';
import { resourceRequests } from '../apiserver/handlers/resources.js';
import { startApiServer } from '../apiserver/http/api-server.js';
import { edgeFilters } from '../apiserver/http/edge.js';
import { type Audit, type RequestFilter, filters } from '../apiserver/http/filters.js';
import type { Request } from '../apiserver/http/request.js';
import { buildInfo, productInfo } from '../apiserver/metrics/process-metrics.js';
import { metricsText } from '../apiserver/metrics/metrics-text.js';
import { type ServerMetrics, serverMetrics } from '../apiserver/metrics/request-metrics.js';
import { FanOutGroups } from '../apiserver/handlers/fan-out.js';
import { FrameCache } from '../apiserver/negotiate/frames.js';
import { Encodings } from '../apiserver/negotiate/protobuf/encodings.js';
import { versionInfo } from '../apiserver/paths/version.js';
import { advertisedHost } from './advertised-host.js';
import type { CloseStack } from './close-stack.js';
import type { Frontend, ServerConfig } from './config.js';
import type { Core } from './core.js';
import type { Extensions } from './extensions.js';
import type { RequestLimiter } from './fairness.js';
import { CertificateCheck, type HealthChecks } from '../apiserver/paths/health-checks.js';
import type { LogLevel } from './logger.js';
import { pathsOf } from './paths.js';
import { requestLog } from '../apiserver/http/request-log.js';

const defaults = {
  requestTimeoutMs: 60_000,
  minRequestTimeoutMs: 1_800_000,
};

interface ServeDeps {
  readonly pki: Pki;
  readonly health: HealthChecks;
  /** Counts requests. */
  readonly registry: Registry;
  readonly extensions: Extensions;
  readonly limiting: RequestLimiter;
  readonly audit: Audit | undefined;
  readonly offload: Offload;
  readonly closing: CloseStack;
  /** Called for each turn of a request. */
  readonly onAdvance: (request: Request) => void;
}

const versionOf = ({ version = 'unknown' }: ServerConfig): string => version;

/** Returns `HOST:PORT` for clients. */
export const addressOf = ({ host, port }: Pick<Frontend, 'host' | 'port'>): string => {
  const name = advertisedHost(host);
  return `${net.isIPv6(name) ? `[${name}]` : name}:${port}`;
};

/** Reports whether other processes may serve from the same store. */
export const hasPeers = ({ storage, populated, startFrontend }: ServerConfig): boolean =>
  storage.type === 'etcd' || populated !== undefined || startFrontend !== undefined;

const minute = 60_000;

/** Drops encodings that no request has used for a while. */
function withSweeps(encodings: Encodings, closing: CloseStack): Encodings {
  const timer = setInterval(() => encodings.turn(), minute).unref();
  closing.push(() => clearInterval(timer));
  return encodings;
}

interface Handling extends Pick<ServeDeps, 'health' | 'registry' | 'extensions' | 'limiting' | 'offload' | 'closing'> {
  readonly metrics: ServerMetrics;
  /** Returns `HOST:PORT` of the server for clients. */
  readonly address: () => string;
}

/** Assembles the handlers of requests. */
function handlers(
  config: ServerConfig,
  { authn, catalogue, pipeline, aggregator }: Core,
  deps: Handling,
): RequestFilter {
  const { metrics, health, registry, offload, address } = deps;
  const { delegates, connectFor, groupVersions } = deps.extensions;
  const { control } = deps.limiting;
  return resourceRequests({
    ...{ pipeline, catalogue, metrics, offload },
    authorize: authn.authorize,
    frames: new FrameCache(),
    fanOutGroups: new FanOutGroups(),
    encodings: withSweeps(new Encodings(), deps.closing),
    now: () => new Date(),
    random: Math.random,
    minRequestTimeoutMs: config.minRequestTimeoutMs ?? defaults.minRequestTimeoutMs,
    ...{ delegates, connectFor },
    hasPeers: hasPeers(config),
    isComplete: () => health.isComplete,
    paths: pathsOf({
      ...{ authn, metrics, catalogue, control, offload, address },
      aggregated: aggregator,
      ofParts: groupVersions,
      flags: config.flags ?? {},
      version: versionOf(config),
      ...(config.profiling === true && { debug: { setLevel: (level: LogLevel) => config.log.setLevel?.(level) } }),
      checks: health.checks,
      metricsText: config.allMetrics ?? (() => metricsText(registry)),
      started: new Date(),
    }),
  });
}

/** Opens the port. /readyz fails until the start is complete. */
export async function serve(config: ServerConfig, core: Core, deps: ServeDeps): Promise<Frontend> {
  const { authn } = core;
  const { pki, health, registry, audit } = deps;
  const { log } = config;
  const metrics = serverMetrics(registry);
  buildInfo(registry, versionInfo);
  productInfo(registry, versionOf(config), versionInfo.platform);
  let address = '';
  const route = handlers(config, core, { ...deps, metrics, address: () => address });
  let stopping = false;
  const server = await startApiServer({
    ...config.listen,
    hasOwnPort: config.sharesPort === true,
    staysOpen: config.edge?.sendRetryAfter === true,
    onStop: () => (stopping = true),
    certificate: pki.serving.certificate,
    key: pki.serving.key,
    clientAuthorities: pki.authority.certificate + pki.frontProxyAuthority.certificate,
    filters: filters({
      ...authn,
      observe: core.observe,
      awaitBody: awaitBody(maxBody, defaultArrivalLimits, () => performance.now()),
      limit: countedLimit(deps.limiting.filter, metrics, registry, () => performance.now()),
      route,
      edge: [...edgeFilters(config.edge ?? {}, () => stopping), ...(config.earlyFilters ?? [])],
      ...(audit && { audit }),
      requestTimeoutMs: config.requestTimeoutMs ?? defaults.requestTimeoutMs,
    }),
    onAdvance: deps.onAdvance,
    onLate: ({ info }) => metrics.terminated(info, 504),
    onHandshakeError: () => metrics.handshakeFailed(),
    onLongChain: client =>
      log.warn(
        { client },
        'a client has sent a long chain of certificates; new connections from its network wait for some seconds',
      ),
    onBug: ({ exchange: { method, path } }, error) => log.error({ err: error, method, path }, 'a request failed'),
    onEnd: requestLog(log, config.logRequests === true),
  });
  address = addressOf(server);
  const expiry = new CertificateCheck(pki.serving.certificate);
  health.add(expiry);
  const renew = (certificate: string, key: string): void => {
    server.renew(certificate, key);
    expiry.setCertificate(certificate);
  };
  const { host, port, ownPort, retire, pause, resume, stop } = server;
  return { host, port, ownPort, renew, retire, pause, resume, stop };
}
