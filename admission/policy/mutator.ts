/** Compiles and applies the mutations of a MutatingAdmissionPolicy. */
// as apiserver/pkg/admission/plugin/policy/mutating compilation.go, patch/smd.go, patch/json_patch.go
import type { InSteps } from '../../lib/time-slice.js';
import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { OutOfSteps, StepLimit, type Steps } from '../../lib/steps.js';
import { StatusError, internal } from '../../apimachinery/errors/status.js';
import { applyOver } from '../../apimachinery/patch/apply-over.js';
import { type JsonPatchOp, applyJsonPatch } from '../../apimachinery/patch/json-patch.js';
import { asStructpb, jsonOf } from '../../lib/cel/json-value.js';
import type { Pace } from '../../lib/cel/interpreter/pace.js';
import { list } from '../../lib/cel/types.js';
import { CelError, List, type Value } from '../../lib/cel/values.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { MutatingAdmissionPolicySpec, Mutation } from '../../api/kubernetes/admissionregistration.js';
import type { Scope } from '../../kinds/kubernetes/admissionregistration/expressions/compile.js';
import { type CompileResult, matchConditionsOf, tryCompile } from '../expressions/conditions.js';
import { type ExpressionInput, evaluate, requestBudget, variablesOf } from '../expressions/evaluate.js';
import {
  jsonPatchType,
  misnamed,
  objectType,
} from '../../kinds/kubernetes/admissionregistration/expressions/patch-types.js';
import { type RequestTarget, kindOfTarget } from '../matching/request-target.js';
import { type MutatedObject, completeMutatedSteps, completePatchedSteps } from '../matching/views.js';
import { type Composition, composed, compositionOf } from './variables.js';

/** Maximum number of steps to convert the value of an expression. */
const maxSteps = 2_000_000;

interface Change {
  readonly type: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: CompileResult;
}

export interface Mutator {
  readonly conditions: readonly CompileResult[];
  readonly variables: Composition;
  readonly changes: readonly Change[];
  readonly reinvoked: boolean;
}

function changeOf({ patchType, applyConfiguration, jsonPatch }: Mutation, scope: Scope): Change {
  if (patchType === 'JSONPatch')
    return { type: 'JSONPatch', expression: tryCompile(jsonPatch?.expression ?? '', scope, [list(jsonPatchType)]) };
  const expression = tryCompile(applyConfiguration?.expression ?? '', scope, [objectType]);
  return { type: 'ApplyConfiguration', expression };
}

/** Compiles a policy. */
export function mutatorOf(policy: KubeObject): Mutator {
  const spec = (policy.spec ?? {}) as MutatingAdmissionPolicySpec;
  const params = spec.paramKind !== undefined;
  const variables = compositionOf(spec.variables, params);
  const scope: Scope = {
    ...{ params, authorizer: true, patches: true },
    ...(spec.variables && { variables: variables.types }),
  };
  return {
    conditions: matchConditionsOf(spec.matchConditions, params),
    variables,
    changes: (spec.mutations ?? []).map(mutation => changeOf(mutation, scope)),
    reinvoked: spec.reinvocationPolicy === 'IfNeeded',
  };
}

/** Returns the value of a change's expression. Pure. Throws Error and OutOfBudget. Yields at the end of a time slice. */
export function* changeValue(
  { expression }: Change,
  variables: Composition,
  input: ExpressionInput,
  pace: Pace,
): InSteps<Value> {
  if ('error' in expression) throw new Error(expression.error);
  const { variables: names, spent } = composed(variables, variablesOf(input), pace);
  const outcome = yield* evaluate(expression, {
    ...{ variables: names, budget: { left: requestBudget }, pace },
    variablesCost: spent,
  });
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome.value;
}

function schemaOf(target: RequestTarget): Schema | undefined {
  const kind = kindOfTarget(target);
  const whole = kind.kind === target.definition.kind && kind.group === target.definition.group;
  return whole ? target.definition.versions.find(({ name }) => name === target.version)?.schema : nativeSchemaFor(kind);
}

