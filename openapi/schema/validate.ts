/**
 * OpenAPI v3 validation with kube-apiserver's texts.
 * as kube-openapi/pkg/validation/validate and apiextensions-apiserver/pkg/apiserver/validation
 */
import type { Fault } from '../interface.js';
import { notSupported, required, tooLong, tooMany, typeInvalid } from '../meta/faults.js';
import { type GoRegexp, goRegexp } from '../meta/regexp/go-regexp.js';
import { goJson, goQuote, sortKeys } from '../meta/go-text.js';
import { isInt64, isNumeric } from '../meta/json.js';
import type { Correlation } from './correlation.js';
import { effectiveFormat, formatCheck } from './formats.js';
import type { Schema } from './interface.js';
import { type Report, add, addInvalid, addLoose, apart, merge, newReport, upToEnough } from './report.js';
import { checkNumber } from './validate-number.js';

type Plain = Record<string, unknown>;

/** What a schema says, in the form in which it is asked; made once per schema. */
interface Plan {
  readonly types: readonly string[];
  readonly format: string;
  readonly formatCheck: ((text: string) => boolean) | undefined;
  readonly junctors: boolean;
  readonly more: Schema | undefined;
  readonly enum: Enum | undefined;
  /** The type of the scalars that can be found right without further ado. */
  readonly plain: 'string' | 'integer' | 'number' | 'boolean' | undefined;
  readonly regexp: GoRegexp | undefined;
}

/** The values of an enum: large ones are not gone through for each value that is checked. */
interface Enum {
  readonly scalars: ReadonlySet<unknown>;
  /** Lists and objects, as JSON. */
  readonly others: ReadonlySet<string>;
  /** As faults name them. */
  readonly texts: readonly string[];
  readonly list: string;
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
const jsonOf = (value: unknown): string => goJson(sortKeys(value));

function enumOf(allowed: readonly unknown[]): Enum {
  const texts = allowed.map(one => (typeof one === 'string' ? one : jsonOf(one)));
  return {
    scalars: new Set(allowed.filter(isScalar)),
    others: new Set(allowed.filter(value => !isScalar(value)).map(jsonOf)),
    texts,
    list: `[${texts.join(' ')}]`,
  };
}

const plainTypes: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);

function plainType(schema: Schema, types: readonly string[], format: string, junctors: boolean): Plan['plain'] {
  const [type = ''] = types;
  if (types.length !== 1 || !plainTypes.has(type) || format !== '' || junctors) return undefined;
  const bounded = schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined;
  return bounded ? undefined : (type as Plan['plain']);
}

const plans = new WeakMap<Schema, Plan>();

function planOf(schema: Schema): Plan {
  let plan = plans.get(schema);
  if (plan) return plan;
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const format = effectiveFormat(types.length === 1 ? types[0] : undefined, schema.format);
  const junctors = Boolean(schema.allOf ?? schema.anyOf ?? schema.oneOf ?? schema.not);
  const regexp = schema.pattern ? goRegexp(schema.pattern) : undefined;
  const isBroken = regexp !== undefined && 'error' in regexp;
  plan = {
    types,
    format,
    formatCheck: format === '' ? undefined : formatCheck(format),
    junctors,
    more: typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined,
    enum: schema.enum?.length ? enumOf(schema.enum) : undefined,
    plain: isBroken ? undefined : plainType(schema, types, format, junctors),
    regexp: isBroken ? undefined : regexp,
  };
  plans.set(schema, plan);
  return plan;
}

/** The JSON type of a value, and the Go format of numbers. */
function typeOf(value: unknown): readonly [type: string, format: string] {
  if (value === null) return ['null', ''];
  if (Array.isArray(value)) return ['array', ''];
  switch (typeof value) {
    case 'string':
      return ['string', ''];
    case 'boolean':
      return ['boolean', ''];
    case 'number':
    case 'bigint':
      return isInt64(value) ? ['integer', 'int64'] : ['number', 'float64'];
    default:
      return ['object', ''];
  }
}

function wrongType(report: Report, path: string, wanted: string, found: string): void {
  const text = `${path} in body must be of type ${wanted}: ${goQuote(found)}`;
  add(report, text, at => typeInvalid(at, found, text), path);
}

/** Quirk: a list passes for a string with a format. as validate/type.go */
function checkType(value: unknown, plan: Plan, path: string, report: Report): boolean {
  const { types, format } = plan;
  const [type, own] = typeOf(value);
  const listed = types.includes(type) || (type === 'integer' && types.includes('number'));
  if (listed && format === '') return true;
  const textual = type === 'string' || type === 'array';
  if (!textual && format !== '' && !listed && format !== own) {
    wrongType(report, path, format, own);
    return false;
  }
  const numeric = types.includes('number') || types.includes('integer');
  if (listed || (!numeric && format !== '' && textual)) return true;
  wrongType(report, path, types.join(','), type);
  return false;
}

