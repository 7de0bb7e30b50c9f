import type { RemoteClient } from '../../aggregation/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
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

/** The mirror of a resource of a member. */
export interface MemberMirror {
  /** The name of the member. */
  readonly cluster: string;
  readonly resource: GroupVersionResource;
  readonly informer: Informer;
}

/** Listener for objects in members; called for the existing ones first, then for every change. */
export type MemberListener = (mirror: MemberMirror, change: ObjectChange) => void;

export interface MemberWatch {
  readonly connect: ConnectMember;
  /** Returns the mirror of a resource in a member, which calls all listeners. */
  watch(cluster: Cluster, resource: GroupVersionResource): Promise<{ member: MemberContext; informer: Informer }>;
  onChange(listener: MemberListener): void;
  /** Calls the listener when the connection to a cluster has ended, and with it its mirrors; the next `watch` starts new ones. */
  onDisconnect(listener: (cluster: string) => void): void;
}

/** Mirrors resources of members, each once, and calls all listeners for all of them. */
export function createMemberWatch(connect: ConnectMember): MemberWatch {
  const listeners: MemberListener[] = [];
  const disconnected: ((cluster: string) => void)[] = [];
  const watched = new WeakMap<MemberContext, Set<string>>();

  /** Returns the resources that are watched over a connection. The first call subscribes to its end. */
  function track(member: MemberContext, cluster: string): Set<string> {
    const known = watched.get(member);
    if (known) return known;
    const first = new Set<string>();
    watched.set(member, first);
    member.signal.addEventListener('abort', () => disconnected.forEach(listener => listener(cluster)), { once: true });
    return first;
  }

  return {
    connect,
    async watch(cluster, resource) {
      const member = await connect(cluster);
      // A connection may be replaced while it is awaited.
      if (member.signal.aborted) throw new NotYet(`the connection to cluster(${cluster.metadata.name}) has ended`);
      const { group, version, resource: plural } = resource;
      const name = cluster.metadata.name ?? '';
      const informer = member.informers.informer({ group, version, resource: plural });
      const known = track(member, name);
      const id = `${group}/${version}/${plural}`;
      if (!known.has(id)) {
        known.add(id);
        const mirror: MemberMirror = { cluster: name, resource, informer };
        informer.onChange(change => listeners.forEach(listener => listener(mirror, change)));
      }
      return { member, informer };
    },
    onChange: listener => void listeners.push(listener),
    onDisconnect: listener => void disconnected.push(listener),
  };
}
