/** A requirement of a label selector: matching, text and validation. as apimachinery/pkg/labels Requirement */
import type { Fault } from '../interface.js';
import { clampedInteger } from '../../lib/go/clamped-integer.js';
import { index, invalidValue, key as keyed } from '../errors/faults.js';
import { checkLabelKey, checkLabelValue } from '../meta/names.js';

export type Labels = Readonly<Record<string, string>>;
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

// --- matching -------------------------------------------------------------------------------------------------

const int64 = /^[+-]?[0-9]+$/;
const limit = 2n ** 63n;

function parseInt64(text: string): bigint | undefined {
  if (!int64.test(text)) return undefined;
  const value = clampedInteger(text);
  return value >= -limit && value < limit ? value : undefined;
}

function compares(value: string, operator: 'gt' | 'lt', bound: string | undefined): boolean {
  const [a, b] = [parseInt64(value), parseInt64(bound ?? '')];
  if (a === undefined || b === undefined) return false;
  return operator === 'gt' ? a > b : a < b;
}

/** Returns whether labels meet a requirement. hot: own properties need not be checked, since Object.prototype has no strings. */
export function matchesRequirement(r: LabelRequirement, labels: Labels): boolean {
  const value = labels[r.key] as unknown;
  const has = typeof value === 'string';
  switch (r.operator) {
    case '=':
    case '==':
    case 'in':
      return has && r.values.includes(value);
    case '!=':
    case 'notin':
      return !has || !r.values.includes(value);
    case 'exists':
      return has;
    case '!':
      return !has;
    case 'gt':
    case 'lt':
      return has && compares(value, r.operator, r.values[0]);
  }
}

/** The operators of a LabelSelector, which those of node selectors and of ResourceQuotas share. as meta/v1 LabelSelectorOperator */
export const selectorOperators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** The text of an operator between key and value. */
const operatorTexts: Readonly<Record<LabelOperator, string>> = {
  '=': '=',
  '==': '==',
  '!=': '!=',
  in: ' in ',
  notin: ' notin ',
  gt: '>',
  lt: '<',
  exists: '',
  '!': '',
};

/** Returns a requirement in string syntax. */
export function requirementText(r: LabelRequirement): string {
  if (r.operator === 'exists') return r.key;
  if (r.operator === '!') return `!${r.key}`;
  const values = r.values.length === 1 ? r.values[0] : [...r.values].sort().join(',');
  const set = r.operator === 'in' || r.operator === 'notin';
  return `${r.key}${operatorTexts[r.operator]}${set ? `(${values})` : values}`;
}

// --- requirements ---------------------------------------------------------------------------------------------

export const binaryOperators: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt'];

function countFaults(operator: LabelOperator, values: readonly string[], shown: unknown): Fault[] {
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length > 0) return [];
      return [invalidValue('values', shown, "for 'in', 'notin' operators, values set can't be empty")];
    case '=':
    case '==':
    case '!=':
      if (values.length === 1) return [];
      return [invalidValue('values', shown, 'exact-match compatibility requires one single value')];
    case 'exists':
    case '!':
      if (values.length === 0) return [];
      return [invalidValue('values', shown, 'values set must be empty for exists and does not exist')];
    case 'gt':
    case 'lt': {
      const one = "for 'Gt', 'Lt' operators, exactly one value is required";
      const integer = "for 'Gt', 'Lt' operators, the value must be an integer";
      const wrong = values.flatMap((v, i) => (parseInt64(v) === undefined ? [{ v, i }] : []));
      return [
        ...(values.length === 1 ? [] : [invalidValue('values', shown, one)]),
        ...wrong.map(({ v, i }) => invalidValue(index('values', i), v, integer)),
      ];
    }
  }
}

/** Returns the faults of a requirement, with upstream's paths. `shown`: the values in texts. as labels.NewRequirement */
export function requirementFaults(r: LabelRequirement, shown: unknown = r.values): Fault[] {
  const faults: Fault[] = [];
  const badKey = checkLabelKey(r.key);
  if (badKey.length > 0) faults.push(invalidValue('key', r.key, badKey.join('; ')));
  for (const fault of countFaults(r.operator, r.values, shown)) faults.push(fault);
  for (let i = 0; i < r.values.length; i++) {
    const value = r.values[i] ?? '';
    const bad = checkLabelValue(value);
    if (bad.length > 0) faults.push(invalidValue(keyed(index('values', i), r.key), value, bad.join('; ')));
  }
  return faults;
}
