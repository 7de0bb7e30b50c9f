/** The standard library: operators, conversions, sizes, strings. as cel-go common/stdlib */
import type { Steps } from '../../steps.js';
import { goRegexp } from '../../regexp/go-regexp.js';
import * as cost from '../cost-model.js';
import { findText } from './find-text.js';
import { doubleText } from './format.js';
import { type Library, type Overload, countedFn, countedMethod, fn, method } from '../function.js';
import { durationText, parseDuration, parseTimestamp, timestampText } from '../time.js';
import * as t from '../types.js';
import type { List } from '../values.js';
import { compare, concat } from '../compare.js';
import { runeCount, typeOfValue } from '../measure.js';
import { CelError, type CelMap, Duration, Timestamp, TypeValue, Uint, type Value } from '../values.js';
import { parseBool } from '../../go/go-bool.js';

const A = t.param('A');
const B = t.param('B');

const fail = (text: string): never => {
  throw new CelError(text);
};

// --- logic and equality: run by the evaluator -------------------------------------------------------------------

const special: Library = [
  fn('conditional', '_?_:_', [t.bool, A, A], A),
  fn('logical_and', '_&&_', [t.bool, t.bool], t.bool),
  fn('logical_or', '_||_', [t.bool, t.bool], t.bool),
  fn('not_strictly_false', '@not_strictly_false', [t.bool], t.bool),
  fn('index_list', '_[_]', [t.list(A), t.int], A),
  fn('index_map', '_[_]', [t.map(A, B), A], B),
  fn('optional_list_index_int', '_[_]', [t.optional(t.list(A)), t.int], t.optional(A)),
  fn('optional_map_index_value', '_[_]', [t.optional(t.map(A, B)), A], t.optional(B)),
  fn('list_optindex_optional_int', '_[?_]', [t.list(A), t.int], t.optional(A)),
  fn('optional_list_optindex_optional_int', '_[?_]', [t.optional(t.list(A)), t.int], t.optional(A)),
  fn('map_optindex_optional_value', '_[?_]', [t.map(A, B), A], t.optional(B)),
  fn('optional_map_optindex_optional_value', '_[?_]', [t.optional(t.map(A, B)), A], t.optional(B)),
  fn('equals', '_==_', [A, A], t.bool, { cost: cost.comparisonCost }),
  fn('not_equals', '_!=_', [A, A], t.bool, { cost: cost.comparisonCost }),
  fn('in_list', '@in', [A, t.list(A)], t.bool, { cost: cost.traversal(1, false, 1) }),
  fn('in_map', '@in', [A, t.map(A, B)], t.bool),
  fn('logical_not', '!_', [t.bool], t.bool, (a: boolean) => !a),
];

// --- order ------------------------------------------------------------------------------------------------------

const orders = [
  ['less', '_<_', (o: number) => o < 0],
  ['less_equals', '_<=_', (o: number) => o <= 0],
  ['greater', '_>_', (o: number) => o > 0],
  ['greater_equals', '_>=_', (o: number) => o >= 0],
] as const;

const ordered = [t.bool, t.int, t.uint, t.double, t.string, t.bytes, t.timestamp, t.duration];
const numeric = [t.int, t.uint, t.double];

const relations: Library = orders.flatMap(([id, name, test]) => {
  const run = (steps: Steps, a: Value, b: Value): boolean => test(compare(a, b, steps));
  const own = ordered.map(type => {
    const text = type.kind === 'string' || type.kind === 'bytes';
    return countedFn(`${id}_${t.typeText(type)}`, name, [type, type], t.bool, {
      call: run,
      cost: text ? cost.comparisonCost : undefined,
    });
  });
  const across = numeric.flatMap(a =>
    numeric.filter(b => b !== a).map(b => countedFn(`${id}_${a.kind}_${b.kind}`, name, [a, b], t.bool, run)),
  );
  return [...own, ...across];
});

// --- arithmetic -------------------------------------------------------------------------------------------------

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);

