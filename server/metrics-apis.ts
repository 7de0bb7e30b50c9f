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

function respond(context: RequestContext, document: object): void {
  const headers = { ...context.answerHeaders(), 'content-type': 'application/json' };
  context.exchange.respond(200, headers, Buffer.from(jsonText(document)));
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
      if (!info.isResource) return respond(request, customMetricsList(version, await custom.infos(signal)));
      const wanted = metricQuery({ method: exchange.method, ...info }, query);
      respond(request, metricValueList(version, await custom.values(wanted, signal)));
    };
  };

const ofExternal =
  ({ external }: MetricsSource): Delegate =>
  info => {
    if (!isFor(info, externalMetrics.group, externalMetrics.version)) return undefined;
    return async request => {
      const { exchange, query, signal } = request;
      if (!info.isResource) return respond(request, externalMetricsList(await external.names(signal)));
      const wanted = externalMetricQuery({ method: exchange.method, ...info }, query);
      respond(request, externalMetricValueList(await external.values(wanted, signal)));
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
