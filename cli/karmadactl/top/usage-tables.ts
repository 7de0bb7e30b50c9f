/** The tables that `karmadactl top` prints. as pkg/karmadactl/top/metrics_printer.go and metrics_sorter.go */
import { addAmounts, type Amounts } from '../../../apimachinery/quantity/amounts.js';
import {
  compareQuantities,
  type Quantity,
  quantityMilliValue,
  quantityValue,
  zeroQuantity,
} from '../../../apimachinery/quantity/quantity.js';
import { aligned } from '../../../lib/aligned.js';
import type { Measured, MeasuredNode } from './measured.js';
import { compareTexts } from '../../../lib/collections/compare-texts.js';

/** The resource by which rows are sorted; '' for the names. */
export type SortKey = '' | 'cpu' | 'memory';

interface TableOptions {
  readonly sortBy: SortKey;
  readonly noHeaders: boolean;
}

interface PodTableOptions extends TableOptions {
  /** Shows the namespaces. */
  readonly allNamespaces: boolean;
  /** Shows each container. */
  readonly containers: boolean;
  /** Adds a row with the sum. */
  readonly sum: boolean;
}

const amountIn = (usage: Amounts | undefined, name: string): Quantity => usage?.get(name) ?? zeroQuantity;
const cpuText = (usage: Amounts): string => `${quantityMilliValue(amountIn(usage, 'cpu'))}m`;
const memoryText = (usage: Amounts): string => `${Math.floor(quantityValue(amountIn(usage, 'memory')) / 2 ** 20)}Mi`;
/** Returns the order of two rows: the larger usage first, then by name. */
const byUsage =
  <T extends { readonly usage: Amounts | undefined }>(sortBy: SortKey, byName: (a: T, b: T) => number) =>
  (a: T, b: T): number =>
    (sortBy && compareQuantities(amountIn(b.usage, sortBy), amountIn(a.usage, sortBy))) || byName(a, b);

/** Returns the lines of a table of Pods, or of their containers. */
export function podLines(pods: readonly Measured[], options: PodTableOptions): string[] {
  const { sortBy, noHeaders, allNamespaces, containers, sum } = options;
  const byName = (a: Measured, b: Measured): number =>
    compareTexts(a.cluster, b.cluster) || compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name);
  const before = (namespace: string, pod: string): string[] => [
    ...(allNamespaces ? [namespace] : []),
    ...(containers ? [pod] : []),
  ];
  const rows: string[][] = [];
  if (!noHeaders) rows.push([...before('NAMESPACE', 'POD'), 'NAME', 'CLUSTER', 'CPU(cores)', 'MEMORY(bytes)']);
  const total = new Map<string, Quantity>();
  for (const { namespace, name, cluster, usage, containers: each } of [...pods].sort(byUsage(sortBy, byName))) {
    addAmounts(total, usage);
    const parts = containers
      ? [...each].sort(byUsage(sortBy, (a, b) => compareTexts(a.name, b.name)))
      : [{ name, usage }];
    for (const part of parts)
      rows.push([...before(namespace, name), part.name, cluster, cpuText(part.usage), memoryText(part.usage)]);
  }
  if (sum && pods.length > 0) {
    const empty = [...before('', ''), '', ''];
    rows.push([...empty, '________', '________'], [...empty, cpuText(total), memoryText(total)]);
  }
  return aligned(rows);
}

/** Returns which part of the available amount is used, in whole percent; '<unknown>' if that amount is not known. */
function percentOf(usage: Amounts, available: Amounts, name: string): string {
  const whole = available.get(name);
  if (!whole) return '<unknown>';
  return `${Math.floor((quantityMilliValue(amountIn(usage, name)) / quantityMilliValue(whole)) * 100)}%`;
}

/** Returns the lines of a table of nodes. */
// differs: Karmada prints nodes without metrics last, and leaves out the percentages of a node whose size is not known, so that columns shift
export function nodeLines(nodes: readonly MeasuredNode[], { sortBy, noHeaders }: TableOptions): string[] {
  const byName = (a: MeasuredNode, b: MeasuredNode): number =>
    compareTexts(a.name, b.name) || compareTexts(a.cluster, b.cluster);
  const rows: string[][] = [];
  if (!noHeaders) rows.push(['NAME', 'CLUSTER', 'CPU(cores)', 'CPU%', 'MEMORY(bytes)', 'MEMORY%']);
  for (const { name, cluster, usage, available } of [...nodes].sort(byUsage(sortBy, byName))) {
    const unknown = '<unknown>';
    rows.push([
      ...[name, cluster],
      ...(usage ? [cpuText(usage), percentOf(usage, available, 'cpu')] : [unknown, unknown]),
      ...(usage ? [memoryText(usage), percentOf(usage, available, 'memory')] : [unknown, unknown]),
    ]);
  }
  return aligned(rows);
}
