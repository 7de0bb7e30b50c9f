/** Authorization in expressions, which are synchronous: a run that needs a pending decision is aborted, and repeated after the decision. */
import { errorText } from '../../apimachinery/errors/error-text.js';
import { type Maybe, settle } from '../../lib/maybe.js';
import type { Attributes, Authorizer, AuthorizationDecision } from '../../registry/access.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { CheckAccess, AccessResult } from '../../kinds/kubernetes/admissionregistration/expressions/authorizer.js';

/** Aborts a run, which is repeated after the decision. */
class DecisionPending extends Error {
  readonly decided: Promise<void>;
  constructor(decided: Promise<void>) {
    super('an authorizer has not answered yet');
    this.decided = decided;
  }
}

const resultOf = ({ allowed, reason }: AuthorizationDecision): AccessResult => ({ allowed, reason });
const failureOf = (error: unknown): AccessResult => ({
  allowed: false,
  reason: '',
  error: errorText(error),
});

/** Runs a function with the cached decisions of one request, and repeats it, or its rejected promise, after each missing decision. */
export type WithDecisions = <T>(run: (checkAccess: CheckAccess) => Maybe<T>) => Maybe<T>;

/** Creates the cache for one request. */
// as apiserver/pkg/admission/plugin/authorizer NewCachingAuthorizer
export function cachedDecisions(authorize: Authorizer): WithDecisions {
  const known = new Map<string, AccessResult>();
  const checkAccess: CheckAccess = (user: Identity, attributes: Attributes) => {
    const key = JSON.stringify([user.name, user.groups, attributes]);
    const found = known.get(key);
    if (found) return found;
    const remember = (result: AccessResult): AccessResult => {
      known.set(key, result);
      return result;
    };
    try {
      const decision = authorize(user, attributes);
      if (!(decision instanceof Promise)) return remember(resultOf(decision));
      const decided = decision.then(resultOf, failureOf).then(remember);
      throw new DecisionPending(decided.then(() => undefined));
    } catch (error) {
      if (error instanceof DecisionPending) throw error;
      return remember(failureOf(error));
    }
  };
  const attempt = <T>(run: (checkAccess: CheckAccess) => Maybe<T>): Maybe<T> =>
    settle(
      () => run(checkAccess),
      value => value,
      error => {
        if (error instanceof DecisionPending) return error.decided.then(() => attempt(run));
        throw error;
      },
    );
  return attempt;
}
