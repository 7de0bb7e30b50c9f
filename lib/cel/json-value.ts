/** Converts JSON without a schema to values of expressions, and back. as cel-go common/types NativeToValue, and structpb for the way back */
import { setKey } from '../json/clone.js';
import type { Steps } from '../steps.js';
import { int64Of, numberValue } from '../json/json.js';
import { durationText, timestampText } from './time.js';
import {
  CelError,
  CelMap,
  CelObject,
  Duration,
  List,
  Optional,
  type Struct,
  Timestamp,
  Uint,
  type Value,
  keeping,
} from './values.js';

type Plain = Readonly<Record<string, unknown>>;

/** Converts JSON; parts are converted on access. Numbers without a fraction become ints. */
export function jsonValue(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint') return value;
  if (Array.isArray(value)) return new List(value.length, keeping(i => jsonValue(value[i])) as List['at']);
  if (typeof value !== 'object') return value as string | boolean;
  const object = value as Plain;
  const keys = Object.keys(object).filter(key => object[key] !== undefined);
  const get = keeping((key: Value) =>
    typeof key === 'string' && Object.hasOwn(object, key) && object[key] !== undefined
      ? jsonValue(object[key])
      : undefined,
  );
  return new CelMap(keys.length, () => keys, get);
}

/** How numbers become JSON: whole ones in fields of objects, other whole ones, and doubles. */
interface NumberJson {
  readonly double: (value: number) => unknown;
  readonly field: (value: bigint) => unknown;
  readonly other: (value: bigint) => unknown;
}

const exactly: NumberJson = { double: value => value, field: int64Of, other: int64Of };

/**
 * Converts through structpb, which has doubles only: an unsafe integer becomes a string, and in objects the nearest double. as cel-go
 * common/types Int.ConvertToNative
 */
export const asStructpb: NumberJson = {
  double: value => numberValue(String(value)),
  field: value => numberValue(String(Number(value))),
  other: value => {
    const exact = int64Of(value);
    return typeof exact === 'bigint' ? String(exact) : exact;
  },
};

/** Returns the JSON of a value. Throws CelError for a value without one. Counts the steps, since a value may be far larger than its memory. */
export function jsonOf(value: Value, steps: Steps, ints: NumberJson = exactly): unknown {
  const inner = (part: Value): unknown => jsonOf(part, steps, ints);
  steps.take(4);
  if (typeof value === 'string') steps.take(value.length >> 3);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return ints.double(value);
  if (typeof value === 'bigint') return ints.other(value);
  if (value instanceof Uint) return ints.other(value.value);
  if (value instanceof List) return value.toArray(steps).map(inner);
  if (value instanceof CelMap) return mapJson(value, inner);
  if (value instanceof CelObject) return value.struct ? fieldsJson(value.struct, steps, ints) : value.raw;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Optional) return value.value === undefined ? null : inner(value.value);
  throw new CelError('the value has no JSON');
}

type Inner = (part: Value) => unknown;

const fieldsJson = ({ fields }: Struct, steps: Steps, { double, field }: NumberJson): Record<string, unknown> =>
  Object.fromEntries([...fields].map(([name, value]) => [name, jsonOf(value, steps, { double, field, other: field })]));

function mapJson(map: CelMap, inner: Inner): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key of map.keys()) {
    if (typeof key !== 'string') throw new CelError(`map key ${String(key)} is not string`);
    setKey(out, key, inner(map.get(key) as Value));
  }
  return out;
}
