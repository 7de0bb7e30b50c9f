/** Formats as `string.format` of gopher-lua, which passes its arguments to `fmt.Sprintf` of Go. */
import { ConversionError } from './read.js';
import { goFloatFixed, goFloatText, isInt64Number, luaNumberText } from './number-text.js';

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

/** Pads to the width. Zeros stand behind the sign. */
function padded(text: string, { flags, width }: Verb, allowZeros: boolean): string {
  const length = [...text].length;
  if (length >= width) return text;
  const missing = width - length;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (!allowZeros || !flags.includes('0')) return ' '.repeat(missing) + text;
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  return sign + '0'.repeat(missing) + text.slice(sign.length);
}

function signed(text: string, { flags }: Verb): string {
  if (text.startsWith('-') || text.startsWith('+')) return text;
  if (flags.includes('+')) return `+${text}`;
  return flags.includes(' ') ? ` ${text}` : text;
}

const radix: Readonly<Record<string, number>> = { b: 2, o: 8, d: 10, i: 10, x: 16, X: 16 };
const prefixes: Readonly<Record<string, string>> = { b: '0b', o: '0', x: '0x', X: '0X' };

function integer(value: number, verb: Verb): string {
  const whole = isInt64Number(Math.trunc(value)) ? BigInt(Math.trunc(value)) : -(2n ** 63n);
  if (verb.verb === 'c')
    return padded(String.fromCodePoint(Number(whole < 0n || whole > 0x10ffffn ? 0xfffdn : whole)), verb, false);
  if (verb.verb === 'U') return padded(`U+${whole.toString(16).toUpperCase().padStart(4, '0')}`, verb, false);
  const digits = (whole < 0n ? -whole : whole).toString(radix[verb.verb] ?? 10).padStart(verb.precision ?? 0, '0');
  const prefix = verb.flags.includes('#') ? (prefixes[verb.verb] ?? '') : '';
  const text = `${whole < 0n ? '-' : ''}${prefix}${verb.verb === 'X' ? digits.toUpperCase() : digits}`;
  return padded(signed(text, verb), verb, verb.precision === undefined);
}

function float(value: number, verb: Verb): string {
  const kind = verb.verb.toLowerCase() as 'e' | 'f' | 'g';
  const shortest = kind === 'g' && verb.precision === undefined;
  const text = shortest ? goFloatText(value) : goFloatFixed(value, kind, verb.precision ?? 6);
  return padded(
    signed(verb.verb === 'E' || verb.verb === 'G' ? text.toUpperCase() : text, verb),
    verb,
    Number.isFinite(value),
  );
}

function text(value: string, verb: Verb): string | undefined {
  switch (verb.verb) {
    case 's':
    case 'v':
      return padded(verb.precision === undefined ? value : [...value].slice(0, verb.precision).join(''), verb, true);
    case 'q':
      return padded(JSON.stringify(value), verb, true);
    case 'x':
    case 'X': {
      const hex = Buffer.from(value).toString('hex');
      return padded(verb.verb === 'X' ? hex.toUpperCase() : hex, verb, true);
    }
    default:
      return undefined;
  }
}

function formatted(argument: FormatArgument, verb: Verb): string {
  const wrong = (type: string, shown: string): string => `%!${verb.verb}(${type}=${shown})`;
  if (typeof argument === 'number') {
    if ('bcdioxXU'.includes(verb.verb)) return integer(argument, verb);
    if ('eEfFgG'.includes(verb.verb)) return float(argument, verb);
    return text(luaNumberText(argument), verb) ?? wrong('float64', luaNumberText(argument));
  }
  if (typeof argument === 'string') {
    // A string that is a number is printed as it is, any other as 0.
    if (verb.verb === 'd' || verb.verb === 'i')
      return isNumeric(argument) ? padded(argument, verb, true) : integer(0, verb);
    return text(argument, verb) ?? wrong('string', argument);
  }
  if (argument.type === 'boolean' && verb.verb === 't') return padded(argument.text, verb, false);
  const type = { boolean: 'lua.LBool', nil: '*lua.LNilType', other: '*lua.LTable' }[argument.type];
  return text(argument.text, verb) ?? wrong(type, argument.text);
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
