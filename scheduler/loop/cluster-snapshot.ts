import type { Informer, Key } from '../../client/runtime/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { Cluster } from '../../api/karmada/types.js';

type Enablements = NonNullable<Cluster['status']>['apiEnablements'];

/** Lists of kinds that are compared with those of another cluster. */
const maxLists = 8;

/**
 * Clusters as decisions read them: parsed once per change, with only the parts that decisions read, so that a change of any other part is none. The list
 * is another array only if a decision may come out differently. Most clusters serve the same kinds, which are held once.
 */
export class ClusterSnapshot {
  readonly #clusters = new Map<Key, Cluster>();
  readonly #lists: Enablements[] = [];
  #list: readonly Cluster[] | undefined;

  /** Follows a mirror. */
  follow(mirror: Pick<Informer<Cluster>, 'onChange'>): void {
    mirror.onChange(({ key, new: cluster }) => this.set(key, cluster));
  }

  get(name: string): Cluster | undefined {
    return this.#clusters.get(name);
  }

  /** All clusters, in the order in which they have come. */
  get list(): readonly Cluster[] {
    return (this.#list ??= [...this.#clusters.values()]);
  }

  /** Applies a change of a cluster; undefined: it is gone. */
  set(key: Key, cluster: Cluster | undefined): void {
    if (!cluster) {
      this.#clusters.delete(key);
      this.#list = undefined;
      return;
    }
    const known = this.#clusters.get(key);
    const part = this.#partOf(cluster, known);
    if (known && deepEqual(known, part)) return;
    this.#clusters.set(key, part);
    this.#list = undefined;
  }

  /** Returns what decisions read of a cluster. Parts that are the same as before stay the same objects, with what is known of them. */
  #partOf({ apiVersion, kind, metadata, spec, status }: Cluster, known: Cluster | undefined): Cluster {
    const { name, labels, deletionTimestamp } = metadata;
    const { apiEnablements, resourceSummary } = status ?? {};
    const summary = deepEqual(resourceSummary, known?.status?.resourceSummary)
      ? known?.status?.resourceSummary
      : resourceSummary;
    const enablements = this.#shared(apiEnablements, known?.status?.apiEnablements);
    return {
      ...{ apiVersion, kind },
      metadata: {
        ...(name !== undefined && { name }),
        ...(labels && { labels }),
        ...(deletionTimestamp && { deletionTimestamp }),
      },
      spec: known && deepEqual(spec, known.spec) ? known.spec : spec,
      status: {
        ...(enablements && { apiEnablements: enablements }),
        ...(summary && { resourceSummary: summary }),
      },
    };
  }

  /** Returns an equal list that is held already, or the list itself. */
  #shared(list: Enablements, known: Enablements): Enablements {
    if (!list) return undefined;
    if (known && deepEqual(list, known)) return known;
    const equal = this.#lists.find(each => deepEqual(each, list));
    if (equal) return equal;
    if (this.#lists.length >= maxLists) this.#lists.shift();
    this.#lists.push(list);
    return list;
  }
}
