/**
 * The formats of names. Each check returns the messages about a value, none if it is valid.
 * as apimachinery/pkg/util/validation, api/validate/content and api/validation
 */
import type { Fault } from '../interface.js';
import { invalidValue, required } from '../errors/faults.js';
import { memoizeByText } from '../../lib/collections/memoize-by-text.js';

/** Messages about an invalid value; empty for a valid one. */
export type Messages = readonly string[];
export type NameCheck = (value: string) => Messages;

const valid: Messages = Object.freeze([]);

const nonAscii = /[^\x00-\x7f]/;

/** Returns the length in bytes of UTF-8, which Go counts. */
export function byteLength(text: string): number {
  return nonAscii.test(text) ? Buffer.byteLength(text) : text.length;
}

interface Form {
  readonly pattern: string;
  readonly text: string;
  readonly examples?: readonly string[];
  readonly max?: number;
  /** The unit in the message about the length. The older half of upstream says characters, but counts bytes. */
  readonly unit?: 'characters' | 'bytes';
  readonly flags?: string;
}

/** Returns the text with ` (e.g. 'a',  or 'b', regex used for validation is '...')`. */
export function regexText(text: string, pattern: string, examples: readonly string[] = []): string {
  if (examples.length === 0) return `${text} (regex used for validation is '${pattern}')`;
  const shown = examples.map(e => `'${e}', `).join(' or ');
  return `${text} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

const maxText = (max: number, unit: string): string => `must be no more than ${max} ${unit}`;

/** The most bytes of UTF-8 for one code unit of a text. */
const maxBytesPerUnit = 3;

function form(of: Form): NameCheck {
  const regex = new RegExp(`^(?:${of.pattern})$`, of.flags);
  const wrong = regexText(of.text, of.pattern, of.examples);
  const long = of.max === undefined ? '' : maxText(of.max, of.unit ?? 'characters');
  const max = of.max ?? Infinity;
  return value => {
    // hot: the bytes of short texts need not be counted
    const tooLong = value.length * maxBytesPerUnit > max && byteLength(value) > max;
    if (regex.test(value)) return tooLong ? [long] : valid;
    return tooLong ? [long, wrong] : [wrong];
  };
}

// --- DNS ------------------------------------------------------------------------------------------------------

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const label1123Underscore = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';

export const labelMaxLength = 63;
export const subdomainMaxLength = 253;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

const subdomainForm: Form = {
  pattern: subdomain1123,
  text: subdomainText,
  examples: ['example.com'],
  max: subdomainMaxLength,
};

export const checkDns1123Subdomain = form(subdomainForm);
/** As `checkDns1123Subdomain`, with the message of declarative validation. as apimachinery/pkg/api/validate LongName */
export const checkLongName = form({ ...subdomainForm, unit: 'bytes' });

const labelForm = form({
  pattern: label1123,
  text: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
});
const subdomainRegex = new RegExp(`^(?:${subdomain1123})$`);

/** Returns the messages about a label of RFC 1123: at most 63 characters. hot: a valid name, which is nearly every one, costs one match. */
export function checkDns1123Label(value: string): Messages {
  const wrong = labelForm(value);
  if (wrong.length === 0 && value.length <= labelMaxLength) return valid;
  const long = byteLength(value) > labelMaxLength ? [maxText(labelMaxLength, 'characters')] : [];
  if (wrong.length === 0) return long;
  return [...long, ...(subdomainRegex.test(value) ? ['must not contain dots'] : wrong)];
}

export const checkDns1123SubdomainWithUnderscore = form({
  pattern: `${label1123Underscore}(\\.${label1123Underscore})*`,
  text: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
  max: subdomainMaxLength,
});

export const checkDns1035Label = form({
  pattern: '[a-z]([-a-z0-9]*[a-z0-9])?',
  text: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
  max: labelMaxLength,
});

export const checkWildcardDns1123Subdomain = form({
  pattern: `\\*\\.${subdomain1123}`,
  text: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ['*.example.com'],
  max: subdomainMaxLength,
});

// --- labels ---------------------------------------------------------------------------------------------------

const keyPattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const keyText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyExamples = ['MyName', 'my.name', '123-abc'];
const keyRegex = new RegExp(`^(?:${keyPattern})$`);
const keyWrong = regexText(keyText, keyPattern, keyExamples);
const checkKeyPrefix = form({ ...subdomainForm, unit: 'bytes' });

/** The kinds of ASCII characters in the name of a label; other characters are not allowed. */
const alphanumeric = 1;
const joint = 2;
const nameCharacters = new Uint8Array(128);
for (const character of '-_.') nameCharacters[character.charCodeAt(0)] = joint;
for (const [first, last] of ['09', 'AZ', 'az'].map(range => [range.charCodeAt(0), range.charCodeAt(1)] as const))
  nameCharacters.fill(alphanumeric, first, last + 1);

/** Returns whether a valid name begins at `from` and ends with the text. hot: a selector may have a hundred thousand keys. */
function isLabelName(text: string, from = 0): boolean {
  const last = text.length - 1;
  if (last < from || last >= from + labelMaxLength) return false;
  for (let at = from; at <= last; at++) if (!nameCharacters[text.charCodeAt(at)]) return false;
  return (
    nameCharacters[text.charCodeAt(from)] === alphanumeric && nameCharacters[text.charCodeAt(last)] === alphanumeric
  );
}

const dot = 0x2e;
const hyphen = 0x2d;
const isLowerAlphanumeric = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);

/** Returns whether the text before `end` is a valid DNS subdomain. hot: for the keys of `isLabelName`. */
function isSubdomain(text: string, end: number): boolean {
  let before = dot;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    const isRight =
      isLowerAlphanumeric(code) ||
      (code === hyphen ? before !== dot : code === dot && before !== dot && before !== hyphen);
    if (!isRight) return false;
    before = code;
  }
  return end <= subdomainMaxLength && before !== dot && before !== hyphen;
}

/** Returns whether a label key is valid. */
function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  return slash < 0 ? isLabelName(text) : isSubdomain(text, slash) && isLabelName(text, slash + 1);
}

const checkKey = memoizeByText((value): Messages => {
  const parts = value.split('/');
  if (parts.length > 2)
    return [`a valid label key ${keyWrong} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const out: string[] = [];
  const [prefix, name = ''] = parts.length === 2 ? parts : [undefined, parts[0]];
  if (prefix === '') out.push('prefix part must be non-empty');
  else if (prefix !== undefined) out.push(...checkKeyPrefix(prefix).map(text => `prefix part ${text}`));
  if (name === '') out.push('name part must be non-empty');
  else if (byteLength(name) > labelMaxLength) out.push(`name part ${maxText(labelMaxLength, 'bytes')}`);
  if (!keyRegex.test(name)) out.push(`name part ${keyWrong}`);
  return out.length === 0 ? valid : out;
});

