/** Reads external.metrics.k8s.io of all ready members, which karmada-metrics-adapter leaves out. */
import { annotations } from '../../api/karmada/well-known.js';
import { type ExternalMetricValue, externalMetrics } from '../../api/kubernetes/metrics.js';
import { matchesRequirement, requirementText } from '../../apimachinery/selectors/label-requirement.js';
import { parseSelector } from '../../apimachinery/selectors/label-selectors.js';
import type { ExternalMetricQuery } from '../../kinds/kubernetes/metrics/value-lists.js';
import { pathOf, queryOf } from '../remote/paths.js';
import { inTimeSlices } from '../../lib/time-slice.js';
import type { ObserveFreshness } from './freshness.js';
import { memberDocument, refuseFor } from './member-document.js';
import { receivedExternalValues, receivedNames } from './received-metrics.js';
import { AnswerBudget, type ReadyMembers } from './ready-members.js';

/** The label with the cluster of a value. Selectors may use it as any other label of the metric. */
const clusterLabel = annotations.queryFromCluster;

export class MergedExternalMetrics {
  readonly #members: ReadyMembers;
  readonly #observe: ObserveFreshness;

  constructor(members: ReadyMembers, observe: ObserveFreshness) {
    this.#members = members;
    this.#observe = observe;
  }

  /** Returns the values of all members, in the order of their names, each with the label of its cluster. */
  async values(query: ExternalMetricQuery, request: AbortSignal): Promise<ExternalMetricValue[]> {
    const { namespace, metric, metricSelector } = query;
    const { requirements } = parseSelector(metricSelector);
    const ofClusters = requirements.filter(({ key }) => key === clusterLabel);
    const others = requirements.filter(({ key }) => key !== clusterLabel);
    const labelSelector = others.map(requirementText).join(',');
    const path = pathOf({ ...externalMetrics, resource: metric }, { namespace }) + queryOf({ labelSelector });
    const budget = new AnswerBudget();
    const answers = await this.#members.ask(request, async (member, signal) => {
      const label = { [clusterLabel]: member.name };
      if (!ofClusters.every(each => matchesRequirement(each, label))) return undefined;
      const document = await memberDocument(member, path, signal, budget.takeBytes);
      const values = await inTimeSlices(receivedExternalValues(document, label, refuseFor(member, path)));
      budget.takeEntries(values.length);
      return values;
    });
    const values = answers.flat();
    for (const { timestamp } of values) this.#observe(externalMetrics.group, timestamp);
    return values;
  }

  /** Returns the names of the metrics of all members. */
  async names(request: AbortSignal): Promise<string[]> {
    const path = `/apis/${externalMetrics.group}/${externalMetrics.version}`;
    const budget = new AnswerBudget();
    const answers = await this.#members.ask(request, async (member, signal) => {
      const names = receivedNames(await memberDocument(member, path, signal, budget.takeBytes));
      budget.takeEntries(names.length);
      return names;
    });
    return [...new Set(answers.flat().map(({ name }) => name))].sort();
  }
}
