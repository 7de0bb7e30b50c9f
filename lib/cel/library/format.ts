/** Formats values: doubles, and `'%s'.format([...])`. as cel-go ext/formatting.go */
import { goQuote } from '../../go/go-text.js';
import type { Steps } from '../../steps.js';
import { exponentialForm, toFixed } from '../../go/decimal.js';
import { findMember } from '../qualify.js';
import { durationText, timestampText } from '../time.js';
import { type Type, typeName } from '../types.js';
import { typeOfValue } from '../measure.js';
import { CelError, CelMap, CelObject, Duration, List, Timestamp, TypeValue, Uint, type Value } from '../values.js';

/** Formats a double as Go's %g. */
export function doubleText(n: number): string {
  if (Number.isNaN(n)) return 'NaN';
  if (!Number.isFinite(n)) return n > 0 ? '+Inf' : '-Inf';
  if (n === 0) return Object.is(n, -0) ? '-0' : '0';
  const [digits = '', power = '0'] = n.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 21 && exponent < 6) return plainDecimal(n);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Returns digits without exponent, which JavaScript uses for small numbers. */
function plainDecimal(n: number): string {
  const text = String(n);
  if (!text.includes('e')) return text;
  return n.toFixed(20).replace(/0+$/, '');
}

/** An error in a format; for expressions that are not run yet, with the index of the wrong argument. */
class FormatFault extends CelError {
  readonly argument: number | undefined;
  constructor(text: string, argument?: number) {
    super(text);
    this.argument = argument;
  }
}

interface Verb {
  readonly kinds: readonly Type['kind'][];
  /** The beginning of the message about a wrong argument. */
  readonly needs: string;
}

const whole: readonly Type['kind'][] = ['int', 'uint'];
const fraction: readonly Type['kind'][] = ['double', 'string'];
const anything: readonly Type['kind'][] = [
  'list',
  'map',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'timestamp',
  'bytes',
  'duration',
  'type',
  'null',
];
const hex: Verb = {
  kinds: [...whole, 'string', 'bytes'],
  needs: 'only integers, byte buffers, and strings can be formatted as hex',
};

const verbs: Readonly<Record<string, Verb>> = {
  s: {
    kinds: anything,
    needs:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { kinds: whole, needs: 'decimal clause can only be used on integers' },
  f: { kinds: fraction, needs: 'fixed-point clause can only be used on doubles' },
  e: { kinds: fraction, needs: 'scientific clause can only be used on doubles' },
  b: { kinds: [...whole, 'bool'], needs: 'only integers and bools can be formatted as binary' },
  o: { kinds: whole, needs: 'octal clause can only be used on integers' },
  x: hex,
  X: hex,
};

const wrongArgument = (verb: Verb, type: Type, argument?: number): FormatFault =>
  new FormatFault(`error during formatting: ${verb.needs}, was given ${typeName(type)}`, argument);

type Clause = (letter: string, precision: number, argument: number) => string;

/** Replaces every clause of a format. */
function interpolate(format: string, count: number, clause: Clause): { readonly text: string; readonly used: number } {
  let [out, used, at] = ['', 0, 0];
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    if (percent < 0) break;
    out += format.slice(at, percent);
    if (format[percent + 1] === '%') {
      out += '%';
      at = percent + 2;
      continue;
    }
    if (used >= count) throw new FormatFault(`index ${used} out of range`);
    const [all = '', dot, digits = '', letter] = /^%(\.)?([0-9]*)([\s\S])?/.exec(format.slice(percent)) ?? [];
    const hasPrecision = dot !== undefined;
    const after = hasPrecision ? letter : (digits[0] ?? letter);
    if (after === undefined) throw new FormatFault(hasPrecision ? endOfPrecision : 'unexpected end of string');
    if (hasPrecision && digits === '') throw new FormatFault(noPrecision);
    if (!Object.hasOwn(verbs, after))
      throw new FormatFault(`could not parse formatting clause: unrecognized formatting clause "${after}"`);
    const precision = hasPrecision ? Number(digits) : 6;
    if (precision > maxPrecision) throw new FormatFault(tooPrecise);
    out += clause(after, precision, used);
    used += 1;
    at = percent + all.length;
  }
  return { text: out + format.slice(at), used };
}

const endOfPrecision =
  'could not parse formatting clause: error while parsing precision: could not find end of precision specifier';
// as Go's fmt: larger precisions are rejected
const maxPrecision = 1_000_000;
const tooPrecise = 'could not parse formatting clause: error while parsing precision: the precision is too large';
const noPrecision =
  'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';

// --- at run time ------------------------------------------------------------------------------------------------

const special = (n: number): string | undefined =>
  Number.isNaN(n) ? 'NaN' : Number.isFinite(n) ? undefined : n > 0 ? '∞' : '-∞';

const grouped = (digits: string): string => digits.replace(/\B(?=(?:[0-9]{3})+(?![0-9]))/g, ',');

/** Formats with groups of thousands, as in English. */
function fixedPoint(n: number, precision: number): string {
  const [integer = '', decimals = ''] = toFixed(n, precision).split('.');
  return precision === 0 ? grouped(integer) : `${grouped(integer)}.${decimals}`;
}

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function scientific(n: number, precision: number): string {
  const { mantissa, exponent } = exponentialForm(n, precision);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  const small = digits.replace(/[0-9]/g, digit => raised[Number(digit)] ?? '');
  return `${mantissa}×10${exponent < 0 ? '⁻' : ''}${small}`;
}

