/**
 * Tells the processes of one control plane which of them has the tunnel of a cluster. The one that an agent has reached writes itself into a
 * ConfigMap of the cluster, and the others open their connections to the member through it.
 */
import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../apimachinery/interface.js';
import { labels, namespaces, resources } from '../../api/karmada/well-known.js';
import { configMaps } from '../../api/kubernetes/resources.js';
import { find, ignoreNotFound } from '../../client/find.js';
import type { ControllerContext, Informer, WorkQueue } from '../../client/runtime/interface.js';
import type { Endpoint } from '../interface.js';
import { connectThroughPeer } from './open-tunnel.js';
import { PeerConnections, type PeerTimes } from './peer-connections.js';
import type { ReverseTunnel } from './reverse-tunnel.js';
import type { ReverseTunnels } from './reverse-tunnels.js';
import type { PeerWay, TunneledMember } from './tunneled.js';

interface DirectoryOptions {
  readonly tunnels: ReverseTunnels;
  /** Where other processes reach this one; undefined if no agent does. */
  readonly url: string | undefined;
  /** Returns another process, with credentials of the control plane. */
  readonly peerAt: (url: string) => Endpoint;
  readonly times?: PeerTimes;
}

/** Which process has the tunnel of a cluster. */
interface Entry {
  /** The URL of the process. */
  readonly holder: string;
  /** The id of the process: another one may have had the same URL, or have it in another network. */
  readonly process: string;
  readonly member: TunneledMember;
}

const namePrefix = 'reverse-tunnel-';
const selection = { namespace: namespaces.system, labelSelector: `${labels.reverseTunnel}=true` };

const keyOf = (cluster: string) => ({ namespace: namespaces.system, name: namePrefix + cluster });

/** Returns the content of a ConfigMap; undefined if it has none that this process has written. */
function entryOf(object: KubeObject | undefined): Entry | undefined {
  const data = (object?.['data'] ?? {}) as Partial<Record<string, string>>;
  const { cluster, uid, server, holder, process = '' } = data;
  if (cluster === undefined || server === undefined || holder === undefined || !URL.canParse(holder)) return undefined;
  return { holder, process, member: { name: cluster, uid, server } };
}

function configMapOf(entry: Entry, former: KubeObject | undefined): KubeObject {
  const { holder, process, member } = entry;
  const { name, uid, server } = member;
  const { resourceVersion } = former?.metadata ?? {};
  const { group, version } = resources.clusters;
  return {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: {
      ...keyOf(name),
      ...(resourceVersion !== undefined && { resourceVersion }),
      labels: { [labels.reverseTunnel]: 'true' },
      // It is deleted with the Cluster, also if the process has ended.
      ...(uid !== undefined && {
        ownerReferences: [{ apiVersion: `${group}/${version}`, kind: 'Cluster', name, uid }],
      }),
    },
    data: { cluster: name, ...(uid !== undefined && { uid }), server, holder, process },
  };
}

/** Milliseconds. */
const hour = 3_600_000;

/**
 * The entries that this process has removed since their processes were given up. A process that is alive, though not reached from here, writes its entry
 * again, which is not removed for an hour then: other processes may use it.
 */
class RemovedEntries {
  /** The last one of each cluster, the oldest first. */
  readonly #removed = new Map<string, { readonly process: string; readonly at: number }>();

  add({ process, member: { name } }: Entry): void {
    const now = performance.now();
    for (const [cluster, { at }] of this.#removed) {
      if (now - at < hour) break;
      this.#removed.delete(cluster);
    }
    this.#removed.delete(name);
    this.#removed.set(name, { process, at: now });
  }

  has({ process, member: { name } }: Entry): boolean {
    const last = this.#removed.get(name);
    return last?.process === process && performance.now() - last.at < hour;
  }
}

class TunnelDirectory {
  readonly #context: ControllerContext;
  readonly #options: DirectoryOptions;
  readonly #entries: Informer;
  /** The tunnels to this process that it has written down: a later entry of another process is that of a newer tunnel. */
  readonly #written = new Map<string, ReverseTunnel>();
  /** The clusters that had an entry when this process started. */
  readonly #found = new Set<string>();
  /** The processes that were given up, by cluster. The entries of these clusters are looked at next. */
  readonly #givenUp = new Map<string, string>();
  readonly #removed = new RemovedEntries();
  readonly #connections: PeerConnections;
  #queue: WorkQueue | undefined;
  readonly #id = randomUUID();