/** Returns the integer if it has 64 bits. Throws CelError otherwise: CEL does not wrap around. */
export const checkInt = (n: bigint): bigint => (n > maxInt || n < minInt ? fail('integer overflow') : n);
/** Returns an unsigned integer of 64 bits. Throws CelError otherwise: CEL does not wrap around. */
export const checkUint = (n: bigint): Uint =>
  n < 0n || n >= 2n ** 64n ? fail('unsigned integer overflow') : new Uint(n);
/** Returns a duration of nanoseconds. Throws CelError if it has more than 64 bits. */
export const checkDuration = (n: bigint): Duration =>
  n > maxInt || n < minInt ? fail('duration overflow') : new Duration(n);

/** The year 1 in nanoseconds. */
export const minTime = -62135596800n * 1_000_000_000n;
const maxTime = 253402300800n * 1_000_000_000n;
/** Returns a timestamp of nanoseconds since 1970. Throws CelError before the year 1 and after 9999. `zone`: the offset with which it is shown. */
export const checkTime = (n: bigint, zone = 0): Timestamp =>
  n < minTime || n >= maxTime ? fail('timestamp overflow') : new Timestamp(n, zone);

const divide = (a: bigint, b: bigint): bigint => (b === 0n ? fail('division by zero') : a / b);
function modulo(a: bigint, b: bigint): bigint {
  if (b === 0n) return fail('modulus by zero');
  return a === minInt && b === -1n ? fail('integer overflow') : a % b;
}

type Ints = (a: bigint, b: bigint) => bigint;
type Doubles = (a: number, b: number) => number;

function numbers(id: string, name: string, ints: Ints, doubles?: Doubles): Overload[] {
  const overloads = [
    fn(`${id}_int64`, name, [t.int, t.int], t.int, (a: bigint, b: bigint) => checkInt(ints(a, b))),
    fn(`${id}_uint64`, name, [t.uint, t.uint], t.uint, (a: Uint, b: Uint) => checkUint(ints(a.value, b.value))),
  ];
  if (doubles) overloads.push(fn(`${id}_double`, name, [t.double, t.double], t.double, doubles));
  return overloads;
}

