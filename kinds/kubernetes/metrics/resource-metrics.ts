/** Defines metrics.k8s.io, whose objects are computed for each request. as metrics-server pkg/api */
import { canonicalQuantity, parseQuantity, quantityText } from '../../../apimachinery/quantity/quantity.js';
import { addAmounts, amountsOf } from '../../../apimachinery/quantity/amounts.js';
import type { Quantity } from '../../../apimachinery/quantity/quantity.js';
import { type NodeMetrics, type PodMetrics, resourceMetrics } from '../../../api/kubernetes/metrics.js';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { Printer, ResourceDefinition } from '../../../registry/interface.js';
import { name, printer } from '../../../registry/printer.js';
import { strategy } from '../../../registry/strategy/strategy.js';

const columns = [
  name,
  { name: 'cpu', type: 'string', format: 'quantity' },
  { name: 'memory', type: 'string', format: 'quantity' },
  { name: 'Window', type: 'string', format: 'duration' },
] as const;

/** The first object decides about upstream's columns; here they are always those of every metrics server. */
const nodePrinter = printer<NodeMetrics>(columns, ({ metadata, usage, window }) => [
  ...[metadata.name ?? '', canonicalQuantity(usage['cpu'] ?? '0'), canonicalQuantity(usage['memory'] ?? '0')],
  window,
]);

const podPrinter = printer<PodMetrics>(columns, ({ metadata, containers, window }) => {
  const sums = new Map<string, Quantity>();
  for (const { usage } of containers) addAmounts(sums, amountsOf(usage));
  const sum = (resource: string): string => quantityText(sums.get(resource) ?? parseQuantity('0'));
  return [metadata.name ?? '', sum('cpu'), sum('memory'), window];
});

function define(kind: string, plural: string, namespaced: boolean, columns: Printer): ResourceDefinition {
  const { group, version } = resourceMetrics;
  const schema = nativeSchemaFor({ group, version, kind });
  if (!schema) throw new Error(`no schema for ${group}/${version} ${kind}`);
  return {
    ...{ group, kind, plural, namespaced },
    listKind: `${kind}List`,
    singular: '',
    shortNames: [],
    categories: [],
    versions: [{ name: version, served: true, schema, printer: columns, selectableFields: {} }],
    storageVersion: version,
    storagePrefix: '', // nothing is stored
    verbs: ['get', 'list'],
    strategy: strategy(),
    subresources: {},
    wire: { keys: 'declared', itemsCarryType: false, strategicMerge: true, protobuf: false },
  };
}

let definitions: readonly ResourceDefinition[] | undefined;

/** Returns the resources of metrics.k8s.io, always the same objects. */
export const metricsDefinitions = (): readonly ResourceDefinition[] =>
  (definitions ??= [
    define('NodeMetrics', 'nodes', false, nodePrinter),
    define('PodMetrics', 'pods', true, podPrinter),
  ]);

const packageName = 'io.k8s.metrics.pkg.apis.metrics.v1beta1.';

/** Type -> its description, under '', and the descriptions of its fields. */
const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  NodeMetrics: {
    '': 'The resources that a node uses.',
    timestamp: 'The end of the time in which the usage was measured.',
    window: 'The length of the time in which the usage was measured.',
    usage: 'The used amount of each resource. That of memory is the working set.',
  },
  PodMetrics: {
    '': 'The resources that the containers of a pod use.',
    timestamp: 'The end of the time in which the usage was measured.',
    window: 'The length of the time in which the usage was measured.',
    containers: 'The usage of each container, measured in the same time.',
  },
  ContainerMetrics: {
    '': 'The resources that a container uses.',
    name: 'The name of the container in the spec of its pod.',
    usage: 'The used amount of each resource. That of memory is the working set.',
  },
};

/** Returns the text for a type by its name in OpenAPI, or for a field of it; undefined for all types that are not those of metrics. */
export function describeMetrics(typeName: string, field = ''): string | undefined {
  if (!typeName.startsWith(packageName)) return undefined;
  return texts[typeName.slice(packageName.length)]?.[field];
}
