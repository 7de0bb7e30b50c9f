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
  addLoose,
  apart,
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
import { type Plan, planOf } from './validation-plan.js';

type Plain = Record<string, unknown>;

/** The part of ratcheting that a walk carries: the values beside their old ones, down to where they correspond. */
type Old = Correlation | undefined;

/** A field or an item. Ratcheting: faults of what did not change are dropped. as validation/ratcheting.go */
function checkPart(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  if (!old) return check(value, schema, path, undefined, report);
  const [own, score] = apart(report, own => check(value, schema, path, old, own));
  if (own.faults.size > 0 && !old.unchanged()) merge(report, own);
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

function checkObject(object: Plain, schema: Schema, plan: Plan, path: string, old: Old, report: Report): number {
  let score = 0;
  const names = namesOf(report, object);
  const { properties, minProperties, maxProperties } = schema;
  if (minProperties !== undefined && names.length < minProperties)
    addInvalid(report, path, names.length, `${path} in body should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && names.length > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`;
    add(report, text, at => tooMany(at, names.length, maxProperties), path);
  }
  const isOpen = !properties && !plan.more && schema.additionalProperties !== false;
  if (!isOpen) takeNames(report, names.length);
  for (const name of isOpen ? [] : names) {
    const known = properties && Object.hasOwn(properties, name) ? properties[name] : plan.more;
    const quick = known ? quickScore(object[name], known, report) : 0;
    if (quick > 0) {
      score += quick;
      continue;
    }
    const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    // The parts of a TypeMeta are always checked: they must be right whatever they were.
    const before = old && !(path === '' && typeMeta.has(name)) ? old.key(name) : undefined;
    if (property) score += checkPart(object[name], property, path === '' ? name : `${path}.${name}`, before, report);
    else if (plan.more) score += checkPart(object[name], plan.more, `${path}.${name}`, before, report);
    else if (schema.additionalProperties === false)
      addInvalid(report, path, name, `${path}.${name} in body is a forbidden property`);
  }
  const { required: wanted = [] } = schema;
  takeNames(report, wanted.length);
  for (const name of wanted)
    if (!Object.hasOwn(object, name))
      add(report, `${path}.${name} in body is required`, at => required(at), `${path}.${name}`);
  return score;
}

/** What an alternative costs beside its checks, in checks: a report of its own. */
const attemptCost = 10;

interface Attempt {
  readonly report: Report;
  readonly score: number;
}

/** The attempts at alternatives that failed are judged by how much of them fitted; the first of the best is reported. */
const better = (a: Attempt | undefined, b: Attempt): Attempt => (!a || b.score > a.score ? b : a);

function checkJunctors(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  let score = 0;
  const attempt = (alternative: Schema): Attempt => {
    takeCheck(report, attemptCost);
    const [own, score] = apart(report, own => check(value, alternative, path, old, own));
    return { score, report: own };
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
    if (best && !fits(best)) addLoose(report, `${goQuote(path)} must validate at least one schema (anyOf)`);
    take(best);
  }
  if (schema.oneOf?.length) {
    const tried = schema.oneOf.map(attempt);
    const valid = tried.filter(fits);
    if (valid.length === 1) take(valid[0]);
    else {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      addLoose(report, `${goQuote(path)} must validate one and only one schema (oneOf). ${found}`);
      if (valid.length === 0) take(tried.reduce<Attempt | undefined>(better, undefined));
    }
  }
  if (schema.allOf?.length) {
    const tried = schema.allOf.map(attempt);
    tried.forEach(take);
    const valid = tried.filter(fits).length;
    if (valid < tried.length)
      addLoose(
        report,
        `${goQuote(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      );
  }
  if (schema.not && fits(attempt(schema.not))) addLoose(report, `${goQuote(path)} must not validate the schema (not)`);
  return score;
}

/** The score of a value: how many checks it came through; alternatives compete by it. hot: */
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
    const numeric = plan.types.length === 1 && (plan.types[0] === 'integer' || plan.types[0] === 'number');
    checkNumber(value, schema, numeric ? plan.types[0] : undefined, numeric ? plan.format : '', path, report);
  } else if (Array.isArray(value)) score += 1 + checkArray(value, schema, path, old, report);
  if (plan.enum) checkEnum(value, plan.enum, path, report);
  if (typeof value === 'object' && !Array.isArray(value))
    score += 1 + checkObject(value as Plain, schema, plan, path, old, report);
  return score;
}

export interface ValidateOptions {
  /** Where the value stands in the object; '' for the whole object. */
  readonly path?: string;
  /** On updates: the value beside its old one. What was invalid before and did not change is tolerated. */
  readonly old?: Correlation;
}

/** Whether a schema counts what is valid (oneOf, not): then tolerance inside of it can make faults as well as take them away. */
const counts = someSchema(({ not, oneOf = [] }) => not !== undefined || oneOf.length > 0, inPartsAndAlternatives);

/** What is wrong with a value, by the schema alone (no list types, no rules in CEL, no metadata). */
export const validateValue = (value: unknown, schema: Schema, options: ValidateOptions = {}): Fault[] =>
  atOnce(validateSteps(value, schema, options));

/** Does the same in one step or two, each of a bounded number of checks. */
export function* validateSteps(value: unknown, schema: Schema, options: ValidateOptions = {}): InSteps<Fault[]> {
  const { path = '', old } = options;
  let report = newReport(path);
  // hot: most updates are valid; only what is wrong is looked up in the old object.
  if (!old || !counts(schema)) withinChecks(report, () => checkPart(value, schema, '', undefined, report));
  if (old && (report.faults.size > 0 || counts(schema))) {
    yield undefined;
    report = newReport(path);
    withinChecks(report, () => checkPart(value, schema, '', old, report));
  }
  return faultsOf(report);
}
