/**
 * OpenAPI v3 validation with kube-apiserver's texts.
 * as kube-openapi/pkg/validation/validate and apiextensions-apiserver/pkg/apiserver/validation
 */
import type { Fault } from '../../apimachinery/interface.js';
import { required, tooMany } from '../../apimachinery/errors/faults.js';
import { goJson, goQuote, sortKeys } from '../../lib/go/go-text.js';
import { isNumeric } from '../../lib/json/json.js';
import { atOnce, type InSteps } from '../../lib/time-slice.js';
import type { Correlation } from '../../apimachinery/codec/correlation.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import {
  type Report,
  add,
  addInvalid,
  addWithoutPath,
  separately,
  faultsOf,
  merge,
  namesOf,
  newReport,
  takeCheck,
  takeNames,
  withinChecks,
} from './report.js';
import { inPartsAndAlternatives, someSchema } from '../../apimachinery/codec/some-schema.js';
import { checkNumber } from './validate-number.js';
import { checkEnum, checkFormat, checkString, checkType, quickScore, wrongType } from './validate-scalar.js';
import { planOf } from './validation-plan.js';

type Plain = Record<string, unknown>;

/** The correlation of the value with its old one, for ratcheting; undefined if there is no old value. */
type Old = Correlation | undefined;

/** Checks a field or an item. By ratcheting, faults of unchanged values are dropped. as validation/ratcheting.go */
function checkPart(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  if (!old) return check(value, schema, path, undefined, report);
  const [part, score] = separately(report, separate => check(value, schema, path, old, separate));
  if (part.faults.size > 0 && !old.unchanged()) merge(report, part);
  return score;
}

