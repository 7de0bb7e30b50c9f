/** What a ValidatingAdmissionPolicy says of one object. */
// as apiserver/pkg/admission/plugin/policy/validating validator.go
import type { InSteps } from '../../lib/time-slice.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { bool, nullType, string } from '../../lib/cel/types.js';
import type { Pace } from '../../lib/cel/pace.js';
import type { Value } from '../../lib/cel/values.js';
import type { Validation, ValidatingAdmissionPolicySpec } from '../../api/kubernetes/admissionregistration.js';
import type { Scope } from '../../kinds/kubernetes/admissionregistration/expressions/compile.js';
import { type Readied, type Tally, conditionsOf, holds, newTally, readied } from '../expressions/conditions.js';
import {
  type Budget,
  type Evaluation,
  type Means,
  OutOfBudget,
  type Sight,
  evaluate,
  requestBudget,
  variablesOf,
} from '../expressions/evaluate.js';
import { type Composition, composed, compositionOf } from './variables.js';

interface Rule {
  readonly spec: Validation;
  readonly expression: Readied;
  readonly message: Readied | undefined;
}

export interface Validator {
  readonly conditions: readonly Readied[];
  readonly variables: Composition;
  readonly rules: readonly Rule[];
  readonly annotations: readonly { readonly key: string; readonly value: Readied }[];
  readonly failsOpen: boolean;
}

export interface Decision {
  readonly denied: boolean;
  readonly message: string;
  /** '' where the policy could not decide. */
  readonly reason: string;
  /** There was no outcome. */
  readonly failed: boolean;
  /** How long its expression ran. */
  readonly seconds: number;
}

export interface Annotation {
  readonly key: string;
  readonly value: string;
}

export interface Judgement {
  /** One per validation, or one when none was run. */
  readonly decisions: readonly Decision[];
  readonly annotations: readonly Annotation[];
  /** Annotations that failed, where that matters. */
  readonly errors: readonly string[];
  /** Of the match conditions. */
  readonly conditions: Tally;
}

export function validatorOf(policy: KubeObject): Validator {
  const spec = (policy.spec ?? {}) as ValidatingAdmissionPolicySpec;
  const params = spec.paramKind !== undefined;
  const variables = compositionOf(spec.variables, params);
  const scope: Scope = { params, authorizer: true, ...(spec.variables && { variables: variables.types }) };
  return {
    conditions: conditionsOf(spec.matchConditions, params),
    variables,
    rules: (spec.validations ?? []).map(each => ({
      spec: each,
      expression: readied(each.expression ?? '', scope, [bool]),
      message: each.messageExpression
        ? readied(each.messageExpression, { ...scope, authorizer: false }, [string])
        : undefined,
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ key = '', valueExpression = '' }) => ({
      key,
      value: readied(valueExpression.trim(), scope, [string, nullType]),
    })),
    failsOpen: spec.failurePolicy === 'Ignore',
  };
}

const undecided = ({ failsOpen }: Validator, message: string, seconds = 0): Decision => ({
  ...{ denied: !failsOpen, message, seconds },
  reason: '',
  failed: true,
});

/** Pure: may be run again when `sight.ask` did not know an answer. Yields where others may get their turn. */
export function* judge(validator: Validator, sight: Sight, pace: Pace): InSteps<Judgement> {
  const { namespace: _unseen, ...conditionSight } = sight;
  const conditions = newTally();
  const nothing = { decisions: [], annotations: [], errors: [], conditions };
  const only = (decision: Decision): Judgement => ({ ...nothing, decisions: [decision] });
  const wanted = yield* holds(validator.conditions, variablesOf(conditionSight), pace, conditions);
  if (typeof wanted === 'object') return only(undecided(validator, wanted.error));
  if (!wanted) return nothing;
  try {
    const decisions = yield* decide(validator, sight, pace);
    return { decisions, conditions, ...(yield* annotate(validator, sight, pace)) };
  } catch (error) {
    if (error instanceof OutOfBudget) return only(undecided(validator, error.message));
    throw error;
  }
}

/** Expressions that share variables and a budget. */
const meansOf = ({ variables: own }: Validator, sight: Sight, budget: Budget, pace: Pace): Means => {
  const { variables, spent } = composed(own, variablesOf(sight), pace);
  return { variables, budget, pace, further: spent };
};

/** The outcome of an expression, whatever it came to. */
function* outcomeOf(expression: Readied, means: Means): InSteps<Evaluation> {
  if ('error' in expression) return { error: `compilation error: ${expression.error}` };
  return yield* evaluate(expression, means);
}

interface Timed {
  readonly outcome: Evaluation;
  readonly seconds: number;
}

function* outcomesOf({ rules }: Validator, means: Means): InSteps<readonly Timed[]> {
  const outcomes: Timed[] = [];
  for (const { expression } of rules) {
    const started = performance.now();
    const outcome = yield* outcomeOf(expression, means);
    outcomes.push({ outcome, seconds: (performance.now() - started) / 1000 });
  }
  return outcomes;
}

function* decide(validator: Validator, sight: Sight, pace: Pace): InSteps<readonly Decision[]> {
  const budget: Budget = { left: requestBudget };
  const outcomes = yield* outcomesOf(validator, meansOf(validator, sight, budget, pace));
  const messages = yield* messagesOf(validator, sight, budget, pace);
  return validator.rules.map(({ spec }, i): Decision => {
    const { outcome, seconds } = outcomes[i] as Timed;
    if ('error' in outcome) return undecided(validator, outcome.error, seconds);
    if (messages instanceof OutOfBudget)
      return undecided(validator, `failed messageExpression: ${messages.message}`, seconds);
    if (outcome.value === true) return { denied: false, message: '', reason: '', failed: false, seconds };
    const message = textOf(spec, messages[i]);
    return { denied: true, message, reason: spec.reason ?? 'Invalid', failed: false, seconds };
  });
}

/** All of them, as upstream: what they cost counts, whether or not they are needed. */
function* messagesOf(
  validator: Validator,
  sight: Sight,
  budget: Budget,
  pace: Pace,
): InSteps<readonly (Evaluation | undefined)[] | OutOfBudget> {
  const { ask: _none, ...without } = sight;
  const means = meansOf(validator, without, budget, pace);
  const messages: (Evaluation | undefined)[] = [];
  try {
    for (const { message } of validator.rules) messages.push(message && (yield* outcomeOf(message, means)));
    return messages;
  } catch (error) {
    if (error instanceof OutOfBudget) return error;
    throw error;
  }
}

const longestMessage = 5 * 1024;

function textOf({ message = '', expression = '' }: Validation, computed: Evaluation | undefined): string {
  const text = computed && 'value' in computed && typeof computed.value === 'string' ? computed.value.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= longestMessage) return text;
  return message.trim() || `failed expression: ${expression.trim()}`;
}

function* annotate(validator: Validator, sight: Sight, pace: Pace): InSteps<Pick<Judgement, 'annotations' | 'errors'>> {
  const { ask: _none, ...without } = sight;
  const means = meansOf(validator, without, { left: requestBudget }, pace);
  const annotations: Annotation[] = [];
  const errors: string[] = [];
  for (const { key, value } of validator.annotations) {
    const outcome = yield* outcomeOf(value, means);
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
