/** Reads from annotations which resources the containers of a Pod, and the nodes, use. */
import {
  addQuantities,
  milliQuantityOf,
  parseQuantity,
  type Quantity,
  quantityError,
  quantityMilliValue,
  quantityText,
} from '../../apimachinery/quantity/quantity.js';
import type { Usage } from '../../api/kubernetes/metrics.js';
import type { Pod } from '../pods/state.js';

/** The measured resources. */
const measured = ['cpu', 'memory'] as const;

type Measured = (typeof measured)[number];

/**
 * The annotation for the usage of a resource: on a Pod `250m` for each of its containers, or `CONTAINER=250m,OTHER=1` for single ones; on a Node
 * the usage of the whole node.
 */
const loadAnnotation = (resource: Measured): string => `simulator.flagship.io/${resource}`;

/** Usage of a container without annotation and without requests. */
const idle: Readonly<Record<Measured, string>> = { cpu: '10m', memory: '20Mi' };
/** Usage of a node besides its Pods. */
const system: Readonly<Record<Measured, string>> = { cpu: '100m', memory: '256Mi' };

const readAmount = (text: string): Quantity | undefined =>
  text === '' || quantityError(text) !== undefined ? undefined : parseQuantity(text);

/** Returns the amount that an annotation sets for a container. Invalid entries are ignored. */
function annotated(text: string, container: string): Quantity | undefined {
  let found: Quantity | undefined;
  for (const entry of text.split(',')) {
    const [first = '', second] = entry.split('=');
    if (second === undefined) found ??= readAmount(first.trim());
    else if (first.trim() === container) return readAmount(second.trim()) ?? found;
  }
  return found;
}

/** Returns what a container uses: what the annotations say, else half of its requests. */
function usageOf({ metadata, spec }: Pod, container: string): Usage {
  const { resources } = spec?.containers.find(({ name }) => name === container) ?? {};
  const amounts = measured.map(resource => {
    const set = annotated(metadata.annotations?.[loadAnnotation(resource)] ?? '', container);
    const requested = resources?.requests?.[resource];
    const amount = set ?? (requested === undefined ? parseQuantity(idle[resource]) : halfOf(parseQuantity(requested)));
    return [resource, quantityText(amount)] as const;
  });
  return Object.fromEntries(amounts);
}

const halfOf = (q: Quantity): Quantity => milliQuantityOf(Math.ceil(quantityMilliValue(q) / 2), q.format);

/** Returns the usage of each container of a Pod. */
export const loadOf = (pod: Pod): { readonly name: string; readonly usage: Usage }[] =>
  (pod.spec?.containers ?? []).map(({ name }) => ({ name, usage: usageOf(pod, name) }));

/** Returns the usage of a node: what its annotations say, else the sum of its Pods and of the system. */
export function nodeLoad(annotations: Readonly<Record<string, string>> | undefined, pods: Iterable<Usage>): Usage {
  const sums = new Map<Measured, Quantity>(measured.map(resource => [resource, parseQuantity(system[resource])]));
  for (const usage of pods)
    for (const resource of measured) {
      const before = sums.get(resource);
      if (before) sums.set(resource, addQuantities(before, parseQuantity(usage[resource] ?? '0')));
    }
  for (const resource of measured) {
    const set = readAmount(annotations?.[loadAnnotation(resource)] ?? '');
    if (set) sums.set(resource, set);
  }
  return Object.fromEntries([...sums].map(([resource, amount]) => [resource, quantityText(amount)]));
}
