/** The formats that kube-apiserver enforces on strings. as kube-openapi/pkg/validation/strfmt and its govalidator */
import { readDuration } from '../lib/go/duration.js';
import { isRequestUri } from '../lib/go/go-url.js';
import { isPaddedBase64 } from '../apimachinery/codec/base64.js';
import { parseCidr, parseIp } from '../apimachinery/net/ip.js';
import { checkDns1123Label, checkDns1123Subdomain } from '../apimachinery/meta/names.js';
import { ownValue } from '../lib/collections/own-value.js';

/** Checks a text in time proportional to its length. */
type Check = (text: string) => boolean;

const matches =
  (regex: RegExp): Check =>
  text =>
    regex.test(text);

/** Returns the characters of a text for which `isKept` is true; undefined if there are more than `max`. */
function filterCharacters(text: string, max: number, isKept: (code: number) => boolean): string | undefined {
  let kept = '';
  for (let i = 0; i < text.length; i++) {
    if (!isKept(text.charCodeAt(i))) continue;
    if (kept.length === max) return undefined;
    kept += text[i];
  }
  return kept;
}

/** Reports whether a code is a visible ASCII character. */
const isGraphic = (code: number): boolean => code > 0x20 && code < 0x7f;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isBlankOrDash = (code: number): boolean =>
  code === 0x20 || code === 0x2d || (!isGraphic(code) && /\s/.test(String.fromCharCode(code)));
/** Returns a text without its blanks and dashes; '' if it has more than `max` other characters. */
const isbnDigits = (text: string, max: number): string =>
  filterCharacters(text, max, code => isDigit(code) || !isBlankOrDash(code)) ?? '';

function isCreditCard(text: string): boolean {
  const digits = filterCharacters(text, 19, isDigit) ?? '';
  const known =
    /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!known.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, d, i) => {
    const doubled = i % 2 === 0 ? Number(d) : Number(d) * 2;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isIsbn10(text: string): boolean {
  const digits = isbnDigits(text, 10);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  return [...digits].reduce((sum, d, i) => sum + (i + 1) * (d === 'X' ? 10 : Number(d)), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = isbnDigits(text, 13);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((sum, d, i) => sum + Number(d) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const hostSign = '[a-zA-Z0-9\\p{S}\\p{L}]';
/** as kube-openapi HostnamePattern. V8 compiles it on first use. Texts are at most 255 bytes, so matching takes microseconds. */
const hostname = new RegExp(
  `^(?:${hostSign}(?:-?${hostSign}{0,62})?|(?:${hostSign}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${hostSign})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
);

/** The lengths are limited in bytes. as kube-openapi/pkg/validation/strfmt IsHostname */
function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255 || text.split('.').some(part => Buffer.byteLength(part) > 63)) return false;
  return hostname.test(text);
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const mailbox = new RegExp(`^(?:${dotAtom}|"(?:[^"\\\\\\r\\n]|\\\\.)*")@(?:${dotAtom}|\\[[^\\[\\]\\s]+\\])$`);
const displayName = /^(?:[^()<>[\]:;@\\,"]|"(?:[^"\\]|\\.)*")*$/;

/** Reports whether a text is `Name <a@b>` or `a@b`. as Go's net/mail ParseAddress, without groups, comments and encoded words */
function isEmail(text: string): boolean {
  const named = /^([^<]*)<([^<>]*)>[ \t]*$/.exec(text);
  if (named) return displayName.test(named[1] ?? '') && mailbox.test((named[2] ?? '').trim());
  return mailbox.test(text.trim());
}

/** Reports whether a text is a date that exists, as Go's time.Parse checks. */
function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return day <= date.getUTCDate();
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t', 2);
  if (time === undefined || !isDate(date)) return false;
  const parts = /^(\d\d):(\d\d):(\d\d)(.[0-9]+)?(z|([+-]\d\d:\d\d))$/.exec(time);
  return parts !== null && Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}

/** Reports whether a text is a duration of Go or of Scala: `3 days`, `5 minutes`. */
function isDuration(text: string): boolean {
  // The text of an error would quote all of it.
  if (/^[-+.0-9a-zµμ]*$/.test(text) && typeof readDuration(text) === 'bigint') return true;
  return scalaDuration.test(text);
}

/** Returns a pattern for a unit in letters of any case. */
const anyCase = (unit: string): string => unit.replace(/[a-z]/g, letter => `[${letter}${letter.toUpperCase()}]`);
const shortUnits = ['ns', 'us', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk', 'µs'].map(anyCase).join('|');
const longUnits = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'].map(anyCase).join('|');
/** Matches a number with a unit: a short one, or a word that begins with a long one. */
const scalaDuration = new RegExp(`(?<!\\d)\\d+\\s*(?:(?:${shortUnits})(?![A-Za-zµ])|${longUnits})`);

/** Length of the longest address, which has twenty bytes. */
const maxMacLength = 59;

const isMac: Check = text =>
  text.length <= maxMacLength &&
  /^(?:[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1)*[0-9a-fA-F]{2}|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+)$/.test(text) &&
  [6, 8, 20].includes(text.replace(/[:.-]/g, '').length / 2);

const component = '\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';

/** Checks by the name of the format without dashes. */
const checks: Readonly<Record<string, Check>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: text => isRequestUri(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: text => text.includes('.') && parseIp(text, { sloppy: true }) !== undefined,
  ipv6: text => text.includes(':') && parseIp(text) !== undefined,
  cidr: text => parseCidr(text, { sloppy: true }) !== undefined,
  mac: isMac,
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: text => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]\d{2}[- ]\d{4}$/),
  hexcolor: matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(new RegExp(`^rgb\\(${component},${component},${component}\\)$`)),
  byte: text => text !== '' && isPaddedBase64(text),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: text => text.length <= 63 && checkDns1123Label(text).length === 0,
  k8slongname: text => text.length <= 253 && checkDns1123Subdomain(text).length === 0,
};

/** Returns the check of a format of strings; undefined for formats that are not enforced. */
export function formatCheck(format: string): Check | undefined {
  const name = format.replaceAll('-', '');
  return ownValue(checks, name);
}

/**
 * Returns the format if it is known for the type, and '' otherwise.
 * as apiextensions-apiserver/pkg/apiserver/validation StripUnsupportedFormatsPostProcess
 */
export function effectiveFormat(type: string | undefined, format: string | undefined): string {
  if (format === undefined || format === '') return '';
  switch (type) {
    case undefined:
    case 'string':
      return formatCheck(format) ? format : '';
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : '';
    case 'number':
      return format === 'float' || format === 'double' ? format : '';
    default:
      return '';
  }
}
