import { createMembers } from '../../aggregation/members/members.js';
import type { Members, PartOf, TunnelRoutes } from '../../aggregation/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { heldPartOf, heldWithEstimates } from '../../controllers/members/held-parts.js';
import { memberContexts } from '../../controllers/members/member-contexts.js';
import type { ConnectMember } from '../../controllers/members/member-watch.js';
import type { TokenRate } from '../../lib/token-bucket.js';

interface MemberMirrorsOptions {
  /** Whether members are estimated by the mirrors, which hold more of the objects then. */
  readonly forEstimates: boolean;
  /** The rate of requests to each member; absent: no limit. */
  readonly rate?: TokenRate | undefined;
  /** The reverse tunnels of agents in this process; absent: there are none. */
  readonly tunnels?: TunnelRoutes;
  /** Maximum memory in bytes of the mirrors of one member. */
  readonly memoryLimit?: number | undefined;
}

/** The mirrors of members by which they are estimated: those of the controllers while these run in this process, otherwise its own. */
export class MemberMirrors {
  /** What mirrors hold of the objects. */
  readonly heldPart: PartOf;
  readonly tunnels: TunnelRoutes | undefined;
  readonly #rate: TokenRate | undefined;
  readonly #memoryLimit: number | undefined;
  #offered: ConnectMember | undefined;
  #own: { readonly connect: ConnectMember; readonly members: Members } | undefined;

  constructor({ forEstimates, rate, tunnels, memoryLimit }: MemberMirrorsOptions) {
    this.heldPart = forEstimates ? heldWithEstimates : heldPartOf;
    this.#rate = rate;
    this.#memoryLimit = memoryLimit;
    this.tunnels = tunnels;
  }

  /** Uses the mirrors of the controllers from now on, and closes the own ones. Returns a function that ends that. */
  offer(connect: ConnectMember): () => void {
    this.#offered = connect;
    void this.#closeOwn();
    return () => {
      if (this.#offered === connect) this.#offered = undefined;
    };
  }

  /** Returns a function that connects to members. Its own connections are closed when the signal of the context aborts. */
  connecting(context: ControllerContext): ConnectMember {
    const { informers, signal } = context;
    informers.informer<Cluster>(resources.clusters).onChange(({ old, new: cluster }) => {
      if (old && !cluster) void this.#own?.members.forget(old.metadata.name ?? '');
    });
    signal.addEventListener('abort', () => void this.#closeOwn(), { once: true });
    return async cluster => {
      signal.throwIfAborted();
      return (this.#offered ?? this.#connectOwn(context))(cluster);
    };
  }

  #connectOwn(context: ControllerContext): ConnectMember {
    if (!this.#own) {
      const { client, meter } = context;
      const members = createMembers(client, 'karmada-scheduler', {
        ...{ meter, retriesByQueue: true, rate: this.#rate, tunnels: this.tunnels, memoryLimit: this.#memoryLimit },
      });
      this.#own = { members, connect: memberContexts(members, context, this.heldPart) };
    }
    return this.#own.connect;
  }

  async #closeOwn(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await own?.members.close();
  }
}
