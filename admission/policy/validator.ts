/** Compiles a ValidatingAdmissionPolicy and evaluates it for one object. */
// as apiserver/pkg/admission/plugin/policy/validating validator.go
import type { InSteps } from '../../lib/time-slice.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { bool, nullType, string } from '../../lib/cel/types.js';
import type { Pace } from '../../lib/cel/interpreter/pace.js';
import type { Value } from '../../lib/cel/values.js';
import type { Validation, ValidatingAdmissionPolicySpec } from '../../api/kubernetes/admissionregistration.js';
import type { Scope } from '../../kinds/kubernetes/admissionregistration/expressions/compile.js';
import {
  type CompileResult,
  type ConditionTally,
  matchConditionsOf,
  holds,
  newTally,
  tryCompile,
} from '../expressions/conditions.js';
import {
  type ExpressionBudget,
  type Evaluation,
  type EvaluationEnvironment,
  OutOfExpressionBudget,
  type ExpressionInput,
  evaluate,
  requestBudget,
  variablesOf,
} from '../expressions/evaluate.js';
import { type Composition, composed, compositionOf } from './variables.js';

/** An expression that is compiled on first use, within the time slices of a request: a policy may have tens of thousands. */
class LazyExpression {
  /** Undefined before the first use. */
  made: CompileResult | undefined;
  readonly #args: Parameters<typeof tryCompile>;

  constructor(...args: Parameters<typeof tryCompile>) {
    this.#args = args;
  }