  constructor(context: ControllerContext, options: DirectoryOptions) {
    this.#context = context;
    this.#options = options;
    this.#entries = context.informers.informer(configMaps, selection);
    this.#connections = new PeerConnections(options);
  }

  run(): void {
    this.#context.run({
      name: 'reverse-tunnel-directory',
      synced: [this.#entries.synced],
      wire: queue => this.#wire(queue),
      reconcile: cluster => this.#reconcile(cluster),
      describe: cluster => ({ cluster }),
    });
  }

  #wire(queue: WorkQueue): void {
    this.#queue = queue;
    this.#entries.onChange(({ old, new: current }) => {
      const name = (current ?? old)?.metadata.name ?? '';
      if (!name.startsWith(namePrefix)) return;
      const cluster = name.slice(namePrefix.length);
      if (!this.#entries.hasSynced) this.#found.add(cluster);
      queue.add(cluster);
    });
    const { tunnels } = this.#options;
    tunnels.onChange(cluster => queue.add(cluster));
    // Agents may have come before the first list.
    for (const cluster of tunnels.ownClusters()) queue.add(cluster);
  }

  /** Reads the newest entry: what this process has written is in it. */
  async #reconcile(cluster: string): Promise<void> {
    const { tunnels, url } = this.#options;
    const object = await find(this.#context.client, configMaps, keyOf(cluster));
    const entry = entryOf(object);
    const own = tunnels.ownTunnel(cluster);
    const wasFound = this.#found.delete(cluster);
    const givenUp = this.#givenUp.get(cluster);
    this.#givenUp.delete(cluster);
    if (own && url !== undefined) {
      const isWritten = this.#written.get(cluster) === own.tunnel;
      if (isWritten && entry?.process === this.#id) return undefined;
      if (!isWritten || !entry) return this.#write(own, { holder: url, process: this.#id, member: own.member }, object);
      this.#written.delete(cluster);
      return tunnels.replaceByPeer(entry.member, this.#wayTo(entry));
    }
    this.#written.delete(cluster);
    if (entry && entry.holder !== url)
      return entry.process === givenUp
        ? this.#removeGivenUp(entry, object)
        : tunnels.usePeer(entry.member, this.#wayTo(entry));
    tunnels.leavePeer(cluster);
    // It is that of a tunnel which has ended, of this process or of an earlier one at the same address. A later one is of a process that has the same
    // address in another network: it would write its entry again.
    if (entry && (entry.process === this.#id || wasFound)) await this.#remove(object);
    return undefined;
  }

  async #write({ tunnel }: { readonly tunnel: ReverseTunnel }, entry: Entry, former: KubeObject | undefined) {
    const { client } = this.#context;
    const wanted = configMapOf(entry, former);
    await (former ? client.update(configMaps, wanted) : client.create(configMaps, wanted));
    this.#written.set(entry.member.name, tunnel);
  }

  /** Removes the entry of a process that has ended without a trace. Another process may have done so, or the agent may have opened its tunnel to one. */
  async #removeGivenUp(entry: Entry, object: KubeObject | undefined): Promise<void> {
    await this.#remove(object);
    this.#removed.add(entry);
    const { log } = this.#context;
    const { holder, member } = entry;
    log.info(
      { cluster: member.name, process: holder },
      'a process with a reverse tunnel is gone: its entry is removed',
    );
  }

  async #remove(object: KubeObject | undefined): Promise<void> {
    const { namespace = '', name = '', uid, resourceVersion } = object?.metadata ?? {};
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    await ignoreNotFound(this.#context.client.delete(configMaps, { namespace, name }, { preconditions }));
  }

  #wayTo(entry: Entry): PeerWay {
    const { holder, process, member } = entry;
    const { name: cluster } = member;
    const { peerAt, times } = this.#options;
    const { signal } = this.#context;
    return {
      ...{ url: holder, process },
      open: async use => {
        const peer = peerAt(holder);
        const socket = await connectThroughPeer({ peer, cluster, use, connectMs: times?.connectMs, signal });
        this.#connections.add(holder, socket);
        return socket;
      },
      givenUp: () => {
        if (this.#removed.has(entry)) return;
        this.#givenUp.set(cluster, process);
        this.#queue?.add(cluster);
      },
    };
  }
}

/** Keeps the ways to members through the tunnels of other processes up to date, until the signal of the context aborts. */
export const runTunnelDirectory = (context: ControllerContext, options: DirectoryOptions): void =>
  new TunnelDirectory(context, options).run();
