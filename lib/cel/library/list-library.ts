/** Lists, sets, maps and optional values. as apiserver/pkg/cel/library/lists.go, cel-go ext/lists.go, ext/sets.go, cel/library.go */
import type { Steps } from '../../steps.js';
import * as cost from '../cost-model.js';
import { type Library, countedFn, countedMethod, fn, method } from '../function.js';
import { CelValueSet } from '../value-set.js';
import { checkDuration, checkInt, checkUint, minTime } from './standard.js';
import * as t from '../types.js';
import { compare, equal } from '../compare.js';
import { walked } from '../measure.js';
import {
  CelError,
  CelMap,
  Duration,
  List,
  Optional,
  Timestamp,
  Uint,
  type Value,
  withEntry,
  listOf,
  none,
} from '../values.js';

const A = t.param('A');
const B = t.param('B');

const fail = (text: string): never => {
  throw new CelError(text);
};

const ordered = [t.int, t.uint, t.double, t.bool, t.duration, t.timestamp, t.string, t.bytes];

/** The cost of visiting every item, and every character of string items. */
const walk: cost.CallCost = {
  estimate: args => {
    const [list] = args;
    const size = list?.size ?? cost.unknownSize;
    if (!list?.itemSize || !list.ofTexts) return { cost: size };
    return { cost: cost.times(size, cost.plus(cost.fixedRange(1), cost.factor(list.itemSize, cost.perCharacter))) };
  },
  actual: (args, _result, _size, steps) => walked(args[0] as Value, steps),
};

function isSorted(steps: Steps, list: List): boolean {
  for (let i = 1; i < list.size; i++) {
    steps.take(2);
    if (compare(list.at(i - 1), list.at(i), steps) > 0) return false;
  }
  return true;
}

const extreme =
  (name: string, sign: number) =>
  (steps: Steps, list: List): Value => {
    if (list.size === 0) return fail(`${name} called on empty list`);
    return list.toArray(steps).reduce((best, item) => (compare(item, best, steps) * sign > 0 ? item : best));
  };

/** Adds two items. Lists of type dyn may have items of several types. */
function plus(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkInt(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a instanceof Uint && b instanceof Uint) return checkUint(a.value + b.value);
  if (a instanceof Duration && b instanceof Duration) return checkDuration(a.nanos + b.nanos);
  return fail('no such overload');
}

const sum =
  (zero: Value) =>
  (steps: Steps, list: List): Value =>
    list.size === 0 ? zero : list.toArray(steps).reduce((a, b) => plus(a, b));

const zeros = [
  [t.int, 0n],
  [t.uint, new Uint(0n)],
  [t.double, 0],
  [t.duration, new Duration(0n)],
] as const;

function indexOf(steps: Steps, list: List, item: Value): bigint {
  for (let i = 0; i < list.size; i++) {
    steps.take(1);
    if (equal(list.at(i), item, steps)) return BigInt(i);
  }
  return -1n;
}

function lastIndexOf(steps: Steps, list: List, item: Value): bigint {
  for (let i = list.size - 1; i >= 0; i--) {
    steps.take(1);
    if (equal(list.at(i), item, steps)) return BigInt(i);
  }
  return -1n;
}

function slice(steps: Steps, list: List, start: bigint, end: bigint): List {
  if (start < 0n || end < 0n) return fail(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) return fail(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.size)) return fail(`cannot slice(${start}, ${end}), list is length ${list.size}`);
  return listOf(list.toArray(steps, Number(start), Number(end)));
}

function flatten(steps: Steps, list: List, depth = 1n): List {
  if (depth < 0n) return fail('level must be non-negative');
  const out: Value[] = [];
  const add = (items: List, left: bigint): void => {
    for (let i = 0; i < items.size; i++) {
      steps.take(2);
      const item = items.at(i);
      if (item instanceof List && left > 0n) add(item, left - 1n);
      else out.push(item);
    }
  };
  add(list, depth);
  return listOf(out);
}

const reverse = (steps: Steps, list: List): List => listOf(list.toArray(steps).reverse());

const sort = (steps: Steps, list: List): List => listOf(list.toArray(steps).sort((a, b) => compare(a, b, steps)));

function sortByKeys(steps: Steps, list: List, keys: List): List {
  const order = keys.toArray(steps).map((key, i) => ({ key, i }));
  order.sort((a, b) => compare(a.key, b.key, steps) || a.i - b.i);
  return listOf(order.map(({ i }) => list.at(i)));
}

function distinct(steps: Steps, list: List): List {
  const known = new CelValueSet([], equal, steps);
  const out: Value[] = [];
  for (const item of list.toArray(steps)) {
    if (known.has(item, steps)) continue;
    known.add(item, steps);
    out.push(item);
  }
  return listOf(out);
}

