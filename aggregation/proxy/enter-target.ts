import type { Maybe } from '../../lib/maybe.js';
import type { PoolRequest } from '../remote/transport/pool.js';
import type { EnteringRequest, Leave } from './request-shares.js';
import type { Target } from './target.js';

const nothing: Leave = () => undefined;

/**
 * Counts a request of a user to a target, and among those with a connection of their own in its tunnel. Returns, or resolves with, what is called at the
 * end of the request. Throws, or rejects with, 429, or with the reason of the signal.
 */
export function enterTarget(
  { shares, connectionShares, pool }: Target,
  request: PoolRequest,
  entering: EnteringRequest,
): Maybe<Leave> {
  const entered = shares?.enter(entering) ?? nothing;
  if (!connectionShares || !pool.occupiesConnection(request)) return entered;
  return withConnection(entered, () => connectionShares.enter(entering));
}

async function withConnection(entered: Maybe<Leave>, enter: () => Maybe<Leave>): Promise<Leave> {
  const leave = await entered;
  try {
    const leaveConnection = await enter();
    return () => {
      leaveConnection();
      leave();
    };
  } catch (error) {
    leave();
    throw error;
  }
}
