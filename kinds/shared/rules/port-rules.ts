import { checkPortName, checkPortNum } from '../../../apimachinery/meta/names.js';
import type { Field } from './field.js';

/** The value must be a port by number, or by its name in a container. */
// as pkg/apis/core/validation ValidatePortNumOrName
export function portNumberOrName(port: Field<number | string>): void {
  const value = port.value ?? 0;
  const texts = typeof value === 'number' ? checkPortNum(value) : checkPortName(value);
  for (const text of texts) port.invalid(text, value);
}

/** Requires a port from 1 to 65535. as apimachinery/pkg/util/validation IsValidPortNum */
export function portNumber(port: Field<number>): void {
  for (const text of checkPortNum(port.value ?? 0)) port.invalid(text, port.value ?? 0);
}
