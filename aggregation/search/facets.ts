/** Counts the matches of a query by cluster, kind, namespace and health. */
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

  /** Adds the matches of a collection in one namespace, '' for objects without one. `healths`: their number by their health. */
  add({ cluster, kind }: Collection, namespace: string, healths: ReadonlyMap<string, number>): void {
    let count = 0;
    for (const [health, some] of healths) {
      this.health.add(health, some);
      count += some;
    }
    if (count === 0) return;
    this.cluster.add(cluster, count);
    this.kind.add(kind, count);
    if (namespace !== '') this.namespace.add(namespace, count);
  }
}
