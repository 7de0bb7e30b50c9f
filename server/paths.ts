import type { Offload } from '../lib/offload/interface.js';
import type { Authn } from '../authn/authn.js';
import { keySetPath, openIdConfigurationPath } from '../authn/identity/service-account/documents.js';
import { nativeDescription, parameterDescription } from '../openapi/facts/descriptions.js';
import type { PublishSource, RemoteGroupVersion } from '../openapi/publish/interface.js';
import { protobufTask } from '../openapi/publish/protobuf/protobuf-tasks.js';
import { publications } from '../openapi/publish/publications.js';
import { describeKarmada } from '../kinds/karmada/descriptions.js';
import { karmadaPriority } from '../kinds/karmada/definitions.js';
import { describeMetrics } from '../kinds/kubernetes/metrics/resource-metrics.js';
import type { LiveCatalogue } from '../registry/catalogue/catalogue.js';
import type { FlowControl } from '../apiserver/flow/flow-control.js';
import { unknownInGroup } from '../apiserver/handlers/route.js';
import type { RequestFilter } from '../apiserver/http/filters.js';
import type { HealthCheck } from '../apiserver/interface.js';
import { healthSlis } from '../apiserver/metrics/health-slis.js';
import type { ServerMetrics } from '../apiserver/metrics/request-metrics.js';
import { debugFlags, debugFlagsPath, verbosity } from '../apiserver/paths/debug-flags.js';
import { discovery } from '../apiserver/paths/discovery.js';
import { profiling, profilingPath, profilingRoot } from '../apiserver/paths/profiling.js';
import { flowDump, flowDumpPath } from '../apiserver/paths/flow-dump.js';
import { healthEndpoints } from '../apiserver/paths/health.js';
import { indexPage } from '../apiserver/paths/index-page.js';
import { metricsText } from '../apiserver/metrics/metrics-text.js';
import { metrics as metricsPage } from '../apiserver/paths/metrics.js';
import { openApiV2, openApiV3 } from '../apiserver/paths/openapi.js';
import { type PathTable, pathFilter } from '../apiserver/paths/paths.js';
import { version } from '../apiserver/paths/version.js';
import { flagz, statusz } from '../apiserver/paths/zpages.js';
import { jsonWebKeys, serveOpenIdConfiguration } from '../apiserver/paths/well-known.js';
import type { Extensions } from './extensions.js';
import type { LogLevel } from './logger.js';

interface PathsDeps {
  readonly authn: Authn;
  readonly checks: readonly HealthCheck[];
  /** Returns the text of /metrics, in parts. */
  readonly metricsText: () => Promise<readonly string[]>;
  readonly metrics: ServerMetrics;
  readonly catalogue: LiveCatalogue;
  /** The group versions of other servers. */
  readonly aggregated: { readonly generation: number; versions(): RemoteGroupVersion[] };
  /** The group versions of parts. */
  readonly ofParts: Extensions['groupVersions'];
  /** Absent: plain limits. */
  readonly control: FlowControl | undefined;
  /** The flags that the server was started with. */
  readonly flags: Readonly<Record<string, string>>;
  /** Absent: /debug is not served. */
  readonly debug?: { readonly setLevel: (level: LogLevel) => void };
  readonly started: Date;
  /** The version of Flagship. */
  readonly version: string;
  readonly offload: Offload;
  /** Returns `host:port`. */
  readonly address: () => string;
}

/** Paths that /statusz links to. */
const aboutServer = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

/** Returns the paths for debugging. A user with access to them can inspect the server, and slow it down. */
function debugPaths({ setLevel }: NonNullable<PathsDeps['debug']>): PathTable {
  const flags = debugFlags({ v: verbosity(setLevel) });
  return {
    '/debug/pprof': profilingRoot,
    [profilingPath]: profiling(),
    '/debug/flags': flags,
    [debugFlagsPath]: flags,
  };
}

/** Returns the filter for all paths that are not resources. */
export function pathsOf(deps: PathsDeps): RequestFilter {
  const { checks, catalogue, aggregated, ofParts } = deps;
  const source: PublishSource = {
    generation: () => `${catalogue.generation} ${aggregated.generation} ${ofParts.generation}`,
    resources: () => [...catalogue.all(), ...ofParts.resources()],
    remote: () => [...aggregated.versions(), ...ofParts.versions()],
    priority: karmadaPriority,
    describe: (type, field) =>
      describeKarmada(type, field) ?? describeMetrics(type, field) ?? nativeDescription(type, field),
    describeParameter: parameterDescription,
  };
  // The documents are the same for every user, so their work has one key in the queue.
  const documents = publications(source, (version, json) => deps.offload.run(protobufTask(version), json));
  const discover = discovery({ documents, serverAddress: deps.address, unknownVersion: unknownInGroup(catalogue) });
  const openApi = openApiV3(documents);
  const slis = healthSlis();
  const table: PathTable = {
    '/': indexPage(() => Object.keys(table).filter(path => path !== '/' && !path.startsWith('/debug/'))),
    ...(deps.control && { [flowDumpPath]: flowDump(deps.control) }),
    ...(deps.debug && debugPaths(deps.debug)),
    '/api': discover,
    '/api/': discover,
    '/apis': discover,
    '/apis/': discover,
    '/openapi/v2': openApiV2(documents),
    '/openapi/v3': openApi,
    '/openapi/v3/': openApi,
    [openIdConfigurationPath]: serveOpenIdConfiguration(() =>
      deps.authn.openIdConfiguration(`https://${deps.address()}`),
    ),
    [keySetPath]: jsonWebKeys(() => deps.authn.keySet()),
    '/version': version,
    '/version/': version,
    '/metrics': metricsPage(deps.metricsText),
    '/metrics/slis': metricsPage(() => metricsText(slis.registry)),
    '/statusz': statusz({ started: deps.started, version: deps.version, paths: () => aboutServer }),
    '/flagz': flagz(deps.flags),
    '/healthz': healthEndpoints('healthz', checks, slis.observe),
    '/healthz/': healthEndpoints('healthz', checks, slis.observe),
    '/livez': healthEndpoints('livez', checks, slis.observe),
    '/livez/': healthEndpoints('livez', checks, slis.observe),
    '/readyz': healthEndpoints('readyz', checks, slis.observe),
    '/readyz/': healthEndpoints('readyz', checks, slis.observe),
  };
  return pathFilter(table, deps.metrics);
}
