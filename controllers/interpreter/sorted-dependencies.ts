import type { DependentReference } from './interface.js';

const sortKey = ({ apiVersion, kind, namespace = '', name = '' }: DependentReference): string =>
  [apiVersion, kind, namespace, name].join('\0');

/** Returns the dependencies without repetitions, in the order of their fields. */
export function sortedDependencies(dependencies: readonly DependentReference[]): DependentReference[] {
  const unique = new Map(dependencies.map(dependency => [JSON.stringify(dependency), dependency]));
  const keyed = Array.from(unique.values(), dependency => ({ key: sortKey(dependency), dependency }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ dependency }) => dependency);
}
