/** Validates names of devices and of their properties. */
import { checkCIdentifier } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';
import { csiDriverName, dnsLabel, dnsSubdomain } from '../../shared/rules/name-rules.js';

export const driverName = csiDriverName;
export const deviceName = dnsLabel;
export const maxDomainLength = 63;
const maxIdLength = 32;
/** For example `example.com/name`. */
export const maxQualifiedNameLength = maxDomainLength + 1 + maxIdLength;

/** Requires a value, and validates it by a rule. */
export function requiredName(field: Field<string>, rule: (field: Field<string>) => void): void {
  if (field.isEmpty) field.required();
  else rule(field);
}

/** The name of a pool is one subdomain, or several separated by slashes. */
export function poolName(field: Field<string>): void {
  const name = field.value ?? '';
  if (name === '') {
    field.required();
    return;
  }
  if (Buffer.byteLength(name) > 253) field.tooLong(253);
  for (const part of name.split('/')) dnsSubdomain(field.holding(part));
}

function identifier(field: Field<string>): void {
  if (Buffer.byteLength(field.value ?? '') > maxIdLength) field.tooLong(maxIdLength);
  field.check(checkCIdentifier);
}

/** `name` or `domain/name`. */
export function qualifiedName(field: Field<string>): void {
  const parts = (field.value ?? '').split('/');
  const [first = '', second = ''] = parts;
  if (parts.length === 1) identifier(field);
  if (parts.length !== 2) return;
  if (first === '') field.invalid('the domain must not be empty', '');
  else driverName(field.holding(first));
  if (second === '') field.invalid('the name must not be empty', '');
  else identifier(field.holding(second));
}

/** Validates a qualified name that has a domain. */
export function fullyQualifiedName(field: Field<string>): void {
  qualifiedName(field);
  if (!(field.value ?? '').includes('/'))
    field.invalid('a fully qualified name must be a domain and a name separated by a slash');
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const looseUuid = /^(urn:uuid:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^\{.{36}\}$|^[0-9a-f]{32}$/i;

/** Validates a UUID in the form of RFC 4122. */
export function uid(field: Field<string>): void {
  const text = field.value ?? '';
  const length = Buffer.byteLength(text);
  if (uuidForm.test(text)) return;
  if (looseUuid.test(text)) {
    field.invalid(
      'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
    );
    return;
  }
  const wrong = [32, 36, 38, 45].includes(length) ? 'invalid UUID format' : `invalid UUID length: ${length}`;
  field.invalid(`error validating uid: ${wrong}`);
}
