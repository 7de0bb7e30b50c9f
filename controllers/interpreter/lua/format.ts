/** Formats as `string.format` of gopher-lua, which passes its arguments to `fmt.Sprintf` of Go. */
import { goFloat, goFloatFixed } from '../../../lib/go/go-float.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { ConversionError } from './read.js';
import { isInt64Number, luaNumberText } from './number-text.js';

/** An argument. `text`: how `tostring` prints what is neither a number nor a string. */
export type FormatArgument = number | string | { readonly type: 'boolean' | 'nil' | 'other'; readonly text: string };

interface Verb {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly verb: string;
}

/** Characters that the arguments of one format may have, and the texts that are made of them. */
const maxLength = 2 * 1024 * 1024;

/** Widths and precisions beyond this are faults, as in Go. */
const maxWidth = 1_000_000;

const verbPattern = /%([-+# 0]*)(\d*)(?:\.(\d*))?(.?)/gsu;

const hasFlag = ({ flags }: Verb, flag: string): boolean => flags.includes(flag);

/** Reports whether the width is filled with zeros. The flag "-" fills it on the right, and never with zeros. */
const fillsZeros = (verb: Verb): boolean => hasFlag(verb, '0') && !hasFlag(verb, '-');

/** Pads to the width. `zerosAt`: the position of the zeros that the flag "0" asks for; absent if it asks for none. */
function padded(text: string, verb: Verb, zerosAt?: number): string {
  const missing = verb.width - [...text].length;
  if (missing <= 0) return text;
  if (hasFlag(verb, '-')) return text + ' '.repeat(missing);
  if (zerosAt === undefined || !fillsZeros(verb)) return ' '.repeat(missing) + text;
  return text.slice(0, zerosAt) + '0'.repeat(missing) + text.slice(zerosAt);
}

function signOf(isNegative: boolean, verb: Verb): string {
  if (isNegative) return '-';
  if (hasFlag(verb, '+')) return '+';
  return hasFlag(verb, ' ') ? ' ' : '';
}

/** Returns the number of characters of a text that a precision leaves. */
const cut = (text: string, { precision }: Verb): string =>
  precision === undefined ? text : [...text].slice(0, precision).join('');

const radix: Readonly<Record<string, number>> = { b: 2, o: 8, O: 8, d: 10, i: 10, x: 16, X: 16 };

/** Returns what stands between the sign and the digits. An octal number that begins with 0 has its prefix. */
function prefixOf(digits: string, verb: Verb): string {
  const byFlag: Readonly<Record<string, string>> = {
    2: '0b',
    8: digits.startsWith('0') ? '' : '0',
    16: `0${verb.verb}`,
  };
  const prefix = hasFlag(verb, '#') ? (byFlag[radix[verb.verb] ?? 10] ?? '') : '';
  return verb.verb === 'O' ? `0o${prefix}` : prefix;
}

/** Formats the integer part, or the least int64 for a number that no int64 holds. as Go fmt fmtInteger */
function integer(value: number, verb: Verb): string {
  const whole = isInt64Number(Math.trunc(value)) ? BigInt(Math.trunc(value)) : -(2n ** 63n);
  if (verb.verb === 'c')
    return padded(String.fromCodePoint(Number(whole < 0n || whole > 0x10ffffn ? 0xfffdn : whole)), verb, 0);
  if (verb.verb === 'U') {
    const digits = BigInt.asUintN(64, whole).toString(16).toUpperCase();
    return padded(`U+${digits.padStart(Math.max(4, verb.precision ?? 0), '0')}`, verb);
  }
  if (whole === 0n && verb.precision === 0) return padded('', verb);
  const sign = signOf(whole < 0n, verb);
  // Zeros for the width stand after the prefix, which is not counted.
  const count = verb.precision ?? (fillsZeros(verb) ? verb.width - sign.length : 0);
  const digits = (whole < 0n ? -whole : whole).toString(radix[verb.verb] ?? 10).padStart(count, '0');
  return padded(sign + prefixOf(digits, verb) + (verb.verb === 'X' ? digits.toUpperCase() : digits), verb);
}

/** Returns a number with a point, and with zeros up to the given count of digits. */
function withPoint(text: string, count: number): string {
  const [mantissa = '', exponent] = text.split('e');
  const digits = mantissa === '0' ? 1 : mantissa.replace('.', '').replace(/^0+/, '').length;
  const full = `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(Math.max(0, count - digits))}`;
  return exponent === undefined ? full : `${full}e${exponent}`;
}

/** Formats a float by one of the verbs e, f and g, in either case. as Go fmt fmtFloat */
function float(value: number, verb: Verb): string {
  const kind = verb.verb.toLowerCase() as 'e' | 'f' | 'g';
  const shortest = kind === 'g' && verb.precision === undefined;
  const text = shortest ? goFloat(value) : goFloatFixed(value, kind, verb.precision ?? 6);
  const bare = text.replace(/^[+-]/, '');
  const sign = signOf(text.startsWith('-'), verb);
  if (!Number.isFinite(value)) return padded((text.startsWith('+') && sign === '' ? '+' : sign) + bare, verb);
  const shown = hasFlag(verb, '#') ? withPoint(bare, kind === 'g' ? (verb.precision ?? 6) : 0) : bare;
  return padded(sign + (verb.verb === 'E' || verb.verb === 'G' ? shown.toUpperCase() : shown), verb, sign.length);
}

/** Formats a number that has no verb of its own. as gopher-lua LNumber.Format */
const anyNumber = (value: number, verb: Verb): string =>
  isInt64Number(value) ? integer(value, { ...verb, verb: 'd' }) : float(value, { ...verb, verb: 'g' });

/** Returns the bytes of a text in hexadecimal digits. The flag " " separates bytes, and "#" prefixes them. */
function hex(value: string, { flags, precision, verb }: Verb): string {
  const digits = Buffer.from(value).subarray(0, precision).toString('hex');
  const bytes = flags.includes(' ') ? (digits.match(/../g) ?? []) : [digits];
  const text = (flags.includes('#') && digits !== '' ? bytes.map(byte => `0x${byte}`) : bytes).join(' ');
  return verb === 'X' ? text.toUpperCase() : text;
}

function text(value: string, verb: Verb): string | undefined {
  switch (verb.verb) {
    case 's':
    case 'v':
      return padded(cut(value, verb), verb, 0);
    case 'q':
      return padded(goQuote(cut(value, verb)), verb, 0);
    case 'x':
    case 'X':
      return padded(hex(value, verb), verb, 0);
    default:
      return undefined;
  }
}

function number(value: number, verb: Verb): string {
  const isInteger = isInt64Number(value);
  if ('bcdioxXU'.includes(verb.verb) || (verb.verb === 'O' && isInteger)) return integer(value, verb);
  if ('eEfFgG'.includes(verb.verb)) return float(value, verb);
  if (verb.verb === 's' || verb.verb === 'q') return text(luaNumberText(value), verb) ?? '';
  // The flags "+" and "#" of %v are about the fields of structs and the syntax of Go.
  if (verb.verb === 'v') return anyNumber(value, { ...verb, flags: verb.flags.replace(/[+#]/g, '') });
  return wrong(verb, isInteger ? 'int64' : 'float64', anyNumber(value, verb));
}

const wrong = ({ verb }: Verb, type: string, shown: string): string => `%!${verb}(${type}=${shown})`;

function formatted(argument: FormatArgument, verb: Verb): string {
  if (typeof argument === 'number') return number(argument, verb);
  if (typeof argument === 'string') {
    // A string that is a number is printed as it is, any other as 0.
    if (verb.verb === 'd' || verb.verb === 'i')
      return isNumeric(argument) ? padded(cut(argument, verb), verb, 0) : integer(0, verb);
    if (verb.verb === 'v' && hasFlag(verb, '#')) return text(argument, { ...verb, verb: 'q' }) ?? '';
    return text(argument, verb) ?? wrong(verb, 'string', padded(cut(argument, verb), verb, 0));
  }
  if (argument.type === 'boolean' && verb.verb === 't') return padded(argument.text, verb, 0);
  const asText = text(argument.text, verb);
  if (asText !== undefined) return asText;
  // nil is a pointer to an empty struct.
  if (argument.type === 'nil') return '&{}';
  return wrong(verb, argument.type === 'boolean' ? 'lua.LBool' : '*lua.LTable', argument.text);
}

const isNumeric = (value: string): boolean => value.trim() !== '' && Number.isFinite(Number(value));

/**
 * Returns the text. Arguments beyond the verbs are left out, and a verb without an argument is marked as in Go. `argumentAt` returns an argument by
 * its position, from 0; `count` is their number. Throws ConversionError if the text becomes too long.
 */
export function luaFormat(format: string, count: number, argumentAt: (index: number) => FormatArgument): string {
  let next = 0;
  let length = 0;
  return format.replace(
    verbPattern,
    (_all, flags: string, width: string, precision: string | undefined, verb: string) => {
      if (verb === '') return '%!(NOVERB)';
      if (verb === '%') return '%';
      if (next >= count) return `%!${verb}(MISSING)`;
      if (Number(width) > maxWidth) return '%!(BADWIDTH)';
      if (Number(precision ?? 0) > maxWidth) return '%!(BADPREC)';
      const parsed = {
        flags,
        width: Number(width),
        precision: precision === undefined ? undefined : Number(precision),
        verb,
      };
      const argument = argumentAt(next++);
      const text = formatted(argument, parsed);
      length += Math.max(text.length, typeof argument === 'string' ? argument.length : 0);
      if (length > maxLength) throw new ConversionError(`the formatted text has more than ${maxLength} characters`);
      return text;
    },
  );
}
