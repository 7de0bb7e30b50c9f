/** Counts the matches of a query by cluster, kind, namespace and health. */
import type { IndexedObject } from '../search-index/collection-index.js';
import type { Collection } from './caches.js';

/** Maximum number of values of a facet in an answer; the most frequent ones are shown. */
const maxValues = 100;

class Facet {
  readonly #counts = new Map<string, number>();

  add(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
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

  add({ cluster, kind }: Collection, { namespace, health }: IndexedObject): void {
    this.cluster.add(cluster);
    this.kind.add(kind);
    if (namespace !== '') this.namespace.add(namespace);
    this.health.add(health);
  }
}
