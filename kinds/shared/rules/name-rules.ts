/** Validates fields that contain names. */
import {
  byteLength,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../../apimachinery/meta/names.js';
import { goQuote } from '../../../lib/go/go-text.js';
import type { Field } from './field.js';

/** Requires a DNS label (RFC 1123). */
export const dnsLabel = (field: Field<string>): void => field.check(checkDns1123Label);
/** Requires a DNS subdomain (RFC 1123). */
export const dnsSubdomain = (field: Field<string>): void => field.check(checkDns1123Subdomain);
/** Requires a name of at most 63 characters that may have a domain before a slash, as keys of labels have. */
export const qualifiedName = (field: Field<string>): void => field.check(checkQualifiedName);

/** Each field is required; the faults have no further text. */
export function notEmpty(...fields: readonly Field<string>[]): void {
  for (const field of fields) if (field.isEmpty) field.required();
}

const maxDriverLength = 63;

/** The name of a CSI driver is a subdomain of at most 63 bytes. */
// as pkg/apis/core/validation ValidateCSIDriverName
export function csiDriverName(field: Field<string>): void {
  const name = field.value ?? '';
  if (name === '') {
    field.required();
    return;
  }
  if (byteLength(name) > maxDriverLength) field.tooLong(maxDriverLength);
  for (const text of checkDns1123Subdomain(name.toLowerCase())) field.invalid(text);
}

/** The name of a signer has the form `example.com/name`. */
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
  const maxDomainLength = 253;
  const maxPathLength = maxDomainLength + 63 + 1;
  if (byteLength(domain) > maxDomainLength) field.tooLong(maxDomainLength);
  const domainLabels = domain.split('.');
  firstBadLabel(field, domain, domainLabels, checkDns1123Label);
  if (domainLabels.length < 2) field.invalid('should be a domain with at least two segments separated by dots', domain);
  firstBadLabel(field, path, path.split('.'), checkDns1123Subdomain);
  if (byteLength(name) > maxDomainLength + maxPathLength + 1) field.tooLong(maxDomainLength + maxPathLength + 1);
}

function firstBadLabel(
  field: Field<string>,
  shown: string,
  labels: readonly string[],
  check: (label: string) => readonly string[],
): void {
  const bad = labels.find(label => check(label).length > 0);
  if (bad === undefined) return;
  for (const text of check(bad)) field.invalid(`validating label ${goQuote(bad)}: ${text}`, shown);
}
