/** Semantic versions, with the error texts of the library that Kubernetes uses. as github.com/blang/semver/v4 */
import { goQuote } from '../../lib/go/go-text.js';
import { uintError } from '../../apimachinery/meta/resource-version.js';

export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Identifiers of the pre-release; numeric ones are ordered before others. */
  readonly pre: readonly (bigint | string)[];
}

/** Thrown for an invalid version; its message becomes `error`. */
class Refusal extends Error {}

const refuse = (text: string): never => {
  throw new Refusal(text);
};

const plain = /^[0-9A-Za-z-]*$/;
const digits = /^[0-9]*$/;
const leadingZero = (text: string): boolean => text.length > 1 && text.startsWith('0');

function uint(text: string): bigint {
  const wrong = uintError(text);
  return wrong === undefined ? BigInt(text) : refuse(wrong);
}

function number(text: string, which: string): bigint {
  if (!digits.test(text)) refuse(`Invalid character(s) found in ${which} number ${goQuote(text)}`);
  const title = which[0]?.toUpperCase() + which.slice(1);
  if (leadingZero(text)) refuse(`${title} number must not contain leading zeroes ${goQuote(text)}`);
  return uint(text);
}

function preRelease(text: string): bigint | string {
  if (text === '') return refuse('Prerelease is empty');
  if (!digits.test(text))
    return plain.test(text) ? text : refuse(`Invalid character(s) found in prerelease ${goQuote(text)}`);
  if (leadingZero(text)) refuse(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`);
  return uint(text);
}

function checkBuild(text: string): void {
  if (text === '') refuse('Build meta data is empty');
  if (!plain.test(text)) refuse(`Invalid character(s) found in build meta data ${goQuote(text)}`);
}

/** Splits a text at its first two dots. */
function threeParts(text: string): string[] {
  const [major = '', minor, ...others] = text.split('.');
  return minor === undefined ? [major] : others.length === 0 ? [major, minor] : [major, minor, others.join('.')];
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Returns a version in its strict form: `v1.02` becomes `1.2.0`. */
function normalize(text: string): string {
  const parts = threeParts(text.startsWith('v') ? text.slice(1) : text).map(part => {
    if (part.length <= 1) return part;
    const withoutZeros = part.replace(/^0+/, '');
    return /^[0-9]/.test(withoutZeros) ? withoutZeros : `0${withoutZeros}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? ''))
    refuse('short version cannot contain PreRelease/Build meta data');
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function parse(text: string): Semver {
  if (text === '') refuse('Version string empty');
  const [first = '', second = '', third] = threeParts(text);
  if (third === undefined) return refuse('No Major.Minor.Patch elements found');
  const [major, minor] = [number(first, 'major'), number(second, 'minor')];
  const [version, build] = cut(third, '+');
  const [last, pre] = cut(version, '-');
  const patch = number(last, 'patch');
  const parts = pre?.split('.').map(preRelease) ?? [];
  build?.split('.').forEach(checkBuild);
  return { major, minor, patch, pre: parts };
}

/** Parses a version. `lenient` allows a leading v, leading zeros, and versions of one or two numbers. */
export function parseSemver(text: string, lenient = false): Semver | { readonly error: string } {
  try {
    return parse(lenient ? normalize(text) : text);
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message };
    throw error;
  }
}

type Order = -1 | 0 | 1;

function order<T extends bigint | string | number>(a: T, b: T): Order {
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparePre(a: bigint | string, b: bigint | string): Order {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return order(a, b);
}

/** Compares two versions. A version is higher than any pre-release of it. */
export function compareSemver(a: Semver, b: Semver): Order {
  const numbers = order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch);
  if (numbers !== 0) return numbers;
  if (a.pre.length === 0 || b.pre.length === 0) return order(b.pre.length, a.pre.length);
  for (const [i, part] of a.pre.entries()) {
    const other = b.pre[i];
    if (other === undefined) return 1;
    const found = comparePre(part, other);
    if (found !== 0) return found;
  }
  return order(a.pre.length, b.pre.length);
}
