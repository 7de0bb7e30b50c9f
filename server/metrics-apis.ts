import { jsonText } from '../lib/json/json.js';
import type { Offload } from '../lib/offload/interface.js';
import { customMetricsGroup, externalMetrics, resourceMetrics } from '../api/kubernetes/metrics.js';
import type { ExternalMetricValue, MetricInfo, CustomMetricValue } from '../api/kubernetes/metrics.js';
import type { Delegate, RequestContext, RequestInfo } from '../apiserver/interface.js';
import { karmadaPriority } from '../kinds/karmada/definitions.js';
import { metricsDefinitions } from '../kinds/kubernetes/metrics/resource-metrics.js';
import {
  customMetricsList,
  customVersions,
  type ExternalMetricQuery,
  externalMetricQuery,
  externalMetricsList,
  externalMetricValueList,
  type MetricQuery,
  metricQuery,
  metricValueList,
} from '../kinds/kubernetes/metrics/value-lists.js';
import { createCatalogue } from '../registry/catalogue/catalogue.js';
import type { Pipeline } from '../registry/pipeline/interface.js';
import { collectedInTurns, joinedInTurns } from '../apiserver/http/pieces.js';
import type { RunningPart } from './parts.js';
import { readHandlers } from './read-handlers.js';

/** What the APIs of metrics serve. */
export interface MetricsSource {
  /** metrics.k8s.io. */
  readonly resources: Pick<Pipeline, 'get' | 'list' | 'convert'>;
  /** custom.metrics.k8s.io. */
  readonly custom: {
    infos(signal: AbortSignal): Promise<readonly MetricInfo[]>;
    values(query: MetricQuery, signal: AbortSignal): Promise<readonly CustomMetricValue[]>;
  };
  /** external.metrics.k8s.io. */
  readonly external: {
    names(signal: AbortSignal): Promise<readonly string[]>;
    values(query: ExternalMetricQuery, signal: AbortSignal): Promise<readonly ExternalMetricValue[]>;
  };
}

/** Entries of a list that are written as JSON in one step. */
const entriesAtOnce = 32;

/** Returns the JSON of a document whose last member is a list, in pieces. */
function* listPieces(head: object, name: string, entries: readonly object[]): Generator<Buffer, void> {
  yield Buffer.from(`${jsonText(head).slice(0, -1)},"${name}":[`);
  for (let at = 0; at < entries.length; at += entriesAtOnce) {
    const text = jsonText(entries.slice(at, at + entriesAtOnce)).slice(1, -1);
    yield Buffer.from(at === 0 ? text : `,${text}`);
  }
  yield Buffer.from(']}');
}

/** Responds with a document in which one member is a list, which may be long. */
async function respondList<Name extends string>(
  context: RequestContext,
  name: Name,
  { [name]: entries, ...head }: Readonly<Record<Name, readonly object[]>>,
): Promise<void> {
  const pieces = await collectedInTurns(listPieces(head, name, entries));
  const body = await joinedInTurns(
    pieces,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  const headers = { ...context.answerHeaders(), 'content-type': 'application/json' };
  context.exchange.respond(200, headers, body);
}

/** Reports whether a request is for a group version: its discovery document, or what is below. */
const isFor = (info: RequestInfo, group: string, version: string): boolean =>
  info.isResource ? info.group === group && info.version === version : info.path === `/apis/${group}/${version}`;

function ofResources({ resources }: MetricsSource, offload: Offload): Delegate {
  const serveRead = readHandlers(createCatalogue(metricsDefinitions()), offload);
  const { group, version } = resourceMetrics;
  return info =>
    info.isResource && info.group === group && info.version === version
      ? request => serveRead(request, request.info, resources)
      : undefined;
}

const ofCustom =
  ({ custom }: MetricsSource): Delegate =>
  info => {
    const version = customVersions.find(each => isFor(info, customMetricsGroup, each));
    if (version === undefined) return undefined;
    return async request => {
      const { exchange, query, signal } = request;
      if (!info.isResource)
        return respondList(request, 'resources', customMetricsList(version, await custom.infos(signal)));
      const wanted = metricQuery({ method: exchange.method, ...info }, query);
      return respondList(request, 'items', metricValueList(version, await custom.values(wanted, signal)));
    };
  };

const ofExternal =
  ({ external }: MetricsSource): Delegate =>
  info => {
    if (!isFor(info, externalMetrics.group, externalMetrics.version)) return undefined;
    return async request => {
      const { exchange, query, signal } = request;
      if (!info.isResource) return respondList(request, 'resources', externalMetricsList(await external.names(signal)));
      const wanted = externalMetricQuery({ method: exchange.method, ...info }, query);
      return respondList(request, 'items', externalMetricValueList(await external.values(wanted, signal)));
    };
  };

/** The group versions whose metrics change, so that their discovery documents are made for each request. */
const dynamic = [...customVersions.map(version => ({ group: customMetricsGroup, version })), externalMetrics];

/** Returns the APIs of metrics for a part to serve. */
export function metricsApis(
  source: MetricsSource,
  offload: Offload,
): Required<Pick<RunningPart, 'delegates' | 'groupVersions'>> {
  const versions = dynamic.map(({ group, version }) => {
    const priority = karmadaPriority(group, version) ?? { group: 100, version: 100 };
    return { group, version, priority, freshness: 'Current' as const, resources: [] };
  });
  return {
    delegates: [ofResources(source, offload), ofCustom(source), ofExternal(source)],
    groupVersions: { resources: metricsDefinitions(), dynamic: versions },
  };
}
