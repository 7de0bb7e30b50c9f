/** Resolves the types of scalars. */
import type { ValueFaults } from './value-faults.js';

/** Integers that a number cannot hold exactly are bigints. */
type Scalar = string | number | bigint | boolean | null;

const standard = 'tag:yaml.org,2002:';
type Kind = 'str' | 'int' | 'float' | 'bool' | 'null' | 'timestamp';

interface Resolved {
  readonly kind: Kind;
  readonly value: Scalar;
}

const words = new Map<string, Resolved>();
const addWords = (kind: Kind, value: Scalar, texts: string): void => {
  for (const text of texts.split(' ')) words.set(text, { kind, value });
};
addWords('bool', true, 'y Y yes Yes YES true True TRUE on On ON');
addWords('bool', false, 'n N no No NO false False FALSE off Off OFF');
addWords('null', null, '~ null Null NULL');
addWords('null', null, '');
addWords('float', NaN, '.nan .NaN .NAN');
addWords('float', Infinity, '.inf .Inf .INF +.inf +.Inf +.INF');
addWords('float', -Infinity, '-.inf -.Inf -.INF');
const maxWordLength = 5;

const timestamp =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|\s+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:\s*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)?$/;
const integer = /^([-+]?)(?:(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)|(0[0-7]*|[1-9][0-9]*))$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

const maxInteger = 2n ** 64n - 1n;
const minInteger = -(2n ** 63n);

/** Characters. Reading long digits takes quadratic time; no 64-bit integer is longer: 64 digits, a sign and `0b`. */
const maxIntegerLength = 67;

/** Returns an int64 or uint64; undefined for other texts. as strconv.ParseInt(text, 0, 64) */
function integerOf(text: string): number | bigint | undefined {
  const bare = text.length > maxIntegerLength ? text.replace(/^([-+]?)(0[xXbBoO]|)0+(?=.)/, '$1$20') : text;
  if (bare.length > maxIntegerLength + 1) return undefined;
  const found = integer.exec(bare);
  if (!found) return undefined;
  const [, sign = '', prefixed, plain = ''] = found;
  const isOctal = plain.length > 1 && plain.startsWith('0');
  const magnitude = prefixed === undefined && !isOctal && plain.length < 16 ? Number(plain) : undefined;
  if (magnitude !== undefined) return sign === '-' && magnitude !== 0 ? -magnitude : magnitude;
  const large = BigInt(prefixed ?? (isOctal ? `0o${plain}` : plain));
  const value = sign === '-' ? -large : large;
  if (value < minInteger || value > maxInteger || (sign === '+' && value > -minInteger - 1n)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function numberOf(text: string): Resolved | undefined {
  const bare = text.includes('_') ? text.replaceAll('_', '') : text;
  const whole = integerOf(bare);
  if (whole !== undefined) return { kind: 'int', value: whole };
  if (!float.test(bare)) return undefined;
  const value = Number(bare);
  return Number.isFinite(value) ? { kind: 'float', value } : undefined;
}

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;

/** Resolves a text without quotes and tag. as go.yaml.in/yaml/v2 resolve */
function resolvePlain(text: string): Resolved {
  if (text.length <= maxWordLength) {
    const word = words.get(text);
    if (word) return word;
  }
  const c = text.charCodeAt(0);
  if (isDigit(c) || c === 0x2b || c === 0x2d) {
    if (isDigit(c) && timestamp.test(text)) return { kind: 'timestamp', value: text };
    const number = numberOf(text);
    if (number) return number;
  } else if (c === 0x2e && float.test(text)) {
    const value = Number(text);
    if (Number.isFinite(value)) return { kind: 'float', value };
  }
  return { kind: 'str', value: text };
}

function binary(text: string, faults: ValueFaults): string {
  const base64 = text.replace(/[\r\n]/g, '');
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    faults.decoding('!!binary value contains invalid base64 data');
  return Buffer.from(base64, 'base64').toString();
}

const resolved = new Set(['int', 'float', 'bool', 'null', 'timestamp']);

/** Resolves a scalar. `tag` is the full tag; '' for none. `faults` receives the error when the text does not fit the tag. */
export function resolveScalar(text: string, tag: string, isPlain: boolean, faults: ValueFaults): Scalar {
  if (tag === '') return isPlain ? resolvePlain(text).value : text;
  if (!tag.startsWith(standard)) return text;
  const wanted = tag.slice(standard.length);
  if (wanted === 'binary') return binary(text, faults);
  if (!resolved.has(wanted)) return text;
  const { kind, value } = resolvePlain(text);
  if (kind !== wanted && !(kind === 'int' && wanted === 'float'))
    faults.decoding(`cannot decode !!${kind} \`${text}\` as a !!${wanted}`);
  return value;
}
