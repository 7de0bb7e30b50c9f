/** Reads and writes metadata.managedFields: the fields that each manager owns. */
import type { KubeObject, ManagedFieldsEntry } from '../interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { deepEqualSteps } from '../../lib/json/equality-steps.js';
import { errorText } from '../errors/error-text.js';
import { jsonText } from '../../lib/json/json.js';
import { jsonTextSteps } from '../../lib/json/text-steps.js';
import type { InSteps } from '../../lib/time-slice.js';
import { unionOf, type FieldSet } from './typed/field-set.js';
import { newStrides, unionOfInSteps } from './typed/field-set-steps.js';
import {
  fieldsText,
  fieldsTextSteps,
  parseFieldsV1,
  parseInSteps,
  writeFieldsV1,
  writeSteps,
} from './typed/fields-v1.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';

/** The fields that a manager owns, in the version in which it wrote. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The entry that this was read from, if nothing has changed since. */
  readonly entry?: ManagedFieldsEntry | undefined;
}

/** Managers by their `managerId`. */
export type Managers = ReadonlyMap<string, Manager>;

const noManagers: Managers = new Map();

type Identified = Pick<Manager, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/**
 * Returns the identifier of a manager, by which managers are also sorted. That of an applier does not contain the version.
 * as apimachinery/pkg/util/managedfields/internal BuildManagerIdentifier
 */
export function managerId({ manager, operation, apiVersion, subresource }: Identified): string {
  // hot: every write computes it for every manager; a spread would be slower
  const version = operation === 'Update' ? `,"apiVersion":${JSON.stringify(apiVersion)}` : '';
  const part = subresource ? `,"subresource":${JSON.stringify(subresource)}` : '';
  return `{${manager ? `"manager":${JSON.stringify(manager)},` : ''}"operation":"${operation}"${version}${part}}`;
}

function entryFault(entry: ManagedFieldsEntry, i: number): string | undefined {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') return 'operation must be `Apply` or `Update`';
  if (!entry.apiVersion) return 'apiVersion must not be empty';
  if (!entry.fieldsType) return `missing fieldsType in managed fields entry ${i}`;
  return entry.fieldsType === 'FieldsV1'
    ? undefined
    : `invalid fieldsType "${String(entry.fieldsType)}" in managed fields entry ${i}`;
}

/** How sets are computed: at once, which is faster, or in steps, for large objects. */
type Pacing = 'at once' | 'in steps';

const managerOf = (entry: ManagedFieldsEntry, set: FieldSet): Manager => ({
  manager: entry.manager ?? '',
  operation: entry.operation ?? 'Update',
  apiVersion: entry.apiVersion ?? '',
  subresource: entry.subresource ?? '',
  time: entry.time,
  set,
  entry,
});

const setFault = (error: unknown): string => `error decoding set: ${errorText(error)}`;

/** Returns the managers of entries, or upstream's text about an invalid one. as apimachinery DecodeManagedFields */
export function readManagedFields(entries: readonly ManagedFieldsEntry[]): Managers | string {
  const managers = new Map<string, Manager>();
  for (const [i, entry] of entries.entries()) {
    const fault = entryFault(entry, i);
    if (fault !== undefined) return fault;
    try {
      const manager = managerOf(entry, parseFieldsV1(entry.fieldsV1 ?? {}));
      managers.set(managerId(manager), manager);
    } catch (error) {
      return setFault(error);
    }
  }
  return managers;
}

/** Returns what `readManagedFields` returns, which is faster for small objects, in steps. */
export function* managersInSteps(entries: readonly ManagedFieldsEntry[]): InSteps<Managers | string> {
  const managers = new Map<string, Manager>();
  const strides = newStrides();
  for (const [i, entry] of entries.entries()) {
    const fault = entryFault(entry, i);
    if (fault !== undefined) return fault;
    if (strides.isOver) yield;
    try {
      const manager = managerOf(entry, yield* parseInSteps(entry.fieldsV1 ?? {}, strides));
      managers.set(managerId(manager), manager);
    } catch (error) {
      return setFault(error);
    }
  }
  return managers;
}

/** Returns the text about invalid managedFields, for the warning about admission that changed them; undefined for valid ones. */
export function* managedFieldsFault(entries: readonly ManagedFieldsEntry[] | undefined): InSteps<string | undefined> {
  const found = yield* managersInSteps(entries ?? []);
  return typeof found === 'string' ? found : undefined;
}

const isReset = ([first, ...more]: readonly ManagedFieldsEntry[]): boolean =>
  first === undefined || (more.length === 0 && Object.keys(first).length === 0);

/**
 * Returns the managers that a write starts from: those of the new object, so that clients can change them, or those of the live object if
 * the new one has none or invalid ones, or for a subresource. `[]` and `[{}]` reset them: ownership is not tracked then.
 */
export function* managersOf(
  live: KubeObject | undefined,
  next: KubeObject,
  subresource: string,
  pacing: Pacing,
): InSteps<Managers> {
  const stored = live?.metadata.managedFields;
  const sent = subresource === '' ? next.metadata.managedFields : undefined;
  // Clients mostly return what they received: the sets are cached then.
  if (sent && sent !== stored && !(yield* deepEqualSteps(sent, stored))) {
    if (isReset(sent)) return noManagers;
    const found = pacing === 'at once' ? readManagedFields(sent) : yield* managersInSteps(sent);
    if (typeof found !== 'string' && found.size > 0) return fromClient(found);
  }
  const found = pacing === 'at once' ? readManagedFields(stored ?? []) : yield* managersInSteps(stored ?? []);
  return typeof found === 'string' ? noManagers : found;
}