/** Checks label keys, annotation keys and finalizers: qualified names `[prefix/]name`. hot: every write has the same few. */
export const checkLabelKey: NameCheck = value => (isLabelKey(value) ? valid : checkKey(value));

/** Upstream's other name for the same format. */
export const checkQualifiedName = checkLabelKey;

const checkValue = form({
  pattern: `(${keyPattern})?`,
  text: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
  max: labelMaxLength,
  unit: 'bytes',
});

/** Returns what is wrong with the value of a label, which may be empty. as apimachinery/pkg/util/validation IsValidLabelValue */
export const checkLabelValue: NameCheck = value => (isLabelName(value) ? valid : checkValue(value));

// --- path segments --------------------------------------------------------------------------------------------

/** Checks that a prefix of a path segment contains neither `/` nor `%`. */
export function checkPathSegmentPrefix(value: string): Messages {
  const out: string[] = [];
  for (const bad of ['/', '%']) if (value.includes(bad)) out.push(`may not contain '${bad}'`);
  return out;
}

/** Checks names of RBAC kinds. The names of all kinds must pass it. */
export function checkPathSegmentName(value: string): Messages {
  return value === '.' || value === '..' ? [`may not be '${value}'`] : checkPathSegmentPrefix(value);
}

// --- ports, variables, keys -----------------------------------------------------------------------------------

export const checkCIdentifier = form({
  pattern: '[A-Za-z_][A-Za-z0-9_]*',
  text: "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  examples: ['my_name', 'MY_NAME', 'MyName'],
});

/** Checks the names of ports, which are IANA service names. */
export function checkPortName(value: string): Messages {
  const out: string[] = [];
  if (byteLength(value) > 15) out.push(maxText(15, 'characters'));
  if (!/^[-a-z0-9]+$/.test(value)) out.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) out.push('must contain at least one letter (a-z)');
  if (value.includes('--')) out.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) out.push('must not begin or end with a hyphen');
  return out;
}