const arithmetic: Library = [
  ...numbers(
    'add',
    '_+_',
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  ...numbers(
    'subtract',
    '_-_',
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  ...numbers(
    'multiply',
    '_*_',
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  ...numbers('divide', '_/_', divide, (a, b) => a / b),
  ...numbers('modulo', '_%_', modulo),
  fn('negate_int64', '-_', [t.int], t.int, (a: bigint) => checkInt(-a)),
  fn('negate_double', '-_', [t.double], t.double, (a: number) => -a),
  fn('add_string', '_+_', [t.string, t.string], t.string, {
    call: (a: string, b: string) => a + b,
    cost: cost.joinCost,
  }),
  fn('add_bytes', '_+_', [t.bytes, t.bytes], t.bytes, {
    call: (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b]),
    cost: cost.joinCost,
  }),
  countedFn('add_list', '_+_', [t.list(A), t.list(A)], t.list(A), concat),
  fn('add_duration_duration', '_+_', [t.duration, t.duration], t.duration, (a: Duration, b: Duration) =>
    checkDuration(a.nanos + b.nanos),
  ),
  fn('add_timestamp_duration', '_+_', [t.timestamp, t.duration], t.timestamp, (a: Timestamp, b: Duration) =>
    checkTime(a.nanos + b.nanos, a.zone),
  ),
  fn('add_duration_timestamp', '_+_', [t.duration, t.timestamp], t.timestamp, (a: Duration, b: Timestamp) =>
    checkTime(a.nanos + b.nanos, b.zone),
  ),
  fn('subtract_duration_duration', '_-_', [t.duration, t.duration], t.duration, (a: Duration, b: Duration) =>
    checkDuration(a.nanos - b.nanos),
  ),
  fn('subtract_timestamp_duration', '_-_', [t.timestamp, t.duration], t.timestamp, (a: Timestamp, b: Duration) =>
    checkTime(a.nanos - b.nanos, a.zone),
  ),
  fn('subtract_timestamp_timestamp', '_-_', [t.timestamp, t.timestamp], t.duration, (a: Timestamp, b: Timestamp) =>
    checkDuration(a.nanos - b.nanos),
  ),
];

// --- sizes and texts --------------------------------------------------------------------------------------------

const sizes: Library = (
  [
    ['string', t.string, (s: string) => BigInt(runeCount(s))],
    ['bytes', t.bytes, (b: Uint8Array) => BigInt(b.length)],
    ['list', t.list(A), (l: List) => BigInt(l.size)],
    ['map', t.map(A, B), (m: CelMap) => BigInt(m.size)],
  ] as const
).flatMap(([name, type, run]) => [
  fn(`size_${name}`, 'size', [type], t.int, run),
  method(`${name}_size`, 'size', [type], t.int, run),
]);

function matches(steps: Steps, text: string, pattern: string): boolean {
  const regexp = goRegexp(pattern, steps);
  return 'error' in regexp ? fail(regexp.error) : regexp.test(text, steps);
}

const texts: Library = [
  // Quirk: only the method has the cost of a regular expression.
  countedFn('matches', 'matches', [t.string, t.string], t.bool, matches),
  countedMethod('matches_string', 'matches', [t.string, t.string], t.bool, { call: matches, cost: cost.regexCost }),
  countedMethod('contains_string', 'contains', [t.string, t.string], t.bool, {
    call: (steps: Steps, text: string, part: string) => findText(text, part, 0, steps) >= 0,
    cost: cost.containsCost,
  }),
  method('starts_with_string', 'startsWith', [t.string, t.string], t.bool, {
    call: (a: string, b: string) => a.startsWith(b),
    cost: {
      ...cost.traversal(),
      estimate: cost.traversal(cost.perCharacter, false, 1).estimate,
    },
  }),
  method('ends_with_string', 'endsWith', [t.string, t.string], t.bool, {
    call: (a: string, b: string) => a.endsWith(b),
    cost: {
      ...cost.traversal(),
      estimate: cost.traversal(cost.perCharacter, false, 1).estimate,
    },
  }),
];

// --- conversions ------------------------------------------------------------------------------------------------

const wrongType = (from: string, to: string): never => fail(`type conversion error from '${from}' to '${to}'`);

/** Matches more digits than a 64-bit number has, without leading zeros. */
const tooManyDigits = /[1-9][0-9]{20}/;

function parseInt64(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text) || tooManyDigits.test(text)) return wrongType('string', 'int');
  const n = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return n > maxInt || n < minInt ? wrongType('string', 'int') : n;
}

function parseUint64(text: string): Uint {
  if (!/^[0-9]+$/.test(text) || tooManyDigits.test(text) || BigInt(text) >= 2n ** 64n)
    return wrongType('string', 'uint');
  return new Uint(BigInt(text));
}

function doubleToInt(n: number): bigint {
  if (Number.isNaN(n) || Math.abs(n) >= 2 ** 63) return fail('integer overflow');
  return BigInt(Math.trunc(n));
}

const goDouble = /^[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|inf(?:inity)?|nan)$/i;

function parseDouble(text: string): number {
  if (!goDouble.test(text)) return wrongType('string', 'double');
  const word = text.toLowerCase().replace(/^[+-]/, '');
  if (word.startsWith('inf')) return text.startsWith('-') ? -Infinity : Infinity;
  const value = Number(text);
  return word !== 'nan' && !Number.isFinite(value) ? wrongType('string', 'double') : value;
}