/** Returns managers without their entries, so that those of a client are written again in canonical order. */
function fromClient(managers: Managers): Managers {
  return new Map([...managers].map(([id, manager]) => [id, { ...manager, entry: undefined }]));
}

const secondsOf = (time: string | undefined): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));

/** Whether a time is in the form in which this program writes times, whose order is that of the texts. */
const isPlainTime = (time: string): boolean => time.length === 20 && time.endsWith('Z');

/** Compares times by their seconds. hot: mostly without parsing them, as clients may send thousands of managers. */
function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  return a !== undefined && b !== undefined && isPlainTime(a) && isPlainTime(b)
    ? compareTexts(a, b)
    : secondsOf(a) - secondsOf(b);
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareTexts(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  );
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the entry of a manager, with fields in the order of their declaration. */
export function writeManager(manager: Manager): ManagedFieldsEntry {
  if (manager.entry) return manager.entry;
  const entry: Mutable<ManagedFieldsEntry> = {};
  if (manager.manager !== '') entry.manager = manager.manager;
  entry.operation = manager.operation;
  entry.apiVersion = manager.apiVersion;
  if (manager.time !== undefined) entry.time = manager.time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = writeFieldsV1(manager.set);
  if (manager.subresource !== '') entry.subresource = manager.subresource;
  return entry;
}

/** Writes the sets in steps, which is the long part of `writeManagedFields`. */
export function* writeManagersSteps(managers: Managers): InSteps<void> {
  const strides = newStrides();
  for (const { entry, set } of managers.values()) if (!entry) yield* writeSteps(set, strides);
}

/**
 * Returns the entries of managers: appliers before updaters, then by time, manager, version, subresource. Undefined for none; `live` itself
 * if it has the same entries.
 */
export function writeManagedFields(
  managers: Managers,
  live?: readonly ManagedFieldsEntry[],
): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const sorted = managers.size === 1 ? [...managers.values()] : [...managers.values()].sort(compareManagers);
  const entries = sorted.map(writeManager);
  const same = live?.length === entries.length && entries.every((entry, i) => entry === live[i]);
  return same ? (live as ManagedFieldsEntry[]) : entries;
}

/** Replaces the 0 after the first occurrence of a key in a JSON text by the JSON of a value. */
function filled(text: string, key: string, value: string): string {
  const at = text.indexOf(`"${key}":0`) + key.length + 3;
  return text.slice(0, at) + value + text.slice(at + 1);
}

function entryText(entry: ManagedFieldsEntry): string {
  return entry.fieldsV1
    ? filled(jsonText({ ...entry, fieldsV1: 0 }), 'fieldsV1', fieldsText(entry.fieldsV1))
    : jsonText(entry);
}

/**
 * Returns the JSON of a value that contains metadata, or of metadata itself, in steps, for values that may be large. hot: managedFields are half of the JSON of many objects. They rarely
 * change, and new objects with the same fields share a set: the text of each set is made once. Only strings and labels come before them, where the
 * key cannot occur with a 0.
 */
export function* textWithManagedFields(
  metadata: KubeObject['metadata'],
  wrap: (metadata: object) => unknown,
): InSteps<string> {
  const { managedFields } = metadata;
  if (!managedFields) return yield* jsonTextSteps(wrap(metadata));
  for (const { fieldsV1 } of managedFields) if (fieldsV1) yield* fieldsTextSteps(fieldsV1);
  const emptied = yield* jsonTextSteps(wrap({ ...metadata, managedFields: 0 }));
  return filled(emptied, 'managedFields', `[${managedFields.map(entryText).join(',')}]`);
}

/** Returns whether entries differ only in their times, in which case a write changes nothing. as IgnoreManagedFieldsTimestampsTransformer */
export function sameButTimes(
  a: readonly ManagedFieldsEntry[] | undefined,
  b: readonly ManagedFieldsEntry[] | undefined,
): boolean {
  if (a === b) return true;
  if (!a || a.length !== b?.length) return false;
  return a.every((entry, i) => {
    const other = b[i];
    return other !== undefined && deepEqual({ ...entry, time: '' }, { ...other, time: '' });
  });
}

const maxUpdaters = 10;

/**
 * Merges updaters in excess of ten, the oldest first, into one entry `ancient-changes` per version.
 * as apimachinery/pkg/util/managedfields/internal capUpdateManagers
 */
export function* capUpdaters(managers: Managers, pacing: Pacing): InSteps<Managers> {
  if (managers.size <= maxUpdaters) return managers;
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return managers;
  updaters.sort(([a, x], [b, y]) => compareTimes(x.time, y.time) || compareTexts(a, b));
  const out = new Map(managers);
  const merged = new Map<string, { manager: Manager; readonly sets: FieldSet[] }>();
  const firstOf = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (excess <= 0) break;
    const first = firstOf.get(manager.apiVersion);
    if (first === undefined) {
      firstOf.set(manager.apiVersion, id);
      continue;
    }
    const ancient: Manager = { ...manager, manager: 'ancient-changes', subresource: '', entry: undefined };
    const bucketId = managerId(ancient);
    const bucket = merged.get(bucketId) ?? { manager: ancient, sets: [] };
    if (!merged.has(bucketId)) {
      const gathered = out.get(bucketId) ?? out.get(first);
      if (gathered) bucket.sets.push(gathered.set);
      if (!out.has(bucketId)) out.delete(first);
    }
    out.delete(id);
    bucket.manager = ancient;
    bucket.sets.push(manager.set);
    merged.set(bucketId, bucket);
    excess--;
  }
  const strides = newStrides();
  for (const [id, { manager, sets }] of merged)
    out.set(id, { ...manager, set: pacing === 'at once' ? unionOf(sets) : yield* unionOfInSteps(sets, strides) });
  return out;
}
