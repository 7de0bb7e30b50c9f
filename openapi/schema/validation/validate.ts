/**
 * OpenAPI v3 validation with kube-apiserver's texts.
 * as kube-openapi/pkg/validation/validate and apiextensions-apiserver/pkg/apiserver/validation
 */
import type { Fault } from '../../../apimachinery/interface.js';
import { atOnce, type InSteps } from '../../../lib/time-slice.js';
import type { Correlation } from '../../../apimachinery/codec/correlation.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import {
  type ScoredReport,
  type Report,
  TooManyAtOnce,
  separately,
  reportedFaults,
  merge,
  newReport,
  takeCheck,
  withinChecks,
  withinCheckSteps,
} from './report.js';
import { inPartsAndAlternatives, someSchema } from '../../../apimachinery/codec/some-schema.js';
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
import { partSteps } from './validate-steps.js';
import { planOf } from './validation-plan.js';

/** Checks a field or an item. By ratcheting, faults of unchanged values are dropped. as validation/ratcheting.go */
function checkPart(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  if (!old) return check(value, schema, path, undefined, report);
  const part = separately(report, separate => check(value, schema, path, old, separate));
  if (part.report.faults.size > 0 && !old.unchanged()) merge(report, part.report);
  return part.score;
}

function checkArray(list: readonly unknown[], schema: Schema, path: string, old: Old, report: Report): number {
  let score = 1;
  const { items } = schema;
  if (items)
    for (let i = 0; i < list.length; i++)
      score += quickScore(list[i], items, report) || checkPart(list[i], items, `${path}[${i}]`, old?.index(i), report);
  checkList(list, schema, path, report);
  return score;
}

function checkObject(object: Plain, schema: Schema, path: string, old: Old, report: Report): number {
  let score = 0;
  for (const name of describedNames(object, schema, path, report)) {
    const known = memberSchema(name, schema);
    if (!known) {
      checkUnknown(name, schema, path, report);
      continue;
    }
    const value = object[name];
    score +=
      quickScore(value, known, report) ||
      checkPart(value, known, memberPath(path, name, schema), oldMember(old, path, name), report);
  }
  checkRequired(object, schema, path, report);
  return score;
}

function checkJunctors(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  let score = 0;
  const attempt = (alternative: Schema): ScoredReport => {
    takeAttempt(report);
    return separately(report, separate => check(value, alternative, path, old, separate));
  };
  if (schema.anyOf?.length) {
    let best: ScoredReport | undefined;
    for (const alternative of schema.anyOf) {
      const tried = attempt(alternative);
      best = isWithoutFaults(tried) ? tried : better(best, tried);
      if (isWithoutFaults(tried)) break;
    }
    score += concludeAnyOf(best, path, report);
  }
  if (schema.oneOf?.length) score += concludeOneOf(schema.oneOf.map(attempt), path, report);
  if (schema.allOf?.length) score += concludeAllOf(schema.allOf.map(attempt), path, report);
  if (schema.not) concludeNot(attempt(schema.not), path, report);
  return score;
}

/**
 * Checks a value. Returns its score, which grows with the passed checks, and by which the best alternative is found. hot: every value that is
 * validated.
 */
function check(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  const plan = planOf(schema);
  takeCheck(report);
  if (value === null) return checkNull(schema, plan, path, report);
  let score = 4;
  if (plan.types.length > 0 || plan.format !== '') score += checkType(value, plan, path, report) ? 2 : 1;
  if (plan.junctors) score += checkJunctors(value, schema, path, old, report);
  if (Array.isArray(value)) score += 1 + checkArray(value, schema, path, old, report);
  else score += checkScalar(value, schema, plan, path, report);
  if (plan.enum) checkEnum(value, plan.enum, path, report);
  if (typeof value === 'object' && !Array.isArray(value))
    score += 1 + checkObject(value as Plain, schema, path, old, report);
  return score;
}

interface ValidateOptions {
  /** Path of the value in the object; '' for the whole object. */
  readonly path?: string;
  /** For updates: the correlation with the old value. Invalid values that are unchanged are tolerated. */
  readonly old?: Correlation;
}

/** Reports whether a schema has oneOf or not, where tolerating an invalid value can add faults as well as remove them. */
const hasOneOfOrNot = someSchema(
  ({ not, oneOf = [] }) => not !== undefined || oneOf.length > 0,
  inPartsAndAlternatives,
);

/** Returns the faults of a value by its schema, without list types, rules in CEL and metadata. */
export const validateValue = (value: unknown, schema: Schema, options: ValidateOptions = {}): Fault[] =>
  atOnce(validateSteps(value, schema, options));

/** Number of checks that are done at once: some two milliseconds. A validation that needs more begins again, and is done in steps. */
const maxAtOnce = 20_000;

/** As `validateValue`, in steps. The value must not change meanwhile. */
export function* validateSteps(value: unknown, schema: Schema, options: ValidateOptions = {}): InSteps<Fault[]> {
  const { path = '', old } = options;
  let report: Report | undefined;
  // hot: most updates are valid, so the old object is used only if there are faults.
  if (!old || !hasOneOfOrNot(schema)) report = yield* reportSteps(value, schema, path, undefined);
  if (old && (!report || report.faults.size > 0)) {
    yield undefined;
    report = yield* reportSteps(value, schema, path, old);
  }
  return report ? reportedFaults(report) : [];
}

/** Returns the report about a value. hot: steps take longer, so that most values are validated at once. */
function* reportSteps(value: unknown, schema: Schema, base: string, old: Old): InSteps<Report> {
  const quick = newReport(base, maxAtOnce);
  try {
    withinChecks(quick, () => checkPart(value, schema, '', old, quick));
    return quick;
  } catch (error) {
    if (!(error instanceof TooManyAtOnce)) throw error;
  }
  yield undefined;
  const report = newReport(base);
  yield* withinCheckSteps(report, partSteps(value, schema, '', old, report));
  return report;
}