const range = (count: bigint): List => {
  if (count > 1_000_000n) return fail(`range too large: ${count}`);
  return new List(Math.max(0, Number(count)), i => BigInt(i));
};

// --- costs of what makes lists ----------------------------------------------------------------------------------

const newList = cost.listCost + 1;

const listed = (size: cost.Range, by = 1): cost.Estimate => ({
  cost: cost.plus(cost.factor(size, by), cost.fixedRange(newList)),
  result: size,
});

const number = (arg: cost.Sized | undefined, otherwise: number): number =>
  typeof arg?.constant === 'bigint' ? Number(arg.constant) : otherwise;

/** The cost by the size of the result, which `size` computes from the arguments. */
const copying = (size: (args: readonly cost.Sized[]) => cost.Range): cost.CallCost => ({
  late: true,
  estimate: args => listed(size(args)),
  actual: (_args, result, sizeOf) => sizeOf(result) + newList,
});

const sizeOfList = (args: readonly cost.Sized[]): cost.Range => args[0]?.size ?? cost.unknownSize;

const sliceCost = copying(args => {
  const [start, end] = [number(args[1], 0), number(args[2], sizeOfList(args).max)];
  return cost.fixedRange(end >= start ? end - start : cost.unlimited);
});

const flattenCost: cost.CallCost = {
  estimate: args => listed(sizeOfList(args), args.length === 1 ? 1 : number(args[1], cost.unlimited)),
  actual: (args, _result, sizeOf) => {
    const depth = args.length === 2 ? Number(args[1]) : 1;
    return sizeOf(args[0] as Value) * Math.max(0, depth) + newList;
  },
};

/** The cost of comparing every item with every item; strings also by their characters. */
const selfCompare = (which: number, texts?: boolean): cost.CallCost => ({
  estimate: args => {
    const size = args[which]?.size ?? cost.unknownSize;
    return listed(cost.times(size, size), texts ? 2 + cost.perCharacter : 2);
  },
  actual: (args, _result, sizeOf) => {
    const list = args[which] as List;
    const first = list.size > 0 ? list.at(0) : null;
    const by = typeof first === 'string' || first instanceof Uint8Array ? 2 + cost.perCharacter : 2;
    return Math.trunc(sizeOf(list) ** 2 * by) + newList;
  },
});

const listA = t.list(A);

const lists: Library = [
  ...ordered.flatMap(type => {
    const name = t.typeText(type);
    const of = t.list(type);
    const texts = type.kind === 'string' || type.kind === 'bytes';
    return [
      countedMethod(`list_${name}_is_sorted_bool`, 'isSorted', [of], t.bool, { call: isSorted, cost: walk }),
      countedMethod(`list_${name}_max_${name}`, 'max', [of], type, { call: extreme('max', 1), cost: walk }),
      countedMethod(`list_${name}_min_${name}`, 'min', [of], type, { call: extreme('min', -1), cost: walk }),
      countedMethod(`list_${name}_sort`, 'sort', [of], of, { call: sort, cost: selfCompare(0, texts) }),
      countedMethod(`list_${name}_sortByAssociatedKeys`, '@sortByAssociatedKeys', [listA, of], listA, {
        call: sortByKeys,
        cost: selfCompare(1, texts),
      }),
    ];
  }),
  ...zeros.map(([type, zero]) =>
    countedMethod(`list_${type.kind}_sum_${type.kind}`, 'sum', [t.list(type)], type, { call: sum(zero), cost: walk }),
  ),
  countedMethod('list_a_index_of_int', 'indexOf', [listA, A], t.int, { call: indexOf, cost: walk }),
  countedMethod('list_a_last_index_of_int', 'lastIndexOf', [listA, A], t.int, { call: lastIndexOf, cost: walk }),
  countedMethod('list_slice', 'slice', [listA, t.int, t.int], listA, { call: slice, cost: sliceCost }),
  countedMethod('list_flatten', 'flatten', [t.list(listA)], listA, { call: flatten, cost: flattenCost }),
  countedMethod('list_flatten_int', 'flatten', [t.list(t.dyn), t.int], t.list(t.dyn), {
    call: flatten,
    cost: flattenCost,
  }),
  countedMethod('list_reverse', 'reverse', [listA], listA, { call: reverse, cost: copying(sizeOfList) }),
  countedMethod('list_distinct', 'distinct', [listA], listA, { call: distinct, cost: selfCompare(0) }),
  fn('lists_range', 'lists.range', [t.int], t.list(t.int), {
    call: range,
    cost: copying(args => cost.fixedRange(number(args[0], cost.unlimited))),
  }),
];

