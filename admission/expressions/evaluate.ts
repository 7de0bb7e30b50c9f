/** Runs expressions of admission over what there is to see of a request. */
// as apiserver/pkg/admission/plugin/cel activation.go, condition.go
import type { InSteps } from '../../lib/time-slice.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Compiled } from '../../openapi/cel/environment.js';
import { outcomeOf } from '../../openapi/cel/in-turns.js';
import { jsonValue } from '../../lib/cel/json-value.js';
import { Pace } from '../../lib/cel/pace.js';
import type { Value } from '../../lib/cel/values.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import type { Place } from '../matching/place.js';
import { reviewRequest } from '../matching/review-request.js';
import {
  type Ask,
  authorizerOf,
  resourceCheckOf,
} from '../../kinds/kubernetes/admissionregistration/expressions/authorizer.js';

/** What all expressions of one policy may cost in a request, and all match conditions. as apiserver/pkg/apis/cel */
export const requestBudget = 10_000_000;
export const conditionsBudget = 2_500_000;

/** What is left to spend. */
export interface Budget {
  left: number;
}

/** Nothing is left: no more expressions are run. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** What expressions see. */
export interface Sight {
  readonly request: AdmissionRequest;
  /** As whoever wrote the expression wants the objects. */
  readonly place: Place;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  readonly namespace?: KubeObject | undefined;
  readonly params?: KubeObject | undefined;
  /** Absent: rights may not be asked about. */
  readonly ask?: Ask | undefined;
}

export type Variables = (name: string) => Value | undefined;

/** Of a namespace what expressions may see. */
function shownNamespace({ metadata, spec, status }: KubeObject): object {
  const { managedFields: _managed, ownerReferences: _owners, ...shown } = metadata;
  return { metadata: shown, spec, status };
}

/** Each variable is made when it is first asked for. */
export function variablesOf(sight: Sight): Variables {
  const { request, place, ask } = sight;
  const { definition, version, subresource, namespace, name, user } = request;
  const makers: Readonly<Record<string, () => Value | undefined>> = {
    object: () => jsonValue(sight.object),
    oldObject: () => jsonValue(sight.old),
    request: () => jsonValue(reviewRequest(request, place)),
    namespaceObject: () => jsonValue(sight.namespace && shownNamespace(sight.namespace)),
    params: () => jsonValue(sight.params),
    authorizer: () => ask && authorizerOf(user, ask),
    'authorizer.requestResource': () =>
      ask &&
      resourceCheckOf(user, ask, {
        type: 'resource',
        ...{ group: definition.group, version, resource: definition.plural, subresource, namespace, name },
      }),
  };
  const made = new Map<string, Value | undefined>();
  return variable => {
    if (!made.has(variable)) made.set(variable, makers[variable]?.());
    return made.get(variable);
  };
}

/** An expression and its text. */
export interface Expression {
  readonly source: string;
  readonly compiled: Compiled;
}

export type Evaluation = { readonly value: Value } | { readonly error: string };

/** What an expression is evaluated with. */
export interface Means {
  readonly variables: Variables;
  /** What is left for this expression and those after it; taken from. */
  readonly budget: Budget;
  readonly pace: Pace;
  /** What was spent besides since it was last asked: by variables that the expression asked for. */
  readonly further?: () => number;
}

/** Throws OutOfBudget. Yields where others may get their turn. */
export function* evaluate(
  { source, compiled }: Expression,
  { variables, budget, pace, further = () => 0 }: Means,
): InSteps<Evaluation> {
  if (pace.isTurnOver) yield;
  const { value, error, cost } = yield* outcomeOf(compiled, variables, pace);
  const spent = cost + further();
  if (spent > budget.left) throw new OutOfBudget();
  budget.left -= spent;
  if (error !== undefined) return { error: `expression '${source}' resulted in error: ${error}` };
  return { value: value as Value };
}

const paces = new WeakMap<AdmissionRequest, Pace>();

/** The time of all expressions that are asked about one request. */
export function paceOf(request: AdmissionRequest): Pace {
  let pace = paces.get(request);
  if (!pace) {
    pace = new Pace();
    paces.set(request, pace);
  }
  return pace;
}
