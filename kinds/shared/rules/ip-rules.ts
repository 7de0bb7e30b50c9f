/** Validates addresses in fields that older versions validated less strictly: stored values stay valid. */
// as pkg/apis/core/validation IsValidIPForLegacyField, with StrictIPCIDRValidation
import { legacyCidrFaults, legacyIpFaults } from '../../../apimachinery/net/ip.js';
import type { Field } from './field.js';

/**
 * Checks an IP address of a field that older versions validated less strictly. `old`: addresses that are accepted since they are stored.
 * as apimachinery/pkg/util/validation IsValidIPForLegacyField
 */
export function legacyIp(field: Field<string>, old: readonly string[] = []): void {
  field.add(...legacyIpFaults(field.path, field.value ?? '', true, old));
}

/**
 * Checks a CIDR of a field that older versions validated less strictly. `old`: those that are accepted since they are stored.
 * as apimachinery/pkg/util/validation IsValidCIDRForLegacyField
 */
export function legacyCidr(field: Field<string>, old: readonly string[] = []): void {
  field.add(...legacyCidrFaults(field.path, field.value ?? '', true, old));
}
