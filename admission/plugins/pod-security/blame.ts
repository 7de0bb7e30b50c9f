/** Who in a pod does what its standard forbids, in words. */
import type { Container, EphemeralContainer, PodSpec } from '../../../api/kubernetes/core.js';

export type AnyContainer = Container | EphemeralContainer;

/** In the order in which they are judged. */
export const containersOf = (spec: PodSpec): readonly AnyContainer[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

/** Names of the containers that are like that. */
export const containersThat = (spec: PodSpec, isSo: (container: AnyContainer) => boolean): string[] =>
  containersOf(spec)
    .filter(isSo)
    .map(({ name = '' }) => name);

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);
export const quoted = (texts: readonly string[]): string => `"${texts.join('", "')}"`;
export const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();

/** `container "a"`, `volumes "a", "b"` */
export const counted = (what: string, names: readonly string[]): string =>
  `${plural(what, `${what}s`, names.length)} ${quoted(names)}`;

/** `pod and containers "a", "b"`; '' when nobody is to blame. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [counted('container', containers)] : [])].join(' and ');
}
