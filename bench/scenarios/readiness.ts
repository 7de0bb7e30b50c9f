import type { Cluster } from '../../api/karmada/types.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';

/** An event of a watch of clusters. */
export interface ClusterEvent {
  readonly type: string;
  readonly object: Cluster;
}

/** Records which clusters are Ready, and which have not been at some time. */
export class Readiness {
  readonly #names: ReadonlySet<string>;
  readonly #ready = new Set<string>();
  readonly #lost = new Set<string>();

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
  }

  note({ type, object }: ClusterEvent): void {
    const { name = '' } = object.metadata;
    if (!this.#names.has(name)) return;
    if (type !== 'DELETED' && isClusterReady(object)) this.#ready.add(name);
    else this.#lost.add(name);
  }

  /** Throws an Error with the names when a cluster was not Ready in one of its events, or had none. */
  check(): void {
    const faulty = [...this.#names].filter(name => this.#lost.has(name) || !this.#ready.has(name));
    if (faulty.length > 0)
      throw new Error(`${faulty.length} of ${this.#names.size} members were not Ready: ${faulty.join(', ')}`);
  }
}
