/** Reads custom.metrics.k8s.io of all ready members. as karmada pkg/metricsadapter/provider CustomMetricsProvider */
import { customMetricsGroup, type MetricInfo, type CustomMetricValue } from '../../api/kubernetes/metrics.js';
import { addQuantities, parseQuantity, quantityText } from '../../apimachinery/quantity/quantity.js';
import { eachInTurns, inTimeSlices } from '../../lib/time-slice.js';
import { allObjects, metricNotFound, type MetricQuery } from '../../kinds/kubernetes/metrics/value-lists.js';
import { pathOf, queryOf } from '../remote/paths.js';
import type { ObserveFreshness } from './freshness.js';
import { memberDocument, refuseFor } from './member-document.js';
import { receivedNames, receivedValues } from './received-metrics.js';
import { AnswerBudget, type ReadyMembers } from './ready-members.js';
import type { ServedVersions } from './served-versions.js';

/** Returns the path of a metric on a member. */
function pathIn(version: string, query: MetricQuery): string {
  const { resource, namespaced, namespace, name, metric, labelSelector, metricLabelSelector } = query;
  const group = customMetricsGroup;
  // Metrics of a namespace have a path of their own.
  if (resource === 'namespaces' && !namespaced)
    return (
      pathOf({ group, version, resource: 'metrics' }, { namespace: name, name: metric }) +
      queryOf({ metricLabelSelector })
    );
  const key = { ...(namespaced && { namespace }), name };
  const path = pathOf({ group, version, resource }, key, metric);
  return path + queryOf({ metricLabelSelector, ...(name === allObjects && { labelSelector }) });
}

function sum(value: CustomMetricValue, more: CustomMetricValue): CustomMetricValue {
  return { ...value, value: quantityText(addQuantities(parseQuantity(value.value), parseQuantity(more.value))) };
}

export class MergedCustomMetrics {
  readonly #members: ReadyMembers;
  readonly #versions: ServedVersions;
  readonly #observe: ObserveFreshness;

  constructor(members: ReadyMembers, versions: ServedVersions, observe: ObserveFreshness) {
    this.#members = members;
    this.#versions = versions;
    this.#observe = observe;
  }

  /** Returns the values, one per object name: those of objects with the same name in several clusters are added up. Rejects with 404 for none. */
  async values(query: MetricQuery, request: AbortSignal): Promise<CustomMetricValue[]> {
    const budget = new AnswerBudget();
    const answers = await this.#members.ask(request, async (member, signal) => {
      const version = await this.#versions.of(member, signal);
      if (version === undefined) return undefined;
      const path = pathIn(version, query);
      const document = await memberDocument(member, path, signal, budget.takeBytes);
      const values = await inTimeSlices(receivedValues(document, refuseFor(member, path)));
      budget.takeEntries(values.length);
      return values;
    });
    const byName = new Map<string, CustomMetricValue>();
    await eachInTurns(answers.flat(), value => {
      const name = query.name === allObjects ? (value.describedObject.name ?? '') : query.name;
      const known = byName.get(name);
      byName.set(name, known ? sum(known, value) : value);
      this.#observe(customMetricsGroup, value.timestamp);
    });
    if (byName.size === 0) throw metricNotFound(query);
    return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  }

  /** Returns the metrics of all members. */
  async infos(request: AbortSignal): Promise<MetricInfo[]> {
    const budget = new AnswerBudget();
    const answers = await this.#members.ask(request, async (member, signal) => {
      const version = await this.#versions.of(member, signal);
      if (version === undefined) return undefined;
      const path = `/apis/${customMetricsGroup}/${version}`;
      const names = receivedNames(await memberDocument(member, path, signal, budget.takeBytes));
      budget.takeEntries(names.length);
      return names;
    });
    const found = new Map<string, MetricInfo>();
    for (const { name, namespaced } of answers.flat()) {
      const slash = name.indexOf('/');
      if (slash < 0) continue;
      const info = { resource: name.slice(0, slash), metric: name.slice(slash + 1), namespaced };
      found.set(`${name} ${String(namespaced)}`, info);
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, info]) => info);
  }
}