const words: Readonly<Record<string, number>> = { NaN: NaN, Infinity, '-Infinity': -Infinity };

function double(value: Value, text: (n: number) => string): string | undefined {
  const n = typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : value;
  return typeof n === 'number' ? (special(n) ?? text(n)) : undefined;
}

const integer = (value: Value): bigint => (value instanceof Uint ? value.value : (value as bigint));

function inBase(value: Value, base: number): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return integer(value).toString(base);
}

/** Formats values, and counts what it writes. */
class Writer {
  private readonly steps: Steps;

  constructor(steps: Steps) {
    this.steps = steps;
  }

  /** Formats a value for a clause; undefined when the clause does not take it. */
  clause(letter: string, precision: number, value: Value): string | undefined {
    switch (letter) {
      case 's':
        return this.text(value);
      case 'd':
        return String(integer(value));
      case 'f':
        this.steps.take(precision);
        return double(value, n => fixedPoint(n, precision));
      case 'e':
        this.steps.take(precision);
        return double(value, n => scientific(n, precision));
      case 'b':
        return inBase(value, 2);
      case 'o':
        return inBase(value, 8);
      case 'x':
        return this.written(inBase(value, 16));
      default:
        return this.written(inBase(value, 16).toUpperCase());
    }
  }

  private written(text: string): string {
    this.steps.take(1 + (text.length >> 2));
    return text;
  }

  /** Formats a value for %s. */
  private text(value: Value): string {
    if (value === null) return 'null';
    if (typeof value === 'number') return doubleText(value);
    if (typeof value !== 'object') return this.written(String(value));
    if (value instanceof Uint) return String(value.value);
    if (value instanceof Uint8Array) return this.written(Buffer.from(value).toString('utf8'));
    if (value instanceof Timestamp) return timestampText(value);
    if (value instanceof Duration) return durationText(value);
    if (value instanceof TypeValue) return typeName(value.type);
    if (value instanceof List) return `[${this.items(value).join(', ')}]`;
    if (value instanceof CelMap || value instanceof CelObject) {
      const pairs = this.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      return `{${pairs.map(([key, text]) => `${key}:${text}`).join(', ')}}`;
    }
    throw wrongArgument(verbs['s'] as Verb, typeOfValue(value));
  }

  /** Formats a value inside of a list or map, as a literal. */
  private nested(value: Value): string {
    this.steps.take(4);
    if (typeof value === 'string') return this.quoted(value);
    if (value instanceof Uint8Array) return `b${this.quoted(this.text(value))}`;
    if (typeof value === 'number') return Number.isFinite(value) ? toFixed(value, 6) : goQuote(doubleText(value));
    if (value instanceof Timestamp) return `timestamp(${goQuote(timestampText(value))})`;
    if (value instanceof Duration) return `duration(${goQuote(durationText(value))})`;
    return this.text(value);
  }

  private quoted(text: string): string {
    this.steps.take(text.length >> 1);
    return goQuote(text);
  }

  private items(list: List): string[] {
    const out: string[] = [];
    for (let i = 0; i < list.size; i++) out.push(this.nested(list.at(i)));
    return out;
  }

  private entries(value: CelMap | CelObject): (readonly [string, string])[] {
    const keys = value instanceof CelMap ? value.keys() : Object.keys(value.raw);
    this.steps.take(4 * keys.length);
    return keys.flatMap(key => {
      const known = value instanceof CelObject ? value.knows(String(key)) : key;
      const found = known === undefined ? undefined : findMember(value, known);
      return known === undefined || found === undefined ? [] : [[this.nested(known), this.nested(found)] as const];
    });
  }
}

/** Formats `'%d items'.format([2])`. */
export function formatText(steps: Steps, format: string, values: List): string {
  const writer = new Writer(steps);
  const clause: Clause = (letter, precision, at) => {
    const value = values.at(at);
    const verb = verbs[letter] as Verb;
    const type = typeOfValue(value);
    const fits = verb.kinds.includes(type.kind);
    return (fits ? writer.clause(letter, precision, value) : undefined) ?? wrong(verb, type);
  };
  return interpolate(format, values.size, clause).text;
}

const wrong = (verb: Verb, type: Type): never => {
  throw wrongArgument(verb, type);
};

/** Returns the fault of a format for arguments of these types, if any; dyn may be any type. */
export function formatFault(format: string, types: readonly Type[]): FormatFault | undefined {
  try {
    const { used } = interpolate(format, types.length, (letter, _precision, at) => {
      const type = types[at] as Type;
      const verb = verbs[letter] as Verb;
      if (type.kind !== 'dyn' && !verb.kinds.includes(type.kind)) throw wrongArgument(verb, type, at);
      return '';
    });
    if (used >= types.length) return undefined;
    return new FormatFault(`too many arguments supplied to string.format (expected ${used}, got ${types.length})`);
  } catch (error) {
    if (error instanceof FormatFault) return error;
    throw error;
  }
}