function* applied(object: KubeObject, value: Value, target: RequestTarget): InSteps<KubeObject> {
  const steps = new StepLimit(maxSteps);
  const wrong = misnamed(value, steps);
  if (wrong.length > 0) throw new Error(`type mismatch: ${wrong.join('\n')}`);
  const schema = schemaOf(target);
  if (!schema) throw new Error(`no schema for ${object.kind}`);
  const { apiVersion, kind } = object;
  const over = { ...(jsonOf(value, steps) as object), apiVersion, kind } as KubeObject;
  try {
    return yield* applyOver(object, over, schema);
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof Error)) throw error;
    throw new Error(`error applying patch: ${error.message}`, { cause: error });
  }
}

const fieldOf = (item: Value, name: string): Value | undefined =>
  (item as { struct?: { fields: ReadonlyMap<string, Value> } }).struct?.fields.get(name);

function operationsOf(value: Value): readonly JsonPatchOp[] {
  const steps = new StepLimit(maxSteps);
  const items = value instanceof List ? value.toArray(steps) : [];
  const wrong = items.flatMap(item => {
    const inner = fieldOf(item, 'value');
    return inner === undefined ? [] : misnamedValue(inner, steps);
  });
  if (wrong.length > 0) throw new Error(`type mismatch: ${wrong.join('\n')}`);
  return items.map(item => {
    const [op, path, from] = ['op', 'path', 'from'].map(name => (fieldOf(item, name) ?? '') as string);
    const inner = fieldOf(item, 'value');
    return {
      op: op ?? '',
      path: path ?? '',
      ...(from && { from }),
      ...(inner !== undefined && { value: jsonOf(inner, steps, asStructpb) }),
    };
  });
}

/** Returns type mismatches in an operation's value. It may be of any type of the object, so its own type name is accepted. */
function misnamedValue(value: Value, steps: Steps): string[] {
  const { name } = (value as { struct?: { name: string } } | null)?.struct ?? {};
  return name === undefined ? [] : misnamed(value, steps, [name]);
}

/** Reports whether all operations can be applied. Used to find the failing one; its error has been caught before. */
function isApplicable(object: KubeObject, operations: readonly JsonPatchOp[]): boolean {
  try {
    applyJsonPatch(object, operations);
    return true;
  } catch {
    return false;
  }
}

/** Reports whether the failing operation is a `test`. Then the object stays unchanged, without an error. */
function isTested(object: KubeObject, operations: readonly JsonPatchOp[]): boolean {
  // Finds the first failing operation by bisection, since there may be many.
  let [good, bad] = [0, operations.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isApplicable(object, operations.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return operations[bad - 1]?.op === 'test';
}

function patched(object: KubeObject, value: Value): KubeObject {
  const operations = operationsOf(value);
  try {
    return applyJsonPatch(object, operations) as KubeObject;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (isTested(object, operations)) return object;
    throw new Error(`JSON Patch: ${error.message}`, { cause: error });
  }
}

/** Returns the object after one change. Throws Error for a fault of the policy. */
export function* changed(
  { type }: Change,
  value: Value,
  object: KubeObject,
  target: RequestTarget,
): InSteps<MutatedObject> {
  let next: KubeObject;
  try {
    next = type === 'JSONPatch' ? patched(object, value) : yield* applied(object, value, target);
  } catch (error) {
    if (error instanceof CelError) throw new Error(error.message, { cause: error });
    // RangeError is a stack overflow by a deeply nested value.
    if (error instanceof OutOfSteps || error instanceof RangeError)
      throw new Error('the value of the expression is too large', { cause: error });
    throw error;
  }
  if (next === object) return { object };
  try {
    return type === 'JSONPatch'
      ? yield* completePatchedSteps(target, next, { literals: false, strict: true })
      : { object: yield* completeMutatedSteps(target, next) };
  } catch (error) {
    throw error instanceof StatusError || error instanceof DecodeError ? internal(error.message) : error;
  }
}
