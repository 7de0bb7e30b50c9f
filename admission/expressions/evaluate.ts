/** Evaluates CEL expressions over a request. */
// as apiserver/pkg/admission/plugin/cel activation.go, condition.go
import type { InSteps } from '../../lib/time-slice.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Compiled } from '../../openapi/cel/environment.js';
import { outcomeOf } from '../../openapi/cel/in-turns.js';
import { jsonValue } from '../../lib/cel/json-value.js';
import { Pace } from '../../lib/cel/interpreter/pace.js';
import type { Value } from '../../lib/cel/values.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import type { RequestTarget } from '../matching/request-target.js';
import { reviewRequest } from '../matching/review-request.js';
import {
  type CheckAccess,
  authorizerOf,
  resourceCheckOf,
} from '../../kinds/kubernetes/admissionregistration/expressions/authorizer.js';

/** Cost limits per request for the expressions of one policy, and for match conditions. as apiserver/pkg/apis/cel */
export const requestBudget = 10_000_000;
export const conditionsBudget = 2_500_000;

/** The remaining cost. */
export interface ExpressionBudget {
  left: number;
}

/** Thrown when the cost limit is exceeded; no further expressions are run. */
export class OutOfExpressionBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** The input of expressions. */
export interface ExpressionInput {
  readonly request: AdmissionRequest;
  /** Resource and version in which the expression's rules match the request. */
  readonly target: RequestTarget;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  readonly namespace?: KubeObject | undefined;
  readonly params?: KubeObject | undefined;
  /** Authorizer for expressions; absent if they have no access to it. */
  readonly checkAccess?: CheckAccess | undefined;
}

export type Variables = (name: string) => Value | undefined;

/** Returns the fields of a namespace that expressions may read. */
function shownNamespace({ metadata, spec, status }: KubeObject): object {
  const { managedFields: _managed, ownerReferences: _owners, ...shown } = metadata;
  return { metadata: shown, spec, status };
}

/** Returns the variables of a request; each is computed on first use. */
export function variablesOf(input: ExpressionInput): Variables {
  const { request, target, checkAccess } = input;
  const { definition, version, subresource, namespace, name, user } = request;
  const getters: Readonly<Record<string, () => Value | undefined>> = {
    object: () => jsonValue(input.object),
    oldObject: () => jsonValue(input.old),
    request: () => jsonValue(reviewRequest(request, target)),
    namespaceObject: () => jsonValue(input.namespace && shownNamespace(input.namespace)),
    params: () => jsonValue(input.params),
    authorizer: () => checkAccess && authorizerOf(user, checkAccess),
    'authorizer.requestResource': () =>
      checkAccess &&
      resourceCheckOf(user, checkAccess, {
        type: 'resource',
        ...{ group: definition.group, version, resource: definition.plural, subresource, namespace, name },
      }),
  };
  const values = new Map<string, Value | undefined>();
  return variable => {
    if (!values.has(variable)) values.set(variable, getters[variable]?.());
    return values.get(variable);
  };
}

/** A compiled expression with its source. */
export interface Expression {
  readonly source: string;
  readonly compiled: Compiled;
}

export type Evaluation = { readonly value: Value } | { readonly error: string };

/** The environment of an evaluation. */
export interface EvaluationEnvironment {
  readonly variables: Variables;
  /** Remaining cost, from which each evaluation is subtracted. */
  readonly budget: ExpressionBudget;
  readonly pace: Pace;
  /** Returns the cost of the variables that were evaluated since the last call. */
  readonly variablesCost?: () => number;
}

/** Evaluates an expression. Throws OutOfExpressionBudget. Yields at the end of a time slice. */
export function* evaluate(
  { source, compiled }: Expression,
  { variables, budget, pace, variablesCost = () => 0 }: EvaluationEnvironment,
): InSteps<Evaluation> {
  if (pace.isTurnOver) yield;
  const { value, error, cost } = yield* outcomeOf(compiled, variables, pace);
  const spent = cost + variablesCost();
  if (spent > budget.left) throw new OutOfExpressionBudget();
  budget.left -= spent;
  if (error !== undefined) return { error: `expression '${source}' resulted in error: ${error}` };
  return { value: value as Value };
}

const paces = new WeakMap<AdmissionRequest, Pace>();

/** Returns the pace that all expressions of one request share. */
export function paceOf(request: AdmissionRequest): Pace {
  let pace = paces.get(request);
  if (!pace) {
    pace = new Pace();
    paces.set(request, pace);
  }
  return pace;
}
