import type { KubeObject } from '../../apimachinery/interface.js';
import { inTurns } from '../../openapi/cel/in-turns.js';
import { forbidden } from '../../apimachinery/errors/status.js';
import type { Authorizer } from '../../registry/access.js';
import type { Client } from '../../client/interface.js';
import { groupResourceOf } from '../../registry/group-resource.js';
import { holds, newTally } from '../expressions/conditions.js';
import { paceOf, variablesOf } from '../expressions/evaluate.js';
import { CachedDecisions } from '../expressions/cached-decisions.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { selectsRequest } from '../matching/selectors.js';
import type { Views } from '../matching/views.js';
import type { ObserveConditions } from '../observe.js';
import type { MatchingHook } from './hooks.js';

export interface SelectDeps {
  readonly client: Client;
  readonly authorize: Authorizer;
  readonly conditions?: ObserveConditions | undefined;
}

/** What the selection of a webhook depends on, besides the webhook. */
export interface HookContext {
  readonly request: AdmissionRequest;
  readonly views: Views;
  readonly deps: SelectDeps;
  readonly mutating: boolean;
}

/**
 * Reports whether a matching webhook is called: whether its selectors and match conditions match. `current` is the object with the changes
 * of earlier webhooks. Throws 403 if a condition fails and the failure policy is Fail.
 */
// as apiserver/pkg/admission/plugin/webhook/generic ShouldCallHook
export async function shouldCall(
  { hook, target }: MatchingHook,
  current: KubeObject | undefined,
  { request, views, deps: { client, authorize, conditions }, mutating }: HookContext,
): Promise<boolean> {
  if (!(await selectsRequest(hook.selectors, request, current, client))) return false;
  if (hook.conditions.length === 0) return true;
  const [object, old] = [await views.object(target), await views.old(target)];
  const tally = newTally();
  const pace = paceOf(request);
  const outcome = await new CachedDecisions(authorize).run(checkAccess =>
    inTurns(holds(hook.conditions, variablesOf({ request, target, object, old, checkAccess }), pace, tally), pace),
  );
  const labels = { name: hook.name, kind: 'webhook', operation: request.operation } as const;
  conditions?.evaluated({ ...labels, type: mutating ? 'admit' : 'validating' }, tally.failed, tally.seconds);
  if (outcome === true) return true;
  if (outcome === false || hook.failsOpen) {
    conditions?.excluded({ ...labels, type: mutating ? 'admit' : 'validate' });
    return false;
  }
  throw forbidden(groupResourceOf(request), request.name, outcome.error);
}
