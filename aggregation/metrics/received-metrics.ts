/** Reads the metrics of members: known fields of the right types. */
import { annotations } from '../../api/karmada/well-known.js';
import { resourceMetrics, type Usage } from '../../api/kubernetes/metrics.js';
import type { ExternalMetricValue, CustomMetricValue } from '../../api/kubernetes/metrics.js';
import type { KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { quantityError } from '../../apimachinery/quantity/quantity.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { Refuse } from '../remote/read-json.js';

type Plain = Readonly<Record<string, unknown>>;

/** Maximum number of labels of a value, and of members of its selector, since each value is read at once. */
const maxMembers = 5000;
/** Maximum characters of a text besides labels and annotations. */
const maxTextLength = 1024;

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textIn(value: unknown, field: string, refuse: Refuse): string {
  if (typeof value !== 'string' || value.length > maxTextLength) return refuse(`${field} is not a text`);
  return value;
}

function quantityIn(value: unknown, field: string, refuse: Refuse): string {
  const text = textIn(value, field, refuse);
  return quantityError(text) === undefined ? text : refuse(`${field} is not a quantity`);
}

function usageIn(value: unknown, refuse: Refuse): Usage {
  if (!isPlain(value)) return refuse('usage is not a map');
  return Object.fromEntries(Object.keys(value).map(name => [name, quantityIn(value[name], 'usage', refuse)]));
}

function containersIn(value: unknown, refuse: Refuse): object[] {
  if (!Array.isArray(value)) return refuse('containers is not a list');
  return value.map((each: unknown) => {
    if (!isPlain(each)) return refuse('a container is not an object');
    return { name: textIn(each['name'], 'name', refuse), usage: usageIn(each['usage'], refuse) };
  });
}

/** Returns the metadata with the annotation that names the cluster. */
function markedMetadata({ metadata }: KubeObject, cluster: string): ObjectMeta {
  const { name = '', namespace, creationTimestamp, labels, annotations: given } = metadata;
  return {
    name,
    ...(namespace && { namespace }),
    ...(typeof creationTimestamp === 'string' && { creationTimestamp }),
    ...(labels && { labels }),
    annotations: { ...given, [annotations.queryFromCluster]: cluster },
  };
}

/** Returns the metrics of a node or pod of a cluster. `refuse` throws for an object of another form. */
export function receivedMetrics(kind: string, object: KubeObject, cluster: string, refuse: Refuse): KubeObject {
  const fields = {
    timestamp: textIn(object['timestamp'], 'timestamp', refuse),
    window: textIn(object['window'], 'window', refuse),
  };
  const usage =
    kind === 'NodeMetrics'
      ? { usage: usageIn(object['usage'], refuse) }
      : { containers: containersIn(object['containers'], refuse) };
  const apiVersion = `${resourceMetrics.group}/${resourceMetrics.version}`;
  return { kind, apiVersion, metadata: markedMetadata(object, cluster), ...fields, ...usage };
}

/** Returns a window in seconds; undefined for none. */
const secondsIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;

function labelsIn(value: unknown, refuse: Refuse): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isPlain(value)) return refuse('metricLabels is not a map');
  const names = Object.keys(value);
  if (names.length > maxMembers) return refuse(`metricLabels has more than ${maxMembers} members`);
  return Object.fromEntries(names.map(name => [name, textIn(value[name], 'metricLabels', refuse)]));
}

function describedObject(value: unknown, refuse: Refuse): CustomMetricValue['describedObject'] {
  if (!isPlain(value)) return refuse('describedObject is not an object');
  const fields = ['kind', 'namespace', 'name', 'apiVersion'].filter(name => value[name] !== undefined);
  return Object.fromEntries(fields.map(name => [name, textIn(value[name], name, refuse)]));
}

function itemsOf(list: unknown, refuse: Refuse): readonly Plain[] {
  const items = isPlain(list) ? list['items'] : undefined;
  if (!Array.isArray(items) || !items.every(isPlain)) return refuse('it is not a list of values');
  return items;
}

/** Returns the number of members of a value and of its parts; some number above `max` if there are more. */
function countMembers(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Object.keys(value).length;
  if (count > max) return count;
  for (const member of Object.values(value)) {
    count += countMembers(member, max - count);
    if (count > max) break;
  }
  return count;
}

/** Returns the selector of a metric. */
const metricSelectorIn = (selector: Plain, refuse: Refuse): Plain =>
  countMembers(selector, maxMembers) <= maxMembers
    ? selector
    : refuse(`a selector has more than ${maxMembers} members`);

/** Returns the values of a MetricValueList in either version. */
export function* receivedValues(list: unknown, refuse: Refuse): InSteps<CustomMetricValue[]> {
  const values: CustomMetricValue[] = [];
  for (const item of itemsOf(list, refuse)) {
    const metric = isPlain(item['metric']) ? item['metric'] : { name: item['metricName'], selector: item['selector'] };
    const windowSeconds = secondsIn(item['windowSeconds'] ?? item['window']);
    const selector = isPlain(metric['selector']) ? { selector: metricSelectorIn(metric['selector'], refuse) } : {};
    values.push({
      describedObject: describedObject(item['describedObject'], refuse),
      metric: { name: textIn(metric['name'], 'the name of the metric', refuse), ...selector },
      timestamp: textIn(item['timestamp'], 'timestamp', refuse),
      ...(windowSeconds !== undefined && { windowSeconds }),
      value: quantityIn(item['value'], 'value', refuse),
    });
    yield;
  }
  return values;
}

/** Returns the values of an ExternalMetricValueList, each with these labels besides its own. */
export function* receivedExternalValues(
  list: unknown,
  labels: Readonly<Record<string, string>>,
  refuse: Refuse,
): InSteps<ExternalMetricValue[]> {
  const values: ExternalMetricValue[] = [];
  for (const item of itemsOf(list, refuse)) {
    const window = secondsIn(item['window']);
    values.push({
      metricName: textIn(item['metricName'], 'metricName', refuse),
      metricLabels: { ...labelsIn(item['metricLabels'], refuse), ...labels },
      timestamp: textIn(item['timestamp'], 'timestamp', refuse),
      ...(window !== undefined && { window }),
      value: quantityIn(item['value'], 'value', refuse),
    });
    yield;
  }
  return values;
}

/** Returns the metrics in a discovery document, by the names `RESOURCE/METRIC` or `METRIC`. */
export function receivedNames(document: unknown): { readonly name: string; readonly namespaced: boolean }[] {
  const entries = isPlain(document) ? document['resources'] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.filter(isPlain).flatMap(({ name, namespaced }) => {
    const isName = typeof name === 'string' && name !== '' && name.length <= maxTextLength;
    return isName ? [{ name, namespaced: namespaced === true }] : [];
  });
}

/** Returns the names of the versions in an APIGroup; none if it is not one. */
export function receivedVersions(group: unknown): unknown[] {
  const versions = isPlain(group) ? group['versions'] : undefined;
  return Array.isArray(versions) ? versions.filter(isPlain).map(({ version }) => version) : [];
}
