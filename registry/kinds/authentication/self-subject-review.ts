import type { Review } from '../authorization/subject-access-review.js';
import { userInfo } from './user-info.js';

/** Who am I (SEC-017)? The answer is a new object. `clock` gives its creationTimestamp. */
export function reviewSelf(clock: () => Date): Review {
  return async ({ user }, { apiVersion, kind }) => ({
    apiVersion,
    kind,
    metadata: {
      creationTimestamp: clock()
        .toISOString()
        .replace(/\.\d+Z$/, 'Z'),
    },
    status: { userInfo: userInfo(user) },
  });
}
