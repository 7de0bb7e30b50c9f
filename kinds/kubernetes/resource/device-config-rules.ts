import { jsonText } from '../../../lib/json/json.js';
import type { Field } from '../../shared/rules/field.js';
import type { OpaqueDeviceConfiguration } from '../../../api/kubernetes/resource.js';
import { driverName } from './names.js';

/** Validates an object of a foreign type, with a limited size. */
export function freeObject(field: Field<unknown>, maxBytes: number, stored = false): void {
  const value: unknown = field.value ?? null;
  if (value === null) field.required();
  else if (!stored && Buffer.byteLength(jsonText(value)) > maxBytes) field.tooLong(maxBytes);
  else if (typeof value !== 'object' || Array.isArray(value))
    field.invalid('must be a valid JSON object', '<value omitted>');
}

const maxParametersLength = 10 * 1024;

/** `stored`: it was accepted before, when larger sizes may have been allowed. */
export function deviceConfiguration(config: Field<{ opaque?: OpaqueDeviceConfiguration }>, stored = false): void {
  const opaque = config.at('opaque');
  if (!opaque.isSet) {
    opaque.required();
    return;
  }
  driverName(opaque.at('driver'));
  freeObject(opaque.at('parameters'), maxParametersLength, stored);
}
