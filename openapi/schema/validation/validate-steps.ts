/**
 * The walk of `validate.ts` in steps, for large values; rules and texts are those of `validate-parts.ts` and `validate-scalar.ts` in both. Generators
 * take twice as long: 300 items with nine fields each took 0.83 ms in steps and 0.39 ms at once, so that most values are validated at once. One walk for
 * both, whose functions return a score or the rest of the walk, made small values 10 to 20 percent slower.
 */
import type { InSteps } from '../../../lib/time-slice.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type ScoredReport, type Report, isStepOver, merge, separateSteps, takeCheck } from './report.js';
import {
  type Old,
  type Plain,
  better,
  checkList,
  checkRequired,
  checkUnknown,
  concludeAllOf,
  concludeAnyOf,
  concludeNot,
  concludeOneOf,
  describedNames,
  isWithoutFaults,
  memberPath,
  memberSchema,
  oldMember,
  takeAttempt,
} from './validate-parts.js';
import { checkEnum, checkNull, checkScalar, checkType, quickScore } from './validate-scalar.js';
import { planOf } from './validation-plan.js';

/** Checks a value, a field or an item. Returns its score. By ratcheting, faults of unchanged values are dropped. */
export function* partSteps(value: unknown, schema: Schema, path: string, old: Old, report: Report): InSteps<number> {
  if (isStepOver(report)) yield undefined;
  if (!old) return yield* checkSteps(value, schema, path, undefined, report);
  const part = yield* separateSteps(report, separate => checkSteps(value, schema, path, old, separate));
  if (part.report.faults.size > 0 && !old.unchanged()) merge(report, part.report);
  return part.score;
}

function* arraySteps(
  list: readonly unknown[],
  schema: Schema,
  path: string,
  old: Old,
  report: Report,
): InSteps<number> {
  let score = 1;
  const { items } = schema;
  if (items)
    for (let i = 0; i < list.length; i++) {
      // A pattern makes checks of scalars long, too.
      if (isStepOver(report)) yield undefined;
      score +=
        quickScore(list[i], items, report) ||
        (yield* partSteps(list[i], items, `${path}[${i}]`, old?.index(i), report));
    }
  checkList(list, schema, path, report);
  return score;
}

function* objectSteps(object: Plain, schema: Schema, path: string, old: Old, report: Report): InSteps<number> {
  let score = 0;
  for (const name of describedNames(object, schema, path, report)) {
    if (isStepOver(report)) yield undefined;
    const known = memberSchema(name, schema);
    if (!known) {
      checkUnknown(name, schema, path, report);
      continue;
    }
    const value = object[name];
    score +=
      quickScore(value, known, report) ||
      (yield* partSteps(value, known, memberPath(path, name, schema), oldMember(old, path, name), report));
  }
  checkRequired(object, schema, path, report);
  return score;
}

function* junctorSteps(value: unknown, schema: Schema, path: string, old: Old, report: Report): InSteps<number> {
  let score = 0;
  const attempt = function* (alternative: Schema): InSteps<ScoredReport> {
    if (isStepOver(report)) yield undefined;
    takeAttempt(report);
    return yield* separateSteps(report, separate => checkSteps(value, alternative, path, old, separate));
  };
  const attempts = function* (alternatives: readonly Schema[]): InSteps<readonly ScoredReport[]> {
    const tried: ScoredReport[] = [];
    for (const alternative of alternatives) tried.push(yield* attempt(alternative));
    return tried;
  };
  if (schema.anyOf?.length) {
    let best: ScoredReport | undefined;
    for (const alternative of schema.anyOf) {
      const tried = yield* attempt(alternative);
      best = isWithoutFaults(tried) ? tried : better(best, tried);
      if (isWithoutFaults(tried)) break;
    }
    score += concludeAnyOf(best, path, report);
  }
  if (schema.oneOf?.length) score += concludeOneOf(yield* attempts(schema.oneOf), path, report);
  if (schema.allOf?.length) score += concludeAllOf(yield* attempts(schema.allOf), path, report);
  if (schema.not) concludeNot(yield* attempt(schema.not), path, report);
  return score;
}

function* checkSteps(value: unknown, schema: Schema, path: string, old: Old, report: Report): InSteps<number> {
  const plan = planOf(schema);
  takeCheck(report);
  if (value === null) return checkNull(schema, plan, path, report);
  let score = 4;
  if (plan.types.length > 0 || plan.format !== '') score += checkType(value, plan, path, report) ? 2 : 1;
  if (plan.junctors) score += yield* junctorSteps(value, schema, path, old, report);
  if (Array.isArray(value)) score += 1 + (yield* arraySteps(value, schema, path, old, report));
  else score += checkScalar(value, schema, plan, path, report);
  if (plan.enum) checkEnum(value, plan.enum, path, report);
  if (typeof value === 'object' && !Array.isArray(value))
    score += 1 + (yield* objectSteps(value as Plain, schema, path, old, report));
  return score;
}
