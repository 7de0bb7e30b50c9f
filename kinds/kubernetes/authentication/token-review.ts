import { badRequest } from '../../../apimachinery/errors/status.js';
import type { AccessPorts } from '../../../registry/access.js';
import type { Review } from '../authorization/subject-access-review.js';
import type { TokenReview, TokenReviewStatus } from '../../../api/kubernetes/authentication.js';
import { userInfo } from './user-info.js';

/** Returns the user that a token belongs to. An invalid token is a successful review too. */
export function reviewToken(ports: Pick<AccessPorts, 'reviewToken'>): Review {
  return async ({ user }, object) => {
    const { spec = {} } = object as TokenReview;
    if (!spec.token) throw badRequest('token is required for TokenReview in authentication');
    const review = await ports.reviewToken(spec.token, spec.audiences ?? [], user.name);
    const status: TokenReviewStatus =
      'error' in review
        ? { user: {}, error: review.error }
        : {
            authenticated: true,
            user: userInfo(review.identity),
            ...(review.audiences.length > 0 && { audiences: [...review.audiences] }),
          };
    return { ...object, status };
  };
}
