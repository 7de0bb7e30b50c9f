import type { RemoteClient } from '../../aggregation/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
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

/** Listener for objects in members; called for the existing ones first, then for every change. */
export type MemberListener = (cluster: string, resource: GroupVersionResource, change: ObjectChange) => void;

export interface MemberWatch {
  readonly connect: ConnectMember;
  /** Returns the mirror of a resource in a member, which calls all listeners. */
  watch(cluster: Cluster, resource: GroupVersionResource): Promise<{ member: MemberContext; informer: Informer }>;
  onChange(listener: MemberListener): void;
}

/** Mirrors resources of members, each once, and calls all listeners for all of them. */
export function createMemberWatch(connect: ConnectMember): MemberWatch {
  const listeners: MemberListener[] = [];
  const watched = new WeakMap<MemberContext, Set<string>>();
  return {
    connect,
    async watch(cluster, resource) {
      const member = await connect(cluster);
      const { group, version, resource: plural } = resource;
      const informer = member.informers.informer({ group, version, resource: plural });
      let known = watched.get(member);
      if (!known) watched.set(member, (known = new Set<string>()));
      const id = `${group}/${version}/${plural}`;
      if (!known.has(id)) {
        known.add(id);
        const name = cluster.metadata.name ?? '';
        informer.onChange(change => listeners.forEach(listener => listener(name, resource, change)));
      }
      return { member, informer };
    },
    onChange: listener => void listeners.push(listener),
  };
}
