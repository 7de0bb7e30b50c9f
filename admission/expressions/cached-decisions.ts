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

/** The decisions of one request. */
// as apiserver/pkg/admission/plugin/authorizer NewCachingAuthorizer
export class CachedDecisions {
  readonly #authorize: Authorizer;
  readonly #known = new Map<string, AccessResult>();

  constructor(authorize: Authorizer) {
    this.#authorize = authorize;
  }

  /** Runs a function with the decisions, and repeats it, or its rejected promise, after each missing decision. */
  run<T>(run: (checkAccess: CheckAccess) => Maybe<T>): Maybe<T> {
    return settle(
      () => run(this.#checkAccess),
      value => value,
      error => {
        if (error instanceof DecisionPending) return error.decided.then(() => this.run(run));
        throw error;
      },
    );
  }

  readonly #checkAccess: CheckAccess = (user, attributes) => {
    const key = JSON.stringify([user.name, user.groups, attributes]);
    return this.#known.get(key) ?? this.#decide(key, user, attributes);
  };

  /** Returns an available decision; throws DecisionPending for one that is made later. */
  #decide(key: string, user: Identity, attributes: Attributes): AccessResult {
    try {
      const decision = this.#authorize(user, attributes);
      if (!(decision instanceof Promise)) return this.#remember(key, resultOf(decision));
      const decided = decision.then(resultOf, failureOf).then(result => this.#remember(key, result));
      throw new DecisionPending(decided.then(() => undefined));
    } catch (error) {
      if (error instanceof DecisionPending) throw error;
      return this.#remember(key, failureOf(error));
    }
  }

  #remember(key: string, result: AccessResult): AccessResult {
    this.#known.set(key, result);
    return result;
  }
}
