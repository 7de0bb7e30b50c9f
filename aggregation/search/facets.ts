/** Counts the matches of a query by cluster, kind, namespace and health. */
import type { NamespaceMatches } from '../search-index/object-groups.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { Collection } from './caches.js';

/** Maximum number of values of a facet in an answer; the most frequent ones are shown. */
const maxValues = 100;

/** A value and its count. */
type Count = readonly [value: string, count: number];

/** Reports whether a value is shown before another one: it is more frequent, or the first by name. */
const isBefore = ([a, m]: Count, [b, n]: Count): boolean => m > n || (m === n && a < b);

/** The first values in their order. */
class FirstCounts {
  readonly #counts: Count[] = [];

  add(count: Count): void {
    const counts = this.#counts;
    const last = counts.at(-1);
    if (last && counts.length === maxValues && !isBefore(count, last)) return;
    let [from, to] = [0, counts.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (isBefore(count, counts[middle] as Count)) to = middle;
      else from = middle + 1;
    }
    counts.splice(from, 0, count);
    if (counts.length > maxValues) counts.pop();
  }

  get all(): readonly Count[] {
    return this.#counts;
  }
}

/** Values that are visited in one step. */
const stride = 256;

class Facet {
  readonly #counts = new Map<string, number>();

  add(value: string, count: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
  }

  /** Returns the highest counts, the highest first, as a computation in steps: there may be a hundred thousand namespaces. */
  *shown(): InSteps<Record<string, number>> {
    const first = new FirstCounts();
    const strides = new Strides(stride);
    for (const count of this.#counts) {
      first.add(count);
      if (strides.isOver) yield;
    }
    return Object.fromEntries(first.all);
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

  /** Returns the counts that an answer shows, by facet, as a computation in steps. */
  *shown(): InSteps<Readonly<Record<string, Record<string, number>>>> {
    const { cluster, kind, namespace, health } = this;
    return {
      cluster: yield* cluster.shown(),
      kind: yield* kind.shown(),
      namespace: yield* namespace.shown(),
      health: yield* health.shown(),
    };
  }
}
