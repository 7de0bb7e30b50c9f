import type { Cluster, ResourceModel } from '../../api/karmada/types.js';
import { nodes, pods } from '../../api/kubernetes/resources.js';
import type { Informer, Key, ObjectChange } from '../../client/runtime/interface.js';
import { useMirror } from '../../client/runtime/mirrors/mirror-use.js';
import { eachInTurns } from '../../lib/time-slice.js';
import type { MemberContext } from '../members/member-watch.js';
import { ClusterTotals, type Node, type Pod } from './summary.js';

type Usage = Pick<NonNullable<Cluster['status']>, 'nodeSummary' | 'resourceSummary'>;

/**
 * Milliseconds for which the first observation waits for the lists of nodes and pods, so that the scheduler mostly gets a new cluster together with
 * its resources. Lists that take longer, or fail, delay no observation.
 */
const firstListMs = 1_000;

/**
 * The keys of the objects that have changed since they were last taken. A deleted object that was not counted is left out, so that objects that
 * come and go take no memory while nothing takes the keys.
 */
export class ChangedKeys {
  #keys = new Set<Key>();
  readonly #isCounted: (key: Key) => boolean;

  constructor(isCounted: (key: Key) => boolean) {
    this.#isCounted = isCounted;
  }

  get size(): number {
    return this.#keys.size;
  }

  add({ key, newCached }: Pick<ObjectChange, 'key' | 'newCached'>): void {
    if (newCached || this.#isCounted(key)) this.#keys.add(key);
    else this.#keys.delete(key);
  }

  /** Returns the keys and forgets them. */
  take(): ReadonlySet<Key> {
    const keys = this.#keys;
    this.#keys = new Set();
    return keys;
  }
}

/** Keeps the totals of a member's nodes and pods. Between two observations it only collects the keys of what has changed. */
class MemberUsage {
  /** Resolves when nodes and pods are known, or when the connection ends. */
  readonly synced: Promise<void>;
  /** Ends when the lists are there or have failed, and after `firstListMs`. */
  readonly #firstLists: Promise<void>;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #totals = new ClusterTotals();
  readonly #changedNodes = new ChangedKeys(name => this.#totals.hasNode(name));
  readonly #changedPods = new ChangedKeys(key => this.#totals.hasPod(key));

  constructor({ informers, signal }: MemberContext) {
    // They are used until the connection ends.
    this.#nodes = useMirror<Node>(informers, nodes).informer;
    this.#pods = useMirror<Pod>(informers, pods).informer;
    this.synced = Promise.all([this.#nodes.synced, this.#pods.synced]).then(() => undefined);
    this.#firstLists = within(Promise.all([this.#nodes.attempted, this.#pods.attempted]), firstListMs, signal);
    this.#nodes.onChange(change => this.#changedNodes.add(change));
    this.#pods.onChange(change => this.#changedPods.add(change));
  }

  get hasSynced(): boolean {
    return this.#nodes.hasSynced && this.#pods.hasSynced;
  }

  /**
   * Returns the summary of nodes and resources; empty if nodes and pods are not known yet or one is malformed, so that the last known summary stays.
   * Calls must not overlap.
   */
  async collect(models: readonly ResourceModel[]): Promise<Usage> {
    await this.#firstLists;
    if (!this.hasSynced) return {};
    await Promise.all([this.#nodes.replayed, this.#pods.replayed]);
    await this.#update();
    try {
      const resourceSummary = await this.#totals.summary(models);
      return { nodeSummary: this.#totals.nodeSummary(), resourceSummary };
    } catch {
      return {}; // a node or pod is malformed
    }
  }

  /** Brings the totals up to the mirrors. What changes meanwhile is left to the next observation. */
  async #update(): Promise<void> {
    const [changedNodes, changedPods] = [this.#changedNodes.take(), this.#changedPods.take()];
    await eachInTurns(changedNodes, key => this.#totals.setNode(key, this.#nodes.get(key)));
    await eachInTurns(changedPods, key => this.#totals.setPod(key, this.#pods.get(key)));
  }
}

/** The totals live as long as the connection whose mirrors they sum up. */
const usages = new WeakMap<MemberContext, MemberUsage>();

/** Returns the totals of a connected member. The first call starts its mirrors of nodes and pods. */
export function memberUsage(member: MemberContext): MemberUsage {
  let usage = usages.get(member);
  if (!usage) usages.set(member, (usage = new MemberUsage(member)));
  return usage;
}

/** Resolves with the promise, after `ms` milliseconds, or when the signal aborts. */
function within(promise: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    void promise.then(end);
  });
}