function checkString(value: string, schema: Schema, path: string, report: Report): void {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && value.length > maxLength && runes(value) > maxLength) {
    add(report, `${path} in body should be at most ${maxLength} chars long`, at => tooLong(at, maxLength), path);
  } else if (minLength !== undefined && runes(value) < minLength) {
    addInvalid(report, path, value, `${path} in body should be at least ${minLength} chars long`);
  } else if (pattern) {
    const regexp = goRegexp(pattern);
    if ('error' in regexp)
      addInvalid(
        report,
        path,
        value,
        `${path} in body should match '${pattern}, but pattern is invalid: ${regexp.error}'`,
      );
    else if (!regexp.test(value)) addInvalid(report, path, value, `${path} in body should match '${pattern}'`);
  }
}

function runes(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Quirk: null matches no enum, not even one that lists it. as validate/validator.go basicCommonValidator */
function checkEnum(value: unknown, allowed: Enum, path: string, report: Report): void {
  if (value !== null && isAmong(value, allowed)) return;
  const text = `${path} in body should be one of ${allowed.list}`;
  add(report, text, at => notSupported(at, sortKeys(value), allowed.texts), path);
}

function isAmong(value: unknown, { scalars, others }: Enum): boolean {
  if (scalars.has(value)) return true;
  if (!isScalar(value)) return others.size > 0 && others.has(jsonOf(value));
  // The same number in its other form.
  if (typeof value === 'bigint') return BigInt(Number(value)) === value && scalars.has(Number(value));
  return Number.isInteger(value) && scalars.has(BigInt(value as number));
}

/**
 * The score of a scalar that is surely right; 0 when it has to be looked at. It is what `check` gives. hot: long lists of scalars, whose
 * paths nobody asks for.
 */
function quickScore(value: unknown, schema: Schema): number {
  const plan = planOf(schema);
  if (plan.plain === undefined) return 0;
  if (plan.enum && !plan.enum.scalars.has(value)) return 0;
  switch (typeof value) {
    case 'string':
      return plan.plain === 'string' && isRight(value, schema, plan) ? 7 : 0;
    case 'number':
      return plan.plain === 'number' || (plan.plain === 'integer' && Number.isSafeInteger(value)) ? 8 : 0;
    case 'boolean':
      return plan.plain === 'boolean' ? 6 : 0;
    default:
      return 0;
  }
}

/** There are as many characters as code units, or half as many. */
function isRight(value: string, { maxLength, minLength }: Schema, { regexp }: Plan): boolean {
  if (maxLength !== undefined && value.length > maxLength) return false;
  if (minLength !== undefined && value.length < 2 * Number(minLength)) return false;
  return !regexp || regexp.test(value);
}

function checkFormat(value: string, plan: Plan, path: string, report: Report): void {
  if (!plan.formatCheck || plan.formatCheck(value)) return;
  const text = `${path} in body must be of type ${plan.format}: ${goQuote(value)}`;
  add(report, text, at => typeInvalid(at, value, text), path);
}

// --- composites -----------------------------------------------------------------------------------------------

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
      score += quickScore(list[i], items) || checkPart(list[i], items, `${path}[${i}]`, old?.index(i), report);
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
  const names = Object.keys(object);
  const { properties, minProperties, maxProperties } = schema;
  if (minProperties !== undefined && names.length < minProperties)
    addInvalid(report, path, names.length, `${path} in body should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && names.length > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`;
    add(report, text, at => tooMany(at, names.length, maxProperties), path);
  }
  for (const name of names) {
    const known = properties && Object.hasOwn(properties, name) ? properties[name] : plan.more;
    const quick = known ? quickScore(object[name], known) : 0;
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
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(object, name))
      add(report, `${path}.${name} in body is required`, at => required(at), `${path}.${name}`);
  return score;
}

interface Attempt {
  readonly report: Report;
  readonly score: number;
}

/** The attempts at alternatives that failed are judged by how much of them fitted; the first of the best is reported. */
const better = (a: Attempt | undefined, b: Attempt): Attempt => (!a || b.score > a.score ? b : a);

function checkJunctors(value: unknown, schema: Schema, path: string, old: Old, report: Report): number {
  let score = 0;
  const attempt = (alternative: Schema): Attempt => {
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
    checkString(value, schema, path, report);
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

const counting = new WeakMap<Schema, boolean>();

/** Whether a schema counts what is valid (oneOf, not): then tolerance inside of it can make faults as well as take them away. */
function counts(schema: Schema | undefined): boolean {
  if (!schema) return false;
  let found = counting.get(schema);
  if (found !== undefined) return found;
  counting.set(schema, false);
  const { properties = {}, additionalProperties: more, items, allOf = [], anyOf = [] } = schema;
  const below = [...Object.values(properties), typeof more === 'object' ? more : undefined, items, ...allOf, ...anyOf];
  found = schema.not !== undefined || (schema.oneOf ?? []).length > 0 || below.some(counts);
  counting.set(schema, found);
  return found;
}

/** What is wrong with a value, by the schema alone (no list types, no rules in CEL, no metadata). */
export function validateValue(value: unknown, schema: Schema, options: ValidateOptions = {}): Fault[] {
  const { path = '', old } = options;
  let report = newReport(path);
  // hot: most updates are valid; only what is wrong is looked up in the old object.
  if (!old || !counts(schema)) upToEnough(() => checkPart(value, schema, '', undefined, report));
  if (old && (report.faults.size > 0 || counts(schema))) {
    report = newReport(path);
    upToEnough(() => checkPart(value, schema, '', old, report));
  }
  return [...report.faults.values()];
}