function checkArray(list: readonly unknown[], schema: Schema, path: string, old: Old, report: Report): number {
  let score = 1;
  const { items, minItems, maxItems } = schema;
  if (items)
    for (let i = 0; i < list.length; i++)
      score += quickScore(list[i], items, report) || checkPart(list[i], items, `${path}[${i}]`, old?.index(i), report);
  const size = list.length;
  if (minItems !== undefined && size < minItems)
    addInvalid(report, path, size, `${path} in body should have at least ${minItems} items`);
  if (maxItems !== undefined && size > maxItems)
    add(report, `${path} in body should have at most ${maxItems} items`, at => tooMany(at, size, maxItems), path);
  if (schema.uniqueItems && new Set(list.map(item => goJson(sortKeys(item)))).size < size)
    addInvalid(report, path, '', `${path} in body shouldn't contain duplicates`);
  return score;
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion']);

function checkObject(object: Plain, schema: Schema, path: string, old: Old, report: Report): number {
  let score = 0;
  const names = namesOf(report, object);
  const { properties, additionalProperties, minProperties, maxProperties } = schema;
  const more = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  if (minProperties !== undefined && names.length < minProperties)
    addInvalid(report, path, names.length, `${path} in body should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && names.length > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`;
    add(report, text, at => tooMany(at, names.length, maxProperties), path);
  }
  const isOpen = !properties && additionalProperties !== false && !more;
  if (!isOpen) takeNames(report, names.length);
  for (const name of isOpen ? [] : names) {
    const known = properties && Object.hasOwn(properties, name) ? properties[name] : more;
    const quick = known ? quickScore(object[name], known, report) : 0;
    if (quick > 0) {
      score += quick;
      continue;
    }
    const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    // The fields of TypeMeta are always checked, even if they are unchanged.
    const before = old && !(path === '' && typeMeta.has(name)) ? old.key(name) : undefined;
    if (property) score += checkPart(object[name], property, path === '' ? name : `${path}.${name}`, before, report);
    else if (more) score += checkPart(object[name], more, `${path}.${name}`, before, report);
    else if (additionalProperties === false)
      addInvalid(report, path, name, `${path}.${name} in body is a forbidden property`);
  }
  const { required: requiredNames = [] } = schema;
  takeNames(report, requiredNames.length);
  for (const name of requiredNames)
    if (!Object.hasOwn(object, name))
      add(report, `${path}.${name} in body is required`, at => required(at), `${path}.${name}`);
  return score;
}

/** Cost of an alternative besides its checks, in checks: that of a separate report. */
const attemptCost = 10;

interface Attempt {
  readonly report: Report;
  readonly score: number;
}

/** Returns the attempt with the higher score, or the first of equal ones. The best of the failed alternatives is reported. */
const better = (a: Attempt | undefined, b: Attempt): Attempt => (!a || b.score > a.score ? b : a);

function checkJunctors(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  let score = 0;
  const attempt = (alternative: Schema): Attempt => {
    takeCheck(report, attemptCost);
    const [part, score] = separately(report, separate => check(value, alternative, path, old, separate));
    return { score, report: part };
  };
  const take = (a: Attempt | undefined): void => {
    if (a) merge(report, a.report);
    score += a?.score ?? 0;
  };
  const fits = (a: Attempt): boolean => a.report.faults.size === 0;
  if (schema.anyOf?.length) {
    let best: Attempt | undefined;
    for (const alternative of schema.anyOf) {
      const tried = attempt(alternative);
      best = fits(tried) ? tried : better(best, tried);
      if (fits(tried)) break;
    }
    if (best && !fits(best)) addWithoutPath(report, `${goQuote(path)} must validate at least one schema (anyOf)`);
    take(best);
  }
  if (schema.oneOf?.length) {
    const tried = schema.oneOf.map(attempt);
    const valid = tried.filter(fits);
    if (valid.length === 1) take(valid[0]);
    else {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      addWithoutPath(report, `${goQuote(path)} must validate one and only one schema (oneOf). ${found}`);
      if (valid.length === 0) take(tried.reduce<Attempt | undefined>(better, undefined));
    }
  }
  if (schema.allOf?.length) {
    const tried = schema.allOf.map(attempt);
    tried.forEach(take);
    const valid = tried.filter(fits).length;
    if (valid < tried.length)
      addWithoutPath(
        report,
        `${goQuote(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      );
  }
  if (schema.not && fits(attempt(schema.not)))
    addWithoutPath(report, `${goQuote(path)} must not validate the schema (not)`);
  return score;
}

/** Checks a value. Returns its score, which grows with the passed checks, and by which the best alternative is found. hot: */
function check(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  const plan = planOf(schema);
  takeCheck(report);
  if (value === null) {
    const fits = plan.types.length === 0 || schema.nullable === true;
    if (!fits) wrongType(report, path, plan.types.join(','), 'null');
    if (plan.enum) checkEnum(null, plan.enum, path, report);
    return fits ? 1 : 0;
  }
  let score = 4;
  if (plan.types.length > 0 || plan.format !== '') score += checkType(value, plan, path, report) ? 2 : 1;
  if (plan.junctors) score += checkJunctors(value, schema, path, old, report);
  if (typeof value === 'string') {
    score += plan.formatCheck ? 2 : 1;
    checkString(value, schema, plan, path, report);
    if (plan.formatCheck) checkFormat(value, plan, path, report);
  } else if (isNumeric(value)) {
    score += 2;
    checkNumber(value, schema, plan, path, report);
  } else if (Array.isArray(value)) score += 1 + checkArray(value, schema, path, old, report);
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

/** Does the same in one or two steps, each with a bounded number of checks. */
export function* validateSteps(value: unknown, schema: Schema, options: ValidateOptions = {}): InSteps<Fault[]> {
  const { path = '', old } = options;
  let report = newReport(path);
  // hot: most updates are valid, so the old object is used only if there are faults.
  if (!old || !hasOneOfOrNot(schema)) withinChecks(report, () => checkPart(value, schema, '', undefined, report));
  if (old && (report.faults.size > 0 || hasOneOfOrNot(schema))) {
    yield undefined;
    report = newReport(path);
    withinChecks(report, () => checkPart(value, schema, '', old, report));
  }
  return faultsOf(report);
}
