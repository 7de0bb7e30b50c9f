/** The requests and answers of custom.metrics.k8s.io and external.metrics.k8s.io. as sigs.k8s.io/custom-metrics-apiserver pkg/apiserver */
import {
  badRequest,
  failure,
  methodNotAllowed,
  pathNotFound,
  type StatusError,
} from '../../../apimachinery/errors/status.js';
import { parseFieldSelector } from '../../../apimachinery/selectors/field-selectors.js';
import { parseSelector } from '../../../apimachinery/selectors/label-selectors.js';
import { customMetricsGroup, externalMetrics } from '../../../api/kubernetes/metrics.js';
import type { ExternalMetricValue, MetricInfo, CustomMetricValue } from '../../../api/kubernetes/metrics.js';

/** The versions of custom.metrics.k8s.io, preferred ones first. */
export const customVersions = ['v1beta2', 'v1beta1'] as const;

type CustomVersion = (typeof customVersions)[number];

/** The name in a path that stands for all objects. */
export const allObjects = '*';

/** The parts of a path that name a metric. */
interface MetricPath {
  readonly method: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  readonly parts: readonly string[];
}

/** The parameters of a request. */
interface Parameters {
  get(name: string): string | undefined;
}

/** A request for the values of a custom metric. */
export interface MetricQuery extends MetricInfo {
  readonly namespace: string;
  /** The name of the described object; `*` for all that the selector selects. */
  readonly name: string;
  readonly labelSelector: string;
  readonly metricLabelSelector: string;
}

/** Returns the selector after a check. Throws 400 for one that cannot be parsed. */
function selectorIn(parameters: Parameters, parameter: string): string {
  const text = parameters.get(parameter) ?? '';
  parseSelector(text);
  return text;
}

function checkName(name: string, parameters: Parameters): void {
  const fields = parseFieldSelector(parameters.get('fieldSelector') ?? '');
  if (!fields.empty && fields.exactMatch('metadata.name') !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

/** Reads a request for a custom metric. Throws 400, 404 or 405 for one that names none. */
export function metricQuery(path: MetricPath, parameters: Parameters): MetricQuery {
  const { method, namespace, resource, name, subresource, parts } = path;
  if (method !== 'GET') throw methodNotAllowed();
  const labelSelector = selectorIn(parameters, 'labelSelector');
  const selectors = { labelSelector, metricLabelSelector: selectorIn(parameters, 'metricLabelSelector') };
  // Metrics of a namespace have a path of their own: `namespaces/NAMESPACE/metrics/METRIC`.
  if (namespace !== '' && resource === 'metrics' && parts.length === 2)
    return { resource: 'namespaces', namespaced: false, metric: name, namespace: '', name: namespace, ...selectors };
  if (parts.length !== 3) throw pathNotFound();
  checkName(name, parameters);
  return { resource, namespaced: namespace !== '', metric: subresource, namespace, name, ...selectors };
}

/** A request for the values of an external metric. */
export interface ExternalMetricQuery {
  readonly namespace: string;
  readonly metric: string;
  readonly metricSelector: string;
}

/** Reads a request for an external metric: `namespaces/NAMESPACE/METRIC`. */
export function externalMetricQuery(path: MetricPath, parameters: Parameters): ExternalMetricQuery {
  const { method, namespace, resource, parts } = path;
  if (method !== 'GET') throw methodNotAllowed();
  if (parts.length !== 1 || namespace === '') throw pathNotFound();
  return { namespace, metric: resource, metricSelector: selectorIn(parameters, 'labelSelector') };
}

/** Returns the error for a metric that no object has. as pkg/provider NewMetricNotFoundError */
export const metricNotFound = ({ metric, resource }: Pick<MetricInfo, 'metric' | 'resource'>): StatusError =>
  failure(404, 'NotFound', `the server could not find the metric ${metric} for ${resource}`);

const inVersion1 = ({ metric, windowSeconds, describedObject, timestamp, value }: CustomMetricValue): object => ({
  describedObject,
  metricName: metric.name,
  timestamp,
  ...(windowSeconds !== undefined && { window: windowSeconds }),
  value,
  selector: metric.selector ?? null,
});

const inVersion2 = ({ metric, windowSeconds, describedObject, timestamp, value }: CustomMetricValue): object => ({
  describedObject,
  metric: { name: metric.name, selector: metric.selector ?? null },
  timestamp,
  ...(windowSeconds !== undefined && { windowSeconds }),
  value,
});

/** A document with one list, which may be long. */
type MetricDocument<List extends string> = Readonly<Record<List, readonly object[]>> & {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata?: object;
  readonly groupVersion?: string;
};

/** Returns the list of the values of a custom metric. */
export const metricValueList = (
  version: CustomVersion,
  values: readonly CustomMetricValue[],
): MetricDocument<'items'> => ({
  kind: 'MetricValueList',
  apiVersion: `${customMetricsGroup}/${version}`,
  metadata: {},
  items: values.map(version === 'v1beta1' ? inVersion1 : inVersion2),
});

/** Returns the answer of external.metrics.k8s.io, without a revision, since these values are not stored. */
export const externalMetricValueList = (items: readonly ExternalMetricValue[]): MetricDocument<'items'> => ({
  kind: 'ExternalMetricValueList',
  apiVersion: `${externalMetrics.group}/${externalMetrics.version}`,
  metadata: {},
  items,
});

const resourceList = (groupVersion: string, resources: readonly object[]): MetricDocument<'resources'> => ({
  ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources },
});

/** Returns the discovery document of custom metrics. */
export const customMetricsList = (version: CustomVersion, infos: readonly MetricInfo[]): MetricDocument<'resources'> =>
  resourceList(
    `${customMetricsGroup}/${version}`,
    infos.map(({ resource, namespaced, metric }) => ({
      name: `${resource}/${metric}`,
      singularName: '',
      namespaced,
      kind: 'MetricValueList',
      verbs: ['get'],
    })),
  );

/** Returns the discovery document of external metrics. */
export const externalMetricsList = (metrics: readonly string[]): MetricDocument<'resources'> =>
  resourceList(
    `${externalMetrics.group}/${externalMetrics.version}`,
    metrics.map(name => ({
      ...{ name, singularName: '', namespaced: true, kind: 'ExternalMetricValueList', verbs: ['get'] },
    })),
  );
