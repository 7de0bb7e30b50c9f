import { systemMasters } from '../../authn/identity/union.js';
import type { Filter } from '../http/filters.js';
import { isLongRunning } from '../http/request-info.js';
import { tooManyRequests } from './fairness.js';

export interface InFlightLimits {
  /** 0: any number. */
  readonly reading: number;
  readonly writing: number;
}

const reads = new Set(['get', 'list', 'watch']);

/** Without priorities: so many requests at once, and no more; members of system:masters always. as apiserver/pkg/server/filters/maxinflight.go */
export function maxInFlight(limits: InFlightLimits): Filter {
  const running = { reading: 0, writing: 0 };
  return request => {
    if (isLongRunning(request.info)) return;
    const side = reads.has(request.info.verb) ? 'reading' : 'writing';
    if (limits[side] > 0 && running[side] >= limits[side] && !request.user.groups.includes(systemMasters))
      throw tooManyRequests(1);
    running[side]++;
    request.onceDone(() => running[side]--);
  };
}
