import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { SearchHealth } from './health.js';

/** What a query has found in one namespace. */
export interface NamespaceMatches {
  /** '' for objects without one. */
  readonly namespace: string;
  /** The number of all objects in the namespace. */
  readonly size: number;
  readonly matches: number;
  /** The number of matches with each health that any has. */
  readonly healths: ReadonlyMap<SearchHealth, number>;
}

interface Namespace {
  readonly index: number;
  readonly name: string;
  /** The number of its objects. There is one at least. */
  size: number;
}

const healths: readonly SearchHealth[] = ['Healthy', 'Unhealthy', 'Unknown'];

/**
 * The groups of the objects of an index: those of one namespace with one health. They are small numbers, so that matches are counted in an array; no
 * object is in group 0.
 */
export class ObjectGroups {
  readonly #byName = new Map<string, Namespace>();
  readonly #byIndex: (Namespace | undefined)[] = [undefined];
  /** The indexes of namespaces that became empty. */
  readonly #free: number[] = [];

  /** Adds an object to its group. Returns the group. */
  add(name: string, health: SearchHealth): number {
    let namespace = this.#byName.get(name);
    if (!namespace) {
      namespace = { index: this.#free.pop() ?? this.#byIndex.length, name, size: 0 };
      this.#byIndex[namespace.index] = namespace;
      this.#byName.set(name, namespace);
    }
    namespace.size++;
    return namespace.index * healths.length + healths.indexOf(health);
  }

  /** Removes an object from its group. */
  remove(group: number): void {
    const namespace = this.#at(group);
    if (!namespace || --namespace.size > 0) return;
    this.#byName.delete(namespace.name);
    this.#byIndex[namespace.index] = undefined;
    this.#free.push(namespace.index);
  }

  /** Returns the namespace of a group; undefined for a group without objects. */
  namespaceOf(group: number): string | undefined {
    return this.#at(group)?.name;
  }

  /** Returns an array of zeros, with a place for each group. */
  zeros(): Uint32Array {
    return new Uint32Array(this.#byIndex.length * healths.length);
  }

  /** Returns the namespaces with matches. `counts`: the number of matches in each group. What comes or goes between two steps may be missing. */
  *matches(counts: Uint32Array): InSteps<readonly NamespaceMatches[]> {
    const found: NamespaceMatches[] = [];
    const strides = new Strides(256);
    for (const namespace of this.#byIndex) {
      if (strides.isOver) yield;
      if (!namespace) continue;
      const { index, name, size } = namespace;
      const known = new Map<SearchHealth, number>();
      let matches = 0;
      for (const [i, health] of healths.entries()) {
        const count = counts[index * healths.length + i] ?? 0;
        if (count > 0) known.set(health, count);
        matches += count;
      }
      if (matches > 0) found.push({ namespace: name, size, matches, healths: known });
    }
    return found;
  }

  #at(group: number): Namespace | undefined {
    return this.#byIndex[Math.floor(group / healths.length)];
  }
}
