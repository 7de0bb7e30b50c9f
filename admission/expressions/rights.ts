/** Authorization in expressions, which are synchronous: a run that needs a pending decision is aborted, and repeated when it is there. */
import { errorText } from '../../apimachinery/errors/error-text.js';
import { type Maybe, settle } from '../../lib/maybe.js';
import type { Attributes, Authorizer, Decision } from '../../registry/access.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Ask, Verdict } from '../../kinds/kubernetes/admissionregistration/expressions/authorizer.js';

/** Aborts a run; it is repeated when the decision is there. */
class DecisionPending extends Error {
  readonly answered: Promise<void>;
  constructor(answered: Promise<void>) {
    super('an authorizer has not answered yet');
    this.answered = answered;
  }
}

const verdictOf = ({ allowed, reason }: Decision): Verdict => ({ allowed, reason });
const failureOf = (error: unknown): Verdict => ({
  allowed: false,
  reason: '',
  error: errorText(error),
});

/** Runs a function with the cached decisions of one request, and repeats it, or its rejected promise, after each missing decision. */
export type Rights = <T>(run: (ask: Ask) => Maybe<T>) => Maybe<T>;

// as apiserver/pkg/admission/plugin/authorizer NewCachingAuthorizer
export function rightsOf(authorize: Authorizer): Rights {
  const known = new Map<string, Verdict>();
  const ask: Ask = (user: Identity, attributes: Attributes) => {
    const key = JSON.stringify([user.name, user.groups, attributes]);
    const found = known.get(key);
    if (found) return found;
    const keep = (verdict: Verdict): Verdict => {
      known.set(key, verdict);
      return verdict;
    };
    try {
      const decision = authorize(user, attributes);
      if (!(decision instanceof Promise)) return keep(verdictOf(decision));
      const answered = decision.then(verdictOf, failureOf).then(keep);
      throw new DecisionPending(answered.then(() => undefined));
    } catch (error) {
      if (error instanceof DecisionPending) throw error;
      return keep(failureOf(error));
    }
  };
  const attempt = <T>(run: (ask: Ask) => Maybe<T>): Maybe<T> =>
    settle(
      () => run(ask),
      value => value,
      error => {
        if (error instanceof DecisionPending) return error.answered.then(() => attempt(run));
        throw error;
      },
    );
  return attempt;
}