/** Returns the message `must be between 1 and 65535, inclusive`. */
export function rangeText(min: number, max: number): string {
  return `must be between ${min} and ${max}, inclusive`;
}

function checkInRange(value: number, min: number, max: number): Messages {
  return value >= min && value <= max ? valid : [rangeText(min, max)];
}

/** Returns what is wrong with the number of a port: 0 is none. as apimachinery/pkg/util/validation IsValidPortNum */
export const checkPortNum = (port: number): Messages => checkInRange(port, 1, 65535);
/** Returns what is wrong with a user ID, which is at most 2^31-1. as apimachinery/pkg/util/validation IsValidUserID */
export const checkUserId = (id: number): Messages => checkInRange(id, 0, 2147483647);
export const checkGroupId = checkUserId;

export const checkPercent = form({
  pattern: '[0-9]+%',
  text: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ['1%', '93%'],
});

export const checkHttpHeaderName = form({
  pattern: '[-A-Za-z0-9]+',
  text: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ['X-Header-Name'],
});

/** as apimachinery/pkg/util/validation hasChDirPrefix */
function checkParentFolder(value: string): Messages {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : valid;
}

/** Checks the names of environment variables, by the rules of RelaxedEnvironmentVariableValidation. */
export function checkRelaxedEnvVarName(value: string): Messages {
  if (value === '') return ['environment variable name must be non-empty'];
  if (/^[\x20-\x3c\x3e-\x7e]+$/.test(value)) return valid;
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

const configMapKeyForm = form({
  pattern: '[-._a-zA-Z0-9]+',
  text: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ['key.name', 'KEY_NAME', 'key-name'],
  max: subdomainMaxLength,
});

/** Checks keys of ConfigMaps and Secrets. hot: a map may have hundreds of thousands of keys. */
export const checkConfigMapKey: NameCheck = value => {
  const wrong = configMapKeyForm(value);
  return value.startsWith('.') ? [...wrong, ...checkParentFolder(value)] : wrong;
};

// --- generateName ---------------------------------------------------------------------------------------------

/** Returns the check of a generateName, which may end with a dash, since characters follow. as api/validation maskTrailingDash */
export function asPrefix(check: NameCheck): NameCheck {
  return value => check(value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value);
}

// --- whole fields ---------------------------------------------------------------------------------------------

/** Returns the faults of a domain, which must have at least three segments: `www.example.com`. */
export function fullyQualifiedNameFaults(path: string, name: string): Fault[] {
  if (name === '') return [required(path)];
  const wrong = checkDns1123Subdomain(name);
  if (wrong.length > 0) return [invalidValue(path, name, wrong.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(path, name, 'should be a domain with at least three segments separated by dots')];
}

/** Returns the faults of a domain, which must have at least two segments, and may end with a dot. */
export function fullyQualifiedDomainNameFaults(path: string, text: string): Fault[] {
  if (text === '') return [required(path)];
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const wrong = checkDns1123Subdomain(name);
  if (wrong.length > 0) return [invalidValue(path, name, wrong.join(','))];
  const labels = name.split('.');
  if (labels.length < 2)
    return [invalidValue(path, name, 'should be a domain with at least two segments separated by dots')];
  for (const label of labels) {
    const bad = checkDns1123Label(label);
    if (bad.length > 0) return [invalidValue(path, label, bad.join(','))];
  }
  return [];
}

const httpPathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPathRegex = new RegExp(`^${httpPathPattern}$`);

/** Returns the faults of a domain with a path, such as `acme.io/foo`. */
export function domainPrefixedPathFaults(path: string, value: string): Fault[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1)
    return [invalidValue(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const [host, rest] = [value.slice(0, slash), value.slice(slash + 1)];
  const faults = checkDns1123Subdomain(host).map(text => invalidValue(path, host, text));
  if (!httpPathRegex.test(rest)) faults.push(invalidValue(path, rest, regexText('Invalid path', httpPathPattern)));
  return faults;
}

/** Returns the faults of a label key, which must have a prefix, such as `acme.io/foo`. */
export function domainPrefixedKeyFaults(path: string, value: string): Fault[] {
  if (value === '') return [required(path)];
  const wrong = checkLabelKey(value);
  if (wrong.length > 0) return wrong.map(text => invalidValue(path, value, text));
  if (value.split('/').length === 2) return [];
  return [invalidValue(path, value, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}
