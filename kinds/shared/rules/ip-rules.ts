/** Validates addresses in fields that older versions validated less strictly: stored values stay valid. */
// as pkg/apis/core/validation IsValidIPForLegacyField, with StrictIPCIDRValidation
import { legacyCidrFaults, legacyIpFaults } from '../../../apimachinery/net/ip.js';
import type { Field } from './field.js';

export function legacyIp(field: Field<string>, old: readonly string[] = []): void {
  field.add(...legacyIpFaults(field.path, field.value ?? '', true, old));
}

export function legacyCidr(field: Field<string>, old: readonly string[] = []): void {
  field.add(...legacyCidrFaults(field.path, field.value ?? '', true, old));
}
