import type { RemoteClient } from '../../aggregation/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { gvrText } from '../../apimachinery/meta/gvk.js';
import type { Cluster } from '../../api/karmada/types.js';
import { labels } from '../../api/karmada/well-known.js';
import type { MappedResource } from '../../client/interface.js';
import { NotYet } from '../../client/runtime/controller.js';
import type { Informer, InformerFactory, ObjectChange } from '../../client/runtime/interface.js';

/** Client and informers of a joined cluster. */
export interface MemberContext {
  readonly client: RemoteClient;
  readonly informers: InformerFactory;
  /** Aborts when the cluster is removed or its credentials change; the next connect returns a new context. */
  readonly signal: AbortSignal;
}

/** Connects on demand and caches the connection. Rejects if the cluster's secret is missing or unusable. */
export type ConnectMember = (cluster: Cluster) => Promise<MemberContext>;

/** The mirror of the managed objects of a resource in a member. */
interface MemberMirror {
  /** The name of the member. */
  readonly cluster: string;
  readonly resource: MappedResource;
  readonly informer: Informer;
}

/** Listener for objects in members; called for the existing ones first, then for every change. */
type MemberListener = (mirror: MemberMirror, change: ObjectChange) => void;

/** A mirror that runs. */
export interface UsedMirror extends MemberMirror {
  /** When it was last asked for, by `performance.now()`. */
  readonly usedAt: number;
}

/** A mirror with its connection. */
export interface WatchedMirror {
  readonly member: MemberContext;
  readonly informer: Informer;
  /** When the mirror was started, by `performance.now()`. */
  readonly startedAt: number;
}

export interface MemberWatch {
  readonly connect: ConnectMember;
  /** Milliseconds for which the first list of a mirror is waited for. */
  readonly syncTimeoutMs: number;
  /** Returns the mirror of the objects of a resource in a member that Karmada manages. It calls all listeners. */
  watch(cluster: Cluster, resource: MappedResource): Promise<WatchedMirror>;
  /** Returns the mirrors of a member that run. */
  mirrorsOf(cluster: string): Iterable<UsedMirror>;
  /** Starts the mirrors of a member anew that have failed or are empty, of the given resources: a failed one waits for its backoff otherwise. */
  retry(cluster: string, isWanted: (resource: MappedResource) => boolean): void;
  /** Stops a mirror of a member. The next `watch` starts another one. */
  release(cluster: string, resource: GroupVersionResource): void;
  onChange(listener: MemberListener): void;
  /** Calls the listener when the connection to a cluster has ended, and with it its mirrors; the next `watch` starts new ones. */
  onDisconnect(listener: (cluster: string) => void): void;
}

/**
 * Selects the objects that Karmada manages: a member may have many others, and has few of most kinds that are propagated. An object that exists and is
 * not managed is found when it is created. differs: Karmada mirrors all objects of such a kind.
 */
const selection = { labelSelector: `${labels.managed}=true` } as const;

/** The mirrors over the present connection to a member. */
interface Connection {
  readonly member: MemberContext;
  readonly mirrors: Map<string, MemberMirror & WatchedMirror & { usedAt: number }>;
}

const defaultSyncTimeoutMs = 120_000;

/** Mirrors resources of members, each once, and calls all listeners for all of them. */
class SharedMemberWatch implements MemberWatch {
  readonly connect: ConnectMember;
  readonly syncTimeoutMs: number;
  readonly #listeners: MemberListener[] = [];
  readonly #disconnected: ((cluster: string) => void)[] = [];
  readonly #connections = new Map<string, Connection>();

  constructor(connect: ConnectMember, syncTimeoutMs: number) {
    this.connect = connect;
    this.syncTimeoutMs = syncTimeoutMs;
  }

  // hot: once per reconciliation of a Work.
  async watch(cluster: Cluster, resource: MappedResource): Promise<WatchedMirror> {
    const member = await this.connect(cluster);
    const name = cluster.metadata.name ?? '';
    // A connection may be replaced while it is awaited.
    if (member.signal.aborted) throw new NotYet(`the connection to cluster(${name}) has ended`);
    const connection = this.#connectionOf(name, member);
    const known = connection.mirrors.get(gvrText(resource));
    if (!known) return this.#start(name, connection, resource);
    known.usedAt = performance.now();
    return known;
  }

  #start(cluster: string, { member, mirrors }: Connection, resource: MappedResource): WatchedMirror {
    const { group, version, resource: plural } = resource;
    const informer = member.informers.informer({ group, version, resource: plural }, selection);
    const startedAt = performance.now();
    const mirror = { cluster, resource, member, informer, startedAt, usedAt: startedAt };
    mirrors.set(gvrText(resource), mirror);
    informer.onChange(change => this.#listeners.forEach(listener => listener(mirror, change)));
    return mirror;
  }

  retry(cluster: string, isWanted: (resource: MappedResource) => boolean): void {
    const connection = this.#connections.get(cluster);
    if (!connection) return;
    for (const { resource, informer } of [...connection.mirrors.values()]) {
      // The objects of a mirror that has some would seem to be new, and those that have gone meanwhile would not be noticed.
      if (!isWanted(resource) || !(informer.hasFailed || informer.cached.size === 0)) continue;
      connection.member.informers.release(resource, selection);
      this.#start(cluster, connection, resource);
    }
  }

  mirrorsOf(cluster: string): Iterable<UsedMirror> {
    return this.#connections.get(cluster)?.mirrors.values() ?? [];
  }

  release(cluster: string, resource: GroupVersionResource): void {
    const connection = this.#connections.get(cluster);
    if (connection?.mirrors.delete(gvrText(resource))) connection.member.informers.release(resource, selection);
  }

  onChange(listener: MemberListener): void {
    this.#listeners.push(listener);
  }

  onDisconnect(listener: (cluster: string) => void): void {
    this.#disconnected.push(listener);
  }

  /** Returns the mirrors over a connection. The first call subscribes to its end. */
  #connectionOf(cluster: string, member: MemberContext): Connection {
    const known = this.#connections.get(cluster);
    if (known?.member === member) return known;
    const connection: Connection = { member, mirrors: new Map() };
    this.#connections.set(cluster, connection);
    const end = (): void => {
      if (this.#connections.get(cluster) === connection) this.#connections.delete(cluster);
      for (const listener of this.#disconnected) listener(cluster);
    };
    member.signal.addEventListener('abort', end, { once: true });
    return connection;
  }
}

/** `syncTimeoutMs`: milliseconds for which the first list of a mirror is waited for. */
export const createMemberWatch = (connect: ConnectMember, syncTimeoutMs = defaultSyncTimeoutMs): MemberWatch =>
  new SharedMemberWatch(connect, syncTimeoutMs);
