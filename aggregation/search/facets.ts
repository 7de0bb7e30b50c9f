/** Counts the matches of a query by cluster, kind, namespace and health. */
import type { NamespaceMatches } from '../search-index/object-groups.js';
import type { Collection } from './caches.js';

/** Maximum number of values of a facet in an answer; the most frequent ones are shown. */
const maxValues = 100;

class Facet {
  readonly #counts = new Map<string, number>();

  add(value: string, count: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
  }

  /** Returns the counts, the highest first. */
  toJSON(): Record<string, number> {
    const sorted = [...this.#counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return Object.fromEntries(sorted.slice(0, maxValues));
  }
}

export class Facets {
  readonly cluster = new Facet();
  readonly kind = new Facet();
  readonly namespace = new Facet();
  readonly health = new Facet();

  /** Adds the matches of a collection in one namespace. */
  add({ cluster, kind }: Collection, { namespace, matches, healths }: NamespaceMatches): void {
    for (const [health, count] of healths) this.health.add(health, count);
    this.cluster.add(cluster, matches);
    this.kind.add(kind, matches);
    if (namespace !== '') this.namespace.add(namespace, matches);
  }
}
