/** Texts that name the pod or containers with a violation. */
import type { Container, EphemeralContainer, PodSpec } from '../../../api/kubernetes/core.js';

export type AnyContainer = Container | EphemeralContainer;

/** Returns all containers of a pod in the order of the checks. */
export const anyContainersOf = (spec: PodSpec): readonly AnyContainer[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

/** Returns the names of the containers for which the predicate is true. */
export const containersWhere = (spec: PodSpec, predicate: (container: AnyContainer) => boolean): string[] =>
  anyContainersOf(spec)
    .filter(predicate)
    .map(({ name = '' }) => name);

/** Returns the form of a word that agrees with the count. */
export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);
/** Returns texts like `"a", "b"`. */
export const quoted = (texts: readonly string[]): string => `"${texts.join('", "')}"`;
/** Returns the texts in order, each once. */
export const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();

/** Returns texts like `container "a"` and `volumes "a", "b"`. */
export const counted = (what: string, names: readonly string[]): string =>
  `${plural(what, `${what}s`, names.length)} ${quoted(names)}`;

/** Returns a text like `pod and containers "a", "b"`; '' without a violation. */
export function podAndContainers(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [counted('container', containers)] : [])].join(' and ');
}
