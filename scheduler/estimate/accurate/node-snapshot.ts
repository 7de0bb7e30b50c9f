import type { Labels } from '../../../apimachinery/selectors/label-requirement.js';
import { betaRegionLabel, betaZoneLabel, regionLabel, zoneLabel } from '../../../api/kubernetes/well-known.js';
import { ChangedNodes } from './changed-nodes.js';
import type { EstimatedNode, EstimatedPod } from './interface.js';
import { type NodeAmounts, NodeInfo, requestedAmounts } from './node-info.js';

/** Where a pod counts, and with what. */
interface Place {
  readonly node: NodeInfo;
  readonly requests: NodeAmounts;
}

/** Returns the same text for nodes of the same zone. as k8s.io/component-helpers node/topology GetZoneKey */
function zoneOf(labels: Labels): string {
  const region = labels[betaRegionLabel] ?? labels[regionLabel] ?? '';
  const zone = labels[betaZoneLabel] ?? labels[zoneLabel] ?? '';
  return JSON.stringify([region, zone]);
}

const hasEnded = ({ status }: EstimatedPod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Returns the nodes of all zones, taking one of each in turn. as pkg/util/lifted/scheduler/cache nodeTree.list */
function alternating(zones: Iterable<ReadonlyMap<string, NodeInfo>>): NodeInfo[] {
  const list: NodeInfo[] = [];
  let open = [...zones].map(nodes => nodes.values());
  while (open.length > 0)
    open = open.filter(nodes => {
      const { done, value } = nodes.next();
      if (!done) list.push(value);
      return !done;
    });
  return list;
}

/**
 * The nodes of a member with the sums of their pods, kept up to date by the changes of nodes and pods. as pkg/util/lifted/scheduler/cache, without
 * the copy that upstream makes for each estimate
 */
export class NodeSnapshot {
  readonly #nodes = new Map<string, NodeInfo>();
  /** The nodes by zone. Zones and the nodes of a zone are in the order in which they came. */
  readonly #zones = new Map<string, Map<string, NodeInfo>>();
  readonly #places = new Map<string, Place>();
  #list: readonly NodeInfo[] | undefined;
  readonly #changed = new ChangedNodes();

  /** Changes with every change that an estimate may depend on. */
  get generation(): number {
    return this.#changed.version;
  }

  /** All nodes, in the order in which kube-scheduler tries them. The list does not change; what it says of a node does. */
  get nodes(): readonly NodeInfo[] {
    return (this.#list ??= alternating(this.#zones.values()));
  }

  /** Returns the nodes that have changed since a generation; undefined if that is too long ago. */
  changedSince(generation: number): ReadonlySet<NodeInfo> | undefined {
    return this.#changed.since(generation);
  }

  /** Takes the present state of a node; undefined removes it. */
  setNode(name: string, node: EstimatedNode | undefined): void {
    const info = node ? this.#nodeOf(name) : this.#nodes.get(name);
    if (!info) return;
    this.#changed.add(info);
    const before = info.exists ? zoneOf(info.labels) : undefined;
    info.set(node);
    const after = node && zoneOf(info.labels);
    if (before !== after) this.#move(info, before, after);
    this.#forgetUnused(info);
  }

  /** Takes the present state of a pod; undefined removes it. A pod without a node, or that has ended, does not count. */
  setPod(key: string, pod: EstimatedPod | undefined): void {
    const { nodeName } = pod?.spec ?? {};
    const requests = pod?.spec && nodeName && !hasEnded(pod) ? requestedAmounts(pod.spec) : undefined;
    const before = this.#places.get(key);
    if (before?.requests === requests && before?.node.name === nodeName) return;
    if (before) {
      before.node.removePod(before.requests);
      this.#places.delete(key);
      this.#forgetUnused(before.node);
      this.#changed.add(before.node);
    }
    if (!requests || !nodeName) return;
    const node = this.#nodeOf(nodeName);
    node.addPod(requests);
    this.#places.set(key, { node, requests });
    this.#changed.add(node);
  }

  /** Returns whether a pod counts. */
  hasPod(key: string): boolean {
    return this.#places.has(key);
  }

  hasNode(name: string): boolean {
    return this.#nodes.get(name)?.exists ?? false;
  }

  #nodeOf(name: string): NodeInfo {
    let node = this.#nodes.get(name);
    if (!node) this.#nodes.set(name, (node = new NodeInfo(name)));
    return node;
  }

  #move(info: NodeInfo, from: string | undefined, to: string | undefined): void {
    this.#list = undefined;
    if (from !== undefined) {
      const zone = this.#zones.get(from);
      zone?.delete(info.name);
      if (zone?.size === 0) this.#zones.delete(from);
    }
    if (to === undefined) return;
    const zone = this.#zones.get(to);
    if (zone) zone.set(info.name, info);
    else this.#zones.set(to, new Map([[info.name, info]]));
  }

  /** A node that was deleted counts until its last pod is gone, since both come in any order. */
  #forgetUnused(info: NodeInfo): void {
    if (!info.exists && info.pods === 0) this.#nodes.delete(info.name);
  }
}
