import { formatTime } from '../../../lib/go/time.js';
import type { Review } from '../authorization/subject-access-review.js';
import { userInfo } from './user-info.js';

/** Returns the identity of the requester. The answer is a new object. `clock` gives its creationTimestamp. */
export function reviewSelf(clock: () => Date): Review {
  return async ({ user }, { apiVersion, kind }) => ({
    apiVersion,
    kind,
    metadata: {
      creationTimestamp: formatTime(clock()),
    },
    status: { userInfo: userInfo(user) },
  });
}
