/** Serves custom.metrics.k8s.io and external.metrics.k8s.io of a simulated member: values that annotations set. */
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { qualified } from '../../apimachinery/errors/status.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { canonicalQuantity, quantityError } from '../../apimachinery/quantity/quantity.js';
import { parseSelector } from '../../apimachinery/selectors/label-selectors.js';
import type { ExternalMetricValue, MetricInfo, CustomMetricValue } from '../../api/kubernetes/metrics.js';
import { namespaces } from '../../api/kubernetes/resources.js';
import type { ListQuery } from '../../client/interface.js';
import { timestamp } from '../../client/runtime/conditions.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import {
  allObjects,
  type ExternalMetricQuery,
  metricNotFound,
  type MetricQuery,
} from '../../kinds/kubernetes/metrics/value-lists.js';
import type { Catalogue, ResourceDefinition } from '../../registry/interface.js';

/** The annotation with the value of a custom metric of its object. */
const metricPrefix = 'simulator.flagship.io/metric.';
/** The annotation on a Namespace with the values of an external metric: `42`, or `queue=orders:42;queue=mails,zone=a:7`. */
const externalPrefix = 'simulator.flagship.io/external-metric.';

/** Resources whose metrics are in the discovery document. Those of others are served, too. */
const discovered = ['pods', 'services', 'nodes', 'deployments.apps', 'namespaces'];

const readValue = (text: string | undefined): string | undefined =>
  text === undefined || quantityError(text) !== undefined ? undefined : canonicalQuantity(text);

/** Reads `a=b,c=d` as labels. */
const readLabels = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(',').map(pair => [pair.split('=')[0]?.trim() ?? '', pair.split('=')[1]?.trim() ?? '']));

export class AnnotatedMetrics {
  readonly #context: ControllerContext;
  readonly #catalogue: Catalogue;

  constructor(context: ControllerContext, catalogue: Catalogue) {
    this.#context = context;
    this.#catalogue = catalogue;
  }

  /** Returns the metrics that any object has. */
  async infos(): Promise<MetricInfo[]> {
    const found = new Map<string, MetricInfo>();
    for (const resource of discovered) {
      const definition = this.#definitionOf(resource);
      if (!definition) continue;
      for (const { metadata } of await this.#objects(definition, {}))
        for (const [annotation, value] of Object.entries(metadata.annotations ?? {})) {
          if (!annotation.startsWith(metricPrefix) || readValue(value) === undefined) continue;
          const metric = annotation.slice(metricPrefix.length);
          found.set(`${resource}/${metric}`, { resource, metric, namespaced: definition.namespaced });
        }
    }
    return [...found.values()];
  }

  /** Returns the values of a custom metric. Rejects with 404 if no object has it. */
  async values(query: MetricQuery): Promise<CustomMetricValue[]> {
    const definition = this.#definitionOf(query.resource);
    if (!definition) throw metricNotFound(query);
    const { namespace, labelSelector, name, metric } = query;
    const isAll = name === allObjects;
    const objects = await this.#objects(definition, {
      ...(namespace !== '' && { namespace }),
      ...(isAll ? labelSelector !== '' && { labelSelector } : { fieldSelector: `metadata.name=${name}` }),
    });
    const now = timestamp(this.#context.clock.now());
    const values = objects.flatMap(({ metadata }): CustomMetricValue[] => {
      const value = readValue(metadata.annotations?.[metricPrefix + metric]);
      if (value === undefined) return [];
      const place = metadata.namespace ? { namespace: metadata.namespace } : {};
      const apiVersion = apiVersionOf({ group: definition.group, version: definition.storageVersion });
      const describedObject = { kind: definition.kind, ...place, name: metadata.name ?? '', apiVersion };
      return [{ describedObject, metric: { name: metric }, timestamp: now, value }];
    });
    if (values.length === 0) throw metricNotFound(query);
    return values;
  }

  /** Returns the names of the external metrics of all namespaces. */
  async externalNames(): Promise<string[]> {
    const names = new Set<string>();
    for (const { metadata } of (await this.#context.client.list(namespaces)).items)
      for (const annotation of Object.keys(metadata.annotations ?? {}))
        if (annotation.startsWith(externalPrefix)) names.add(annotation.slice(externalPrefix.length));
    return [...names];
  }

  /** Returns the values of an external metric: none if the namespace does not have it. */
  async externalValues({ namespace, metric, metricSelector }: ExternalMetricQuery): Promise<ExternalMetricValue[]> {
    const selector = parseSelector(metricSelector);
    const { items } = await this.#context.client.list(namespaces, { fieldSelector: `metadata.name=${namespace}` });
    const text = items[0]?.metadata.annotations?.[externalPrefix + metric];
    if (text === undefined) return [];
    const now = timestamp(this.#context.clock.now());
    return text.split(';').flatMap((entry): ExternalMetricValue[] => {
      const colon = entry.lastIndexOf(':');
      const metricLabels = colon < 0 ? {} : readLabels(entry.slice(0, colon));
      const value = readValue(entry.slice(colon + 1).trim());
      if (value === undefined || !selector.matches(metricLabels)) return [];
      return [{ metricName: metric, metricLabels, timestamp: now, value }];
    });
  }

  #definitionOf(resource: string): ResourceDefinition | undefined {
    for (const definition of this.#catalogue.all())
      if (qualified(definition.plural, definition.group) === resource) return definition;
    return undefined;
  }

  async #objects({ group, storageVersion, plural }: ResourceDefinition, query: ListQuery): Promise<KubeObject[]> {
    const resource = { group, version: storageVersion, resource: plural };
    return (await this.#context.client.list(resource, query)).items;
  }
}
