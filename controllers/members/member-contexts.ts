import type { Member, Members, PartOf } from '../../aggregation/interface.js';
import { MirrorBudget } from '../../client/watch/budget.js';
import { createInformerFactory } from '../../client/runtime/mirrors/informer.js';
import type { Logger } from '../../lib/logging/interface.js';
import type { Clock } from '../../lib/clock.js';
import { heldPartOf } from './held-parts.js';
import type { ConnectMember, MemberContext } from './member-watch.js';

/**
 * Returns a function that connects to members: each connection has one set of informers, which stops with it. `heldPart` tells what the mirrors hold
 * of the objects.
 */
export function memberContexts(
  members: Members,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  heldPart: PartOf = heldPartOf,
): ConnectMember {
  const contexts = new WeakMap<Member, MemberContext>();
  return async cluster => {
    const member = await members.connect(cluster);
    let context = contexts.get(member);
    if (!context) {
      const { client, signal, memoryLimit } = member;
      const budget = new MirrorBudget(memoryLimit);
      const fields = { cluster: cluster.metadata.name };
      const mirrored = client.holding(heldPart);
      const informers = createInformerFactory({ client: mirrored, signal, clock, log, budget, fields });
      context = { client, signal, informers };
      contexts.set(member, context);
    }
    return context;
  };
}
