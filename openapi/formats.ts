/** The formats that kube-apiserver enforces on strings. as kube-openapi/pkg/validation/strfmt and its govalidator */
import { readDuration } from '../lib/go/duration.js';
import { requestUriError } from '../lib/go/go-url.js';
import { parseCidr, parseIp } from '../apimachinery/net/ip.js';
import { checkDns1123Label, checkDns1123Subdomain } from '../apimachinery/meta/names.js';
import { goRegexp } from '../lib/regexp/go-regexp.js';
import { ownValue } from '../lib/collections/own-value.js';

type Check = (text: string) => boolean;

const matches =
  (regex: RegExp): Check =>
  text =>
    regex.test(text);

const sanitize = (text: string, drop: RegExp): string => text.replace(drop, '');

function isCreditCard(text: string): boolean {
  const digits = sanitize(text, /[^0-9]+/g);
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
  const digits = sanitize(text, /[\s-]+/g);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  return [...digits].reduce((sum, d, i) => sum + (i + 1) * (d === 'X' ? 10 : Number(d)), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = sanitize(text, /[\s-]+/g);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((sum, d, i) => sum + Number(d) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const hostname =
  '^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$';

const isHostname: Check = text => {
  const pattern = goRegexp(hostname); // compiled when it is first asked for: that takes as long as a hundred modules
  return (
    'test' in pattern && pattern.test(text) && text.length <= 255 && text.split('.').every(part => part.length <= 63)
  );
};

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const mailbox = new RegExp(`^(?:${dotAtom}|"(?:[^"\\\\\\r\\n]|\\\\.)*")@(?:${dotAtom}|\\[[^\\[\\]\\s]+\\])$`);
const displayName = /^(?:[^()<>[\]:;@\\,"]|"(?:[^"\\]|\\.)*")*$/;

/** as Go's net/mail ParseAddress, without groups, comments and encoded words: `Name <a@b>` or `a@b`. */
function isEmail(text: string): boolean {
  const named = /^([^<]*)<([^<>]*)>[ \t]*$/.exec(text);
  if (named) return displayName.test(named[1] ?? '') && mailbox.test((named[2] ?? '').trim());
  return mailbox.test(text.trim());
}

/** An absolute URI or an absolute path. */
const isRequestUri: Check = text => requestUriError(text) === undefined;

/** Days of a month are counted, as Go's time.Parse does. */
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
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const parts = /^(\d\d):(\d\d):(\d\d)(.[0-9]+)?(z|([+-]\d\d:\d\d))$/.exec(time);
  return parts !== null && Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}

/** Go's durations, or Scala's: `3 days`, `5 minutes`. */
function isDuration(text: string): boolean {
  if (typeof readDuration(text) === 'bigint') return true;
  const short = new Set(['ns', 'us', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk', 'µs']);
  const long = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, unit = '']) => {
    const word = unit.toLowerCase();
    return short.has(word) || long.some(l => word.startsWith(l));
  });
}

const isMac: Check = text =>
  /^(?:[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1)*[0-9a-fA-F]{2}|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+)$/.test(text) &&
  [6, 8, 20].includes(sanitize(text, /[:.-]/g).length / 2);

const component = '\\s*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';

/** By normalized name: dashes left out. */
const checks: Readonly<Record<string, Check>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
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
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: text => checkDns1123Label(text).length === 0,
  k8slongname: text => checkDns1123Subdomain(text).length === 0,
};

/** The check of a format of strings; undefined for formats that nobody enforces. */
export function formatCheck(format: string): Check | undefined {
  const name = format.replaceAll('-', '');
  return ownValue(checks, name);
}

/**
 * The format as far as it counts for a type: unknown ones are dropped.
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
