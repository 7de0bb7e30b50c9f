/** The checks of lists, objects and alternatives apart from those of their parts. */
import { required, tooMany } from '../../../apimachinery/errors/faults.js';
import { goJson, goQuote, sortKeys } from '../../../lib/go/go-text.js';
import type { Correlation } from '../../../apimachinery/codec/correlation.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import {
  type ScoredReport,
  type Report,
  add,
  addInvalid,
  addWithoutPath,
  merge,
  fieldNamesOf,
  takeCheck,
  takeNames,
} from './report.js';

export type Plain = Record<string, unknown>;

/** The correlation of the value with its old one, for ratcheting; undefined if there is no old value. */
export type Old = Correlation | undefined;

/** Checks the number of items, and that they differ. */
export function checkList(list: readonly unknown[], schema: Schema, path: string, report: Report): void {
  const { minItems, maxItems } = schema;
  const size = list.length;
  if (minItems !== undefined && size < minItems)
    addInvalid(report, path, size, `${path} in body should have at least ${minItems} items`);
  if (maxItems !== undefined && size > maxItems)
    add(report, `${path} in body should have at most ${maxItems} items`, at => tooMany(at, size, maxItems), path);
  if (schema.uniqueItems && new Set(list.map(item => goJson(sortKeys(item)))).size < size)
    addInvalid(report, path, '', `${path} in body shouldn't contain duplicates`);
}

/** Checks the number of members. Returns the names of those that the schema describes. */
export function describedNames(object: Plain, schema: Schema, path: string, report: Report): readonly string[] {
  const names = fieldNamesOf(report, object);
  const { properties, additionalProperties, minProperties, maxProperties } = schema;
  if (minProperties !== undefined && names.length < minProperties)
    addInvalid(report, path, names.length, `${path} in body should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && names.length > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`;
    add(report, text, at => tooMany(at, names.length, maxProperties), path);
  }
  const isOpen = !properties && additionalProperties !== false && typeof additionalProperties !== 'object';
  if (isOpen) return [];
  takeNames(report, names.length);
  return names;
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion']);

/** Returns the schema of a member; undefined if the schema of the object does not describe it. hot: every field that is validated. */
export function memberSchema(name: string, { properties, additionalProperties: more }: Schema): Schema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof more === 'object' ? more : undefined;
}

/** Returns the path of a member. As upstream, one of `additionalProperties` in the whole object begins with a point. */
export function memberPath(path: string, name: string, { properties }: Schema): string {
  return path === '' && properties && Object.hasOwn(properties, name) ? name : `${path}.${name}`;
}

/** Returns the correlation of a member. The fields of TypeMeta are always checked, even if they are unchanged. */
export const oldMember = (old: Old, path: string, name: string): Old =>
  old && !(path === '' && typeMeta.has(name)) ? old.key(name) : undefined;

/** Reports a member that the schema does not describe, if it has to. */
export function checkUnknown(name: string, { additionalProperties }: Schema, path: string, report: Report): void {
  if (additionalProperties === false) addInvalid(report, path, name, `${path}.${name} in body is a forbidden property`);
}

/** Checks that the required members exist. */
export function checkRequired(object: Plain, { required: names = [] }: Schema, path: string, report: Report): void {
  takeNames(report, names.length);
  for (const name of names)
    if (!Object.hasOwn(object, name))
      add(report, `${path}.${name} in body is required`, at => required(at), `${path}.${name}`);
}

/** Cost of an alternative besides its checks, in checks: that of a separate report. */
const attemptCost = 10;

/**
 * Counts the attempt to validate by one alternative, which costs more than another check. Throws TooManyChecks, or TooManyAtOnce if the rest has to
 * be done in steps.
 */
export const takeAttempt = (report: Report): void => takeCheck(report, attemptCost);

/** Reports whether the value is valid by the alternative. */
export const isWithoutFaults = ({ report }: ScoredReport): boolean => report.faults.size === 0;

/** Returns the attempt with the higher score, or the first of equal ones. The best of the failed alternatives is reported. */
export const better = (a: ScoredReport | undefined, b: ScoredReport): ScoredReport => (!a || b.score > a.score ? b : a);

function take(attempt: ScoredReport | undefined, report: Report): number {
  if (attempt) merge(report, attempt.report);
  return attempt?.score ?? 0;
}

/** Reports the first alternative that fits, or the best one. Returns the score. */
export function concludeAnyOf(best: ScoredReport | undefined, path: string, report: Report): number {
  if (best && !isWithoutFaults(best))
    addWithoutPath(report, `${goQuote(path)} must validate at least one schema (anyOf)`);
  return take(best, report);
}

/** Reports the result of all alternatives of which one has to fit. Returns the score. */
export function concludeOneOf(tried: readonly ScoredReport[], path: string, report: Report): number {
  const valid = tried.filter(isWithoutFaults);
  if (valid.length === 1) return take(valid[0], report);
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  addWithoutPath(report, `${goQuote(path)} must validate one and only one schema (oneOf). ${found}`);
  return valid.length === 0 ? take(tried.reduce<ScoredReport | undefined>(better, undefined), report) : 0;
}

/** Reports the results of schemas that all have to fit. Returns the score. */
export function concludeAllOf(tried: readonly ScoredReport[], path: string, report: Report): number {
  let score = 0;
  for (const attempt of tried) score += take(attempt, report);
  const valid = tried.filter(isWithoutFaults).length;
  if (valid < tried.length)
    addWithoutPath(
      report,
      `${goQuote(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
    );
  return score;
}

/** Reports a value that fits a schema which it must not fit. */
export function concludeNot(attempt: ScoredReport, path: string, report: Report): void {
  if (isWithoutFaults(attempt)) addWithoutPath(report, `${goQuote(path)} must not validate the schema (not)`);
}
