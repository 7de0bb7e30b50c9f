/** Validates amounts that are a number or a percentage: `2`, `25%`. */
// as pkg/apis/apps/validation ValidatePositiveIntOrPercent
import { checkPercent } from '../../../apimachinery/meta/names.js';
import type { Field } from './field.js';

type IntOrPercent = number | string;

/** Reports a negative number, and a text that is not a percentage. */
export function intOrPercent(field: Field<IntOrPercent>): void {
  const value = field.value ?? 0;
  if (typeof value === 'string') for (const text of checkPercent(value)) field.invalid(text);
  else if (value < 0) field.invalid('must be greater than or equal to 0');
}

function percentOf(value: IntOrPercent | undefined): number | undefined {
  return typeof value === 'string' && checkPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
}

/** Returns the number before the percent sign, or the number itself; other texts count as the number that Go reads from them. */
export function amountOf(value: IntOrPercent | undefined): number {
  const number = percentOf(value) ?? Number(value ?? 0);
  return Number.isInteger(number) ? number : 0;
}

/** Reports a percentage above 100. */
export function notMoreThanAll(field: Field<IntOrPercent>): void {
  if ((percentOf(field.value) ?? 0) > 100) field.invalid('must not be greater than 100%');
}
