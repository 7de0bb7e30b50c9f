import type { Fault } from '../../../apimachinery/interface.js';
import { invalidValue, required, tooLong } from '../../../apimachinery/errors/faults.js';
import { goQuote } from '../../../lib/go/go-text.js';
import {
  byteLength,
  checkDns1123Label,
  checkDns1123Subdomain,
  labelMaxLength,
  subdomainMaxLength,
  type NameCheck,
} from '../../../apimachinery/meta/names.js';

/** A domain, a slash, a namespace, a dot, and a name. */
const maxLength = subdomainMaxLength + 1 + (labelMaxLength + 1 + subdomainMaxLength);

/** Returns the errors of the first bad label: those of later labels would be the same. */
function labelFaults(path: string, segment: string, check: NameCheck): Fault[] {
  const bad = segment.split('.').find(label => check(label).length > 0);
  if (bad === undefined) return [];
  return check(bad).map(text => invalidValue(path, segment, `validating label ${goQuote(bad)}: ${text}`));
}

/** Checks a name like `example.com/signer-name`. as pkg/apis/core/validation/names.go ValidateSignerName */
export function signerNameFaults(path: string, name: string): readonly Fault[] {
  if (name === '') return [required(path)];
  const [domain = '', rest = '', ...more] = name.split('/');
  if (more.length > 0 || !name.includes('/'))
    return [
      invalidValue(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  const faults: Fault[] = [];
  if (byteLength(domain) > subdomainMaxLength) faults.push(tooLong(path, subdomainMaxLength));
  faults.push(...labelFaults(path, domain, checkDns1123Label));
  if (!domain.includes('.'))
    faults.push(invalidValue(path, domain, 'should be a domain with at least two segments separated by dots'));
  faults.push(...labelFaults(path, rest, checkDns1123Subdomain));
  if (byteLength(name) > maxLength) faults.push(tooLong(path, maxLength));
  return faults;
}
