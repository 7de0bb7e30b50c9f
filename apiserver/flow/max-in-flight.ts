import { systemMasters } from '../../authn/identity/system-users.js';
import type { RequestFilter } from '../http/filters.js';
import { isLongRunning } from '../http/request-info.js';
import { tooManyRequestsText } from './fairness.js';

interface InFlightLimits {
  /** 0 means no limit. */
  readonly reading: number;
  readonly writing: number;
}

const reads = new Set(['get', 'list', 'watch']);

/** Limits the requests at once without priorities. Members of system:masters always pass. as apiserver/pkg/server/filters/maxinflight.go */
export function maxInFlight(limits: InFlightLimits): RequestFilter {
  const running = { reading: 0, writing: 0 };
  return request => {
    if (isLongRunning(request.info)) return;
    const kind = reads.has(request.info.verb) ? 'reading' : 'writing';
    if (limits[kind] > 0 && running[kind] >= limits[kind] && !request.user.groups.includes(systemMasters))
      throw tooManyRequestsText(1);
    running[kind]++;
    request.onceDone(() => running[kind]--);
  };
}
