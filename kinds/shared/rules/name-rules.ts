/** Fields that hold names. */
import { checkDns1123Label, checkDns1123Subdomain, checkQualifiedName } from '../../../apimachinery/meta/names.js';
import type { Field } from './field.js';

export const dnsLabel = (field: Field<string>): void => field.check(checkDns1123Label);
export const dnsSubdomain = (field: Field<string>): void => field.check(checkDns1123Subdomain);
export const qualifiedName = (field: Field<string>): void => field.check(checkQualifiedName);

/** Required, with no more said. */
export function notEmpty(...fields: readonly Field<string>[]): void {
  for (const field of fields) if (field.isEmpty) field.required();
}

const longestDriver = 63;

/** The name of a CSI driver. */
// as pkg/apis/core/validation ValidateCSIDriverName
export function csiDriverName(field: Field<string>): void {
  const name = field.value ?? '';
  if (name === '') {
    field.required();
    return;
  }
  if (Buffer.byteLength(name) > longestDriver) field.tooLong(longestDriver);
  for (const text of checkDns1123Subdomain(name.toLowerCase())) field.invalid(text);
}

/** The name of a signer: `example.com/name`. */
// as pkg/apis/core/validation ValidateSignerName
export function signerName(field: Field<string>): void {
  const name = field.value ?? '';
  if (name === '') {
    field.required();
    return;
  }
  const segments = name.split('/');
  const [domain = '', path = ''] = segments;
  if (segments.length !== 2) {
    field.invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  const longestDomain = 253;
  const longestPath = longestDomain + 63 + 1;
  if (domain.length > longestDomain) field.tooLong(longestDomain);
  const domainLabels = domain.split('.');
  firstBadLabel(field, domain, domainLabels, checkDns1123Label);
  if (domainLabels.length < 2) field.invalid('should be a domain with at least two segments separated by dots', domain);
  firstBadLabel(field, path, path.split('.'), checkDns1123Subdomain);
  if (name.length > longestDomain + longestPath + 1) field.tooLong(longestDomain + longestPath + 1);
}

function firstBadLabel(
  field: Field<string>,
  shown: string,
  labels: readonly string[],
  check: (label: string) => readonly string[],
): void {
  const bad = labels.find(label => check(label).length > 0);
  if (bad === undefined) return;
  for (const text of check(bad)) field.invalid(`validating label "${bad}": ${text}`, shown);
}
