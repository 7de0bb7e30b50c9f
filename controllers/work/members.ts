import type { RemoteClient } from '../../aggregation/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import type { Informer, InformerFactory, ObjectChange } from '../../client/runtime/interface.js';

/** What controllers use of a joined cluster. */
export interface MemberContext {
  readonly client: RemoteClient;
  readonly informers: InformerFactory;
  /** Aborts when the cluster leaves or its credentials change; a new context is handed out then. */
  readonly signal: AbortSignal;
}

/** Connects on demand and keeps what it has connected. Rejects where the cluster's secret is missing or unusable. */
export type ConnectMember = (cluster: Cluster) => Promise<MemberContext>;

/** Whoever wants to hear of objects in members; called for what is there, then for every change. */
export type MemberListener = (cluster: string, resource: GroupVersionResource, change: ObjectChange) => void;

export interface MemberWatch {
  /** The mirror of a resource in a member, with all listeners on it. */
  watch(cluster: Cluster, resource: GroupVersionResource): Promise<{ member: MemberContext; informer: Informer }>;
  onChange(listener: MemberListener): void;
}

/** Mirrors resources of members, each once, and tells all listeners of all of them. */
export function createMemberWatch(connect: ConnectMember): MemberWatch {
  const listeners: MemberListener[] = [];
  const watched = new WeakMap<MemberContext, Set<string>>();
  return {
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
