// as pkg/apis/networking/validation ValidateIPAddress, ValidateIPAddressUpdate
import { ipFaults } from '../../../apimachinery/net/ip.js';
import { checkPathSegmentName } from '../../../apimachinery/meta/names.js';
import type { Strategy, Validate } from '../../../registry/interface.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { dnsSubdomain } from '../../shared/rules/name-rules.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { IPAddress } from '../../../api/kubernetes/networking.js';

const detail = /^Invalid value: ".*": /s;

/** Returns the faults of the name of an IPAddress, which is the address in canonical form. */
export const addressNameFaults: Strategy['nameFaults'] = name =>
  ipFaults('', name).map(({ message }) => message.replace(detail, ''));

export const ipAddressRules: readonly Validate[] = [
  validate<IPAddress>(address => {
    const parent = address.at('spec').at('parentRef');
    if (!parent.isSet) {
      parent.required();
      return;
    }
    if (!parent.at('group').isEmpty) dnsSubdomain(parent.at('group'));
    for (const part of [parent.at('resource'), parent.at('name')]) {
      if (part.isEmpty) part.required();
      else part.check(checkPathSegmentName);
    }
    if (!parent.at('namespace').isEmpty) parent.at('namespace').check(checkPathSegmentName);
  }),
];

export const ipAddressChangeRules: readonly Validate[] = [
  ...ipAddressRules,
  validateChange<IPAddress>((address, old) => {
    const parent = address.at('spec').at('parentRef');
    immutable(parent, old.spec?.parentRef, () => shownInternal('*ParentReference', parent.value));
  }),
];