// --- sets -------------------------------------------------------------------------------------------------------

/** Returns whether the first list contains all items of the second. */
function contains(steps: Steps, a: List, b: List): boolean {
  const members = new CelValueSet(a.toArray(steps), equal, steps);
  return b.toArray(steps).every(item => members.has(item, steps));
}

function intersects(steps: Steps, a: List, b: List): boolean {
  const members = new CelValueSet(a.toArray(steps), equal, steps);
  return b.toArray(steps).some(item => members.has(item, steps));
}

const equivalent = (steps: Steps, a: List, b: List): boolean => contains(steps, a, b) && contains(steps, b, a);

/** The cost of comparing every item of one list with every item of the other, once or twice. */
const pairs = (times: number): cost.CallCost => ({
  estimate: args => {
    const [a = cost.unknownSize, b = cost.unknownSize] = args.map(arg => arg.size);
    return { cost: cost.plus(cost.fixedRange(1), cost.factor(cost.times(a, b), times)) };
  },
  actual: (args, _result, size) => 1 + size(args[0] as Value) * size(args[1] as Value) * times,
});

const sets: Library = [
  countedFn('list_sets_contains_list', 'sets.contains', [listA, listA], t.bool, { call: contains, cost: pairs(1) }),
  countedFn('list_sets_equivalent_list', 'sets.equivalent', [listA, listA], t.bool, {
    call: equivalent,
    cost: pairs(2),
  }),
  countedFn('list_sets_intersects_list', 'sets.intersects', [listA, listA], t.bool, {
    call: intersects,
    cost: pairs(1),
  }),
];

// --- maps and optional values -----------------------------------------------------------------------------------

const mapAB = t.map(A, B);

const insertOne = (steps: Steps, map: CelMap, key: Value, value: Value): CelMap => {
  steps.take(4);
  return withEntry(map, key, value, steps);
};

function insertAll(steps: Steps, map: CelMap, more: CelMap): CelMap {
  steps.take(4 * more.size);
  return more.keys().reduce<CelMap>((all, key) => withEntry(all, key, more.get(key) as Value, steps), map);
}

const maps: Library = [
  countedFn('@mapInsert_map_key_value', 'cel.@mapInsert', [mapAB, A, B], mapAB, insertOne),
  countedFn('@mapInsert_map_map', 'cel.@mapInsert', [mapAB, mapAB], mapAB, insertAll),
];

const isZero = (value: Value): boolean =>
  value === null ||
  value === false ||
  value === '' ||
  value === 0 ||
  value === 0n ||
  (value instanceof Uint && value.value === 0n) ||
  (value instanceof Duration && value.nanos === 0n) ||
  (value instanceof Timestamp && value.nanos === minTime) ||
  (value instanceof Uint8Array && value.length === 0) ||
  (value instanceof List && value.size === 0) ||
  (value instanceof CelMap && value.size === 0);

const optA = t.optional(A);
const unwrap = (steps: Steps, list: List): List =>
  listOf(
    list.toArray(steps).flatMap(item => (item instanceof Optional && item.value !== undefined ? [item.value] : [])),
  );

const optionals: Library = [
  fn('optional_of', 'optional.of', [A], optA, (v: Value) => new Optional(v)),
  fn('optional_ofNonZeroValue', 'optional.ofNonZeroValue', [A], optA, (v: Value) =>
    isZero(v) ? none : new Optional(v),
  ),
  fn('optional_none', 'optional.none', [], optA, () => none),
  method('optional_value', 'value', [optA], A, (o: Optional) => o.value ?? emptyOr(o)),
  method('optional_hasValue', 'hasValue', [optA], t.bool, (o: Optional) => o.value !== undefined),
  method('optional_or_optional', 'or', [optA, optA], optA, (a: Optional, b: Optional) =>
    a.value === undefined ? b : a,
  ),
  method('optional_orValue_value', 'orValue', [optA, A], A, (o: Optional, v: Value) =>
    o.value === undefined ? v : o.value,
  ),
  countedFn('optional_unwrap', 'optional.unwrap', [t.list(optA)], listA, unwrap),
  countedMethod('optional_unwrapOpt', 'unwrapOpt', [t.list(optA)], listA, unwrap),
  method('list_first', 'first', [listA], optA, (l: List) => (l.size === 0 ? none : new Optional(l.at(0)))),
  method('list_last', 'last', [listA], optA, (l: List) => (l.size === 0 ? none : new Optional(l.at(l.size - 1)))),
];

function emptyOr(o: Optional): Value {
  return o.value === undefined ? fail('optional.none() dereference') : o.value;
}

export const listLibrary: Library = [...lists, ...sets, ...maps, ...optionals];
