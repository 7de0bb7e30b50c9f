/** Reads single fields of what scripts and webhooks return, with the errors of Go's JSON decoder. */
import type { JsonObject } from '../../../apimachinery/interface.js';
import { isMap } from '../../../lib/json/is-map.js';
import { isNumeric } from '../../../lib/json/json.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { shortMessage } from './short-message.js';

/** Resources, node labels or tolerations of one replica, or labels and values of one selector. */
export const maxEntries = 1_000;

/** Returns an error with a message that is short enough for an Event, whatever was returned. */
export const interpreterError = (message: string): ExpectedError => new ExpectedError(shortMessage(message));

/** A value has a type that Go's decoder refuses. */
export class TypeFault extends ExpectedError {
  constructor(message: string) {
    super(shortMessage(message));
  }
}

/** Returns the error of Go's decoder: `what` is the name of the type that was found, `where` the path of the field. */
export const typeFault = (what: string, where: string): TypeFault =>
  new TypeFault(`json: cannot unmarshal ${what} into Go struct field ${where}`);

/** Returns what Go's decoder calls a value of JSON in its errors. */
export const goTypeName = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (isMap(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : isNumeric(value) ? 'number' : typeof value;
};

/** Reads a field of the type; null and absent are undefined. Throws TypeFault for another type. */
export function field<T>(
  map: JsonObject,
  name: string,
  path: string,
  isType: (value: unknown) => value is T,
): { readonly [key: string]: T } {
  const value = map[name];
  if (value === undefined || value === null) return {};
  if (!isType(value)) throw typeFault(goTypeName(value), `${path}.${name}`);
  return { [name]: value };
}

/** The types that `field` checks. A string may be empty. */
export const isText = (value: unknown): value is string => typeof value === 'string';
/** Checks every item, since Go's decoder refuses a list with an item of another type. */
export const isMaps = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isMap);
/** Checks every value, since Go's decoder refuses a map of strings with a value of another type. */
export const isTexts = (value: unknown): value is Record<string, string> =>
  isMap(value) && Object.values(value).every(isText);
/** Checks every item, as `isMaps` does. */
export const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
/** Reports whether a value fits Go's int32. A float without a fraction does: scripts and JSON write no other integers. */
export const isInt32 = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= -(2 ** 31) && Number(value) < 2 ** 31;

/** Refuses more items than the event loop converts in a short time. differs: upstream takes any number. */
export function refuseMany({ length }: { readonly length: number }, limit: number, what: string): void {
  if (length > limit) throw interpreterError(`there are ${length} ${what}, which is more than ${limit}`);
}

/** Reads a field that is an object with a limited number of entries. They are counted before they are looked at. Throws TypeFault. */
export function smallMap(map: JsonObject, name: string, path: string, what: string): JsonObject | undefined {
  const { [name]: entries } = field(map, name, path, isMap);
  if (entries) refuseMany(Object.keys(entries), maxEntries, what);
  return entries;
}
