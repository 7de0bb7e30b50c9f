import { formatIp, parseCidr } from '../../../apimachinery/net/ip.js';
import type { Field } from '../../shared/rules/field.js';

/** Validates an address with the length of its network: `10.9.8.7/24`. */
// as apimachinery/pkg/util/validation IsValidInterfaceAddress
export function interfaceAddress(field: Field<string>): void {
  const text = field.value ?? '';
  const found = parseCidr(text, { sloppy: true });
  if (!found) {
    field.invalid('must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)', text);
    return;
  }
  const canonical = `${formatIp(found.address)}/${found.bits}`;
  if (text !== canonical) field.invalid(`must be in canonical form ("${canonical}")`);
}
