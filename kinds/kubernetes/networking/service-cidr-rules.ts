// as pkg/apis/networking/validation ValidateServiceCIDR, ValidateServiceCIDRUpdate
import { cidrFaults, isV4, parseCidr } from '../../../apimachinery/net/ip.js';
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { ServiceCIDR, ServiceCIDRSpec } from '../../../api/kubernetes/networking.js';

function familyOf(text: string | undefined): boolean | undefined {
  const cidr = parseCidr(text ?? '', { sloppy: true });
  return cidr && isV4(cidr.address);
}

function ranges(spec: Field<ServiceCIDRSpec>): void {
  const list = spec.at('cidrs');
  const all = list.value ?? [];
  if (all.length === 0) list.required('at least one CIDR required');
  else if (all.length > 2) list.invalid('may only hold up to 2 values', shownInternal('ServiceCIDRSpec', spec.value));
  else {
    for (const cidr of list.items()) cidr.add(...cidrFaults(cidr.path, cidr.value ?? ''));
    const family = familyOf(all[0]);
    if (all.length === 2 && family !== undefined && family === familyOf(all[1]))
      list.invalid('may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64');
  }
}

export const serviceCidrRules: readonly Validate[] = [validate<ServiceCIDR>(range => ranges(range.at('spec')))];

const frozen = 'field is immutable';

/** A second range, of the other family, can be added. */
export const serviceCidrChangeRules: readonly Validate[] = [
  validateChange<ServiceCIDR>((range, old) => {
    const list = range.at('spec').at('cidrs');
    const before = old.spec?.cidrs ?? [];
    const now = list.items();
    if (now.length !== before.length && !(before.length === 1 && now.length === 2)) {
      list.invalid(frozen);
      return;
    }
    before.forEach((cidr, i) => {
      if (now[i]?.value !== cidr) now[i]?.invalid(frozen);
    });
    if (now.length > before.length) ranges(range.at('spec'));
  }),
];
