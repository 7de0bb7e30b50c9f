/** Answers TokenReviews. */
import { QueueFullError } from '../../lib/fair-limit.js';
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { AccessPorts } from '../../registry/access.js';
import type { TokenAuthenticator } from '../interface.js';
import { tooManyTokens } from './bearer.js';
import { withGroup } from './union.js';

const unknown = 'invalid bearer token';

/** Returns the function that reviews tokens. `own`: the audiences for a review that names none. Rejects with 429 while too many tokens wait. */
export function tokenReviewer(authenticate: TokenAuthenticator, own: readonly string[]): AccessPorts['reviewToken'] {
  return async (token, asked, reviewer) => {
    try {
      const answer = await authenticate(token, asked.length === 0 ? own : asked, `user:${reviewer}`);
      if (answer === undefined) return { error: unknown };
      return { identity: withGroup(answer.identity), audiences: answer.audiences ?? [] };
    } catch (error) {
      if (error instanceof QueueFullError) throw tooManyTokens();
      // Upstream also tries the token of its own loopback connections, which never matches and adds its error.
      return { error: aggregate([unknown, errorText(error)]) };
    }
  };
}