function bytesToString(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const same = (v: Value): Value => v;

/** The cost of a walk over a string whose result is smaller or larger by these factors. */
const textCost = (minFactor: number, maxFactor: number): cost.CallCost => ({
  ...cost.traversal(),
  estimate: args => {
    const size = args[0]?.size ?? cost.unknownSize;
    const result = { min: Math.floor(size.min * minFactor), max: Math.min(size.max * maxFactor, cost.unlimited) };
    return { cost: cost.factor(size, cost.perCharacter), result };
  },
});

const conversions: Library = [
  fn('type', 'type', [A], t.typeOf(A), (v: Value) => new TypeValue(typeOfValue(v))),
  fn('to_dyn', 'dyn', [A], t.dyn, same),
  fn('bool_to_bool', 'bool', [t.bool], t.bool, same),
  fn('string_to_bool', 'bool', [t.string], t.bool, (s: string) => parseBool(s) ?? wrongType('string', 'bool')),
  fn('int64_to_int64', 'int', [t.int], t.int, same),
  fn('uint64_to_int64', 'int', [t.uint], t.int, (u: Uint) => checkInt(u.value)),
  fn('double_to_int64', 'int', [t.double], t.int, doubleToInt),
  fn('string_to_int64', 'int', [t.string], t.int, parseInt64),
  fn('timestamp_to_int64', 'int', [t.timestamp], t.int, (at: Timestamp) => floorDivide(at.nanos, 1_000_000_000n)),
  fn('duration_to_int64', 'int', [t.duration], t.int, (d: Duration) => d.nanos),
  fn('uint64_to_uint64', 'uint', [t.uint], t.uint, same),
  fn('int64_to_uint64', 'uint', [t.int], t.uint, (n: bigint) => checkUint(n)),
  fn('double_to_uint64', 'uint', [t.double], t.uint, (n: number) =>
    n < 0 || Number.isNaN(n) || n >= 2 ** 64 ? fail('unsigned integer overflow') : new Uint(BigInt(Math.trunc(n))),
  ),
  fn('string_to_uint64', 'uint', [t.string], t.uint, parseUint64),
  fn('double_to_double', 'double', [t.double], t.double, same),
  fn('int64_to_double', 'double', [t.int], t.double, (n: bigint) => Number(n)),
  fn('uint64_to_double', 'double', [t.uint], t.double, (u: Uint) => Number(u.value)),
  fn('string_to_double', 'double', [t.string], t.double, parseDouble),
  fn('string_to_string', 'string', [t.string], t.string, same),
  fn('bool_to_string', 'string', [t.bool], t.string, (b: boolean) => String(b)),
  fn('int64_to_string', 'string', [t.int], t.string, (n: bigint) => String(n)),
  fn('uint64_to_string', 'string', [t.uint], t.string, (u: Uint) => String(u.value)),
  fn('double_to_string', 'string', [t.double], t.string, doubleText),
  fn('bytes_to_string', 'string', [t.bytes], t.string, { call: bytesToString, cost: textCost(0.25, 1) }),
  fn('timestamp_to_string', 'string', [t.timestamp], t.string, timestampText),
  fn('duration_to_string', 'string', [t.duration], t.string, durationText),
  fn('bytes_to_bytes', 'bytes', [t.bytes], t.bytes, same),
  fn('string_to_bytes', 'bytes', [t.string], t.bytes, { call: (s: string) => Buffer.from(s), cost: textCost(1, 4) }),
  fn('timestamp_to_timestamp', 'timestamp', [t.timestamp], t.timestamp, same),
  fn('string_to_timestamp', 'timestamp', [t.string], t.timestamp, parseTimestamp),
  fn('int64_to_timestamp', 'timestamp', [t.int], t.timestamp, (n: bigint) => checkTime(n * 1_000_000_000n)),
  fn('duration_to_duration', 'duration', [t.duration], t.duration, same),
  fn('string_to_duration', 'duration', [t.string], t.duration, parseDuration),
  fn('int64_to_duration', 'duration', [t.int], t.duration, (n: bigint) => checkDuration(n)),
];

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

export const standardLibrary: Library = [...special, ...relations, ...arithmetic, ...sizes, ...texts, ...conversions];

/** The names of types, as variables that hold them. */
export const typeNames: Readonly<Record<string, t.Type>> = {
  bool: t.bool,
  bytes: t.bytes,
  double: t.double,
  int: t.int,
  uint: t.uint,
  string: t.string,
  list: t.list(t.dyn),
  map: t.map(t.dyn, t.dyn),
  null_type: t.nullType,
  type: t.typeOf(t.dyn),
  'google.protobuf.Timestamp': t.timestamp,
  'google.protobuf.Duration': t.duration,
  optional_type: t.optional(t.dyn),
};
