import type { KubeObject } from '../../../apimachinery/interface.js';
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import { parseQuantity, quantityText, scaledValue } from '../../../apimachinery/quantity/quantity.js';
import { Field } from './field.js';

/** Called with the text of each warning, in order. */
export type Warn = (text: string) => void;
type Warnings = (object: KubeObject, old: KubeObject | undefined) => readonly string[];

/** Makes `warnings` of a strategy from a rule over the fields of a native type. */
export function warnings<T>(rule: (object: Field<T>, warn: Warn, old: T | undefined) => void): Warnings {
  return (object, old) => {
    const texts: string[] = [];
    rule(new Field<T>(object as T, '', []), text => texts.push(text), old as T | undefined);
    return texts;
  };
}

/** Makes warnings that only new objects get. */
export function warningsOfNew<T>(rule: (object: Field<T>, warn: Warn) => void): Warnings {
  const all = warnings<T>(rule);
  return (object, old) => (old ? [] : all(object, old));
}

/** Warns about names that become part of the names of pods. */
// as pkg/registry WarningsOnCreate of workloads
export function hostnameWarning(name: string | undefined, use: string, warn: Warn): void {
  const texts = checkDns1123Label(name ?? '');
  if (texts.length === 0) return;
  const head = `metadata.name: this is used in ${use}, which can result in surprising behavior`;
  warn(`${head}; a DNS label is recommended: [${texts.join(' ')}]`);
}

export const podNames = 'Pod names and hostnames';

/** Warns about fractions of bytes. */
export function fractionWarning(amount: Field<string | number>, warn: Warn): void {
  if (amount.value === undefined) return;
  const quantity = parseQuantity(amount.value);
  if (scaledValue(quantity, -3) % 1000n === 0n) return;
  warn(`${amount.path}: fractional byte value "${quantityText(quantity)}" is invalid, must be an integer`);
}