  compile(): CompileResult {
    return (this.made ??= tryCompile(...this.#args));
  }
}

interface Rule {
  readonly spec: Validation;
  readonly expression: LazyExpression;
  readonly message: LazyExpression | undefined;
}

export interface PolicyValidator {
  readonly conditions: readonly CompileResult[];
  readonly variables: Composition;
  readonly rules: readonly Rule[];
  readonly annotations: readonly { readonly key: string; readonly value: CompileResult }[];
  readonly failsOpen: boolean;
}

export interface ValidationDecision {
  readonly denied: boolean;
  readonly message: string;
  /** '' if the evaluation failed. */
  readonly reason: string;
  /** The evaluation failed. */
  readonly failed: boolean;
  /** Duration of the expression. */
  readonly seconds: number;
}

export interface Annotation {
  readonly key: string;
  readonly value: string;
}

/** The result of a policy for one object and one parameter. */
export interface PolicyResult {
  /** One decision per validation, or a single one if none was run. */
  readonly decisions: readonly ValidationDecision[];
  readonly annotations: readonly Annotation[];
  /** Errors of audit annotations, unless the policy fails open. */
  readonly errors: readonly string[];
  /** Metrics of the match conditions. */
  readonly conditions: ConditionTally;
}

/** Compiles a policy. */
export function validatorOf(policy: KubeObject): PolicyValidator {
  const spec = (policy.spec ?? {}) as ValidatingAdmissionPolicySpec;
  const params = spec.paramKind !== undefined;
  const variables = compositionOf(spec.variables, params);
  const scope: Scope = { params, authorizer: true, ...(spec.variables && { variables: variables.types }) };
  return {
    conditions: matchConditionsOf(spec.matchConditions, params),
    variables,
    rules: (spec.validations ?? []).map(each => ({
      spec: each,
      expression: new LazyExpression(each.expression ?? '', scope, [bool]),
      message: each.messageExpression
        ? new LazyExpression(each.messageExpression, { ...scope, authorizer: false }, [string])
        : undefined,
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ key = '', valueExpression = '' }) => ({
      key,
      value: tryCompile(valueExpression.trim(), scope, [string, nullType]),
    })),
    failsOpen: spec.failurePolicy === 'Ignore',
  };
}

const failedDecision = ({ failsOpen }: PolicyValidator, message: string, seconds = 0): ValidationDecision => ({
  ...{ denied: !failsOpen, message, seconds },
  reason: '',
  failed: true,
});

/** Evaluates a policy. Pure: it is repeated when `input.checkAccess` lacks a decision. Yields at the end of a time slice. */
export function* evaluatePolicy(validator: PolicyValidator, input: ExpressionInput, pace: Pace): InSteps<PolicyResult> {
  const { namespace: _unseen, ...conditionInput } = input;
  const conditions = newTally();
  const nothing = { decisions: [], annotations: [], errors: [], conditions };
  const only = (decision: ValidationDecision): PolicyResult => ({ ...nothing, decisions: [decision] });
  const conditionsMet = yield* holds(validator.conditions, variablesOf(conditionInput), pace, conditions);
  if (typeof conditionsMet === 'object') return only(failedDecision(validator, conditionsMet.error));
  if (!conditionsMet) return nothing;
  try {
    const decisions = yield* decide(validator, input, pace);
    return { decisions, conditions, ...(yield* annotate(validator, input, pace)) };
  } catch (error) {
    if (error instanceof OutOfExpressionBudget) return only(failedDecision(validator, error.message));
    throw error;
  }
}

/** Returns the environment for expressions that share variables and a budget. */
const environmentOf = (
  { variables: composition }: PolicyValidator,
  input: ExpressionInput,
  budget: ExpressionBudget,
  pace: Pace,
): EvaluationEnvironment => {
  const { variables, spent } = composed(composition, variablesOf(input), pace);
  return { variables, budget, pace, variablesCost: spent };
};

/** Evaluates an expression; a compilation error is an outcome, too. */
function* outcomeOf(expression: CompileResult, environment: EvaluationEnvironment): InSteps<Evaluation> {
  if ('error' in expression) return { error: `compilation error: ${expression.error}` };
  return yield* evaluate(expression, environment);
}

/** Units of cost and steps that take as long as compiling a short expression, and a character of any. */
const compileUnits = 1000;
const characterUnits = 20;

/** Compiles an expression. Yields at the end of a time slice. */
function* compiledOf(expression: LazyExpression, pace: Pace): InSteps<CompileResult> {
  if (pace.isTurnOver) yield;
  const compiled = expression.compile();
  pace.count(compileUnits + characterUnits * compiled.source.length);
  return compiled;
}

interface Timed {
  readonly outcome: Evaluation;
  readonly seconds: number;
}

function* outcomesOf({ rules }: PolicyValidator, environment: EvaluationEnvironment): InSteps<readonly Timed[]> {
  const outcomes: Timed[] = [];
  for (const { expression } of rules) {
    const started = performance.now();
    const outcome = yield* outcomeOf(expression.made ?? (yield* compiledOf(expression, environment.pace)), environment);
    outcomes.push({ outcome, seconds: (performance.now() - started) / 1000 });
  }
  return outcomes;
}

function* decide(
  validator: PolicyValidator,
  input: ExpressionInput,
  pace: Pace,
): InSteps<readonly ValidationDecision[]> {
  const budget: ExpressionBudget = { left: requestBudget };
  const outcomes = yield* outcomesOf(validator, environmentOf(validator, input, budget, pace));
  const messages = yield* messagesOf(validator, input, budget, pace);
  return validator.rules.map(({ spec }, i): ValidationDecision => {
    const { outcome, seconds } = outcomes[i] as Timed;
    if ('error' in outcome) return failedDecision(validator, outcome.error, seconds);
    if (messages instanceof OutOfExpressionBudget)
      return failedDecision(validator, `failed messageExpression: ${messages.message}`, seconds);
    if (outcome.value === true) return { denied: false, message: '', reason: '', failed: false, seconds };
    const message = textOf(spec, messages[i]);
    return { denied: true, message, reason: spec.reason ?? 'Invalid', failed: false, seconds };
  });
}

/** Evaluates all message expressions, as upstream does: their cost counts whether or not they are needed. */
function* messagesOf(
  validator: PolicyValidator,
  input: ExpressionInput,
  budget: ExpressionBudget,
  pace: Pace,
): InSteps<readonly (Evaluation | undefined)[] | OutOfExpressionBudget> {
  const { checkAccess: _none, ...inputWithoutAuthorizer } = input;
  const environment = environmentOf(validator, inputWithoutAuthorizer, budget, pace);
  const messages: (Evaluation | undefined)[] = [];
  try {
    for (const { message } of validator.rules)
      messages.push(message && (yield* outcomeOf(message.made ?? (yield* compiledOf(message, pace)), environment)));
    return messages;
  } catch (error) {
    if (error instanceof OutOfExpressionBudget) return error;
    throw error;
  }
}

const maxMessageBytes = 5 * 1024;

function textOf({ message = '', expression = '' }: Validation, computed: Evaluation | undefined): string {
  const text = computed && 'value' in computed && typeof computed.value === 'string' ? computed.value.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes) return text;
  return message.trim() || `failed expression: ${expression.trim()}`;
}

function* annotate(
  validator: PolicyValidator,
  input: ExpressionInput,
  pace: Pace,
): InSteps<Pick<PolicyResult, 'annotations' | 'errors'>> {
  const { checkAccess: _none, ...inputWithoutAuthorizer } = input;
  const environment = environmentOf(validator, inputWithoutAuthorizer, { left: requestBudget }, pace);
  const annotations: Annotation[] = [];
  const errors: string[] = [];
  for (const { key, value } of validator.annotations) {
    const outcome = yield* outcomeOf(value, environment);
    if ('error' in outcome) {
      if (!validator.failsOpen) errors.push(outcome.error);
    } else add(annotations, key, outcome.value);
  }
  return { annotations, errors };
}

function add(annotations: Annotation[], key: string, value: Value): void {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '') annotations.push({ key, value: text });
}
