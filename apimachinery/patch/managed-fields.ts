/** metadata.managedFields, read and written: who owns which fields, by identity of the manager. */
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../errors/error-text.js';
import { jsonText } from '../../lib/json/json.js';
import type { InSteps } from '../../lib/time-slice.js';
import { unionOf, type FieldSet } from './typed/field-set.js';
import { fieldsText, parseFieldsV1, writeFieldsV1, writeSteps } from './typed/fields-v1.js';

/** What one manager owns, in the version in which it wrote. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The entry that this was read from, while it still says the same. */
  readonly entry?: ManagedFieldsEntry | undefined;
}

/** By identity. */
export type Managers = ReadonlyMap<string, Manager>;

const noManagers: Managers = new Map();

type Identified = Pick<Manager, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/**
 * What tells managers apart; an applier is the same in every version. Managers sort by it.
 * as apimachinery/pkg/util/managedfields/internal BuildManagerIdentifier
 */
export function managerId({ manager, operation, apiVersion, subresource }: Identified): string {
  // hot: with every write, of every manager; a spread is slow
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

function parsedSet(fields: JsonObject): FieldSet | string {
  try {
    return parseFieldsV1(fields);
  } catch (error) {
    return errorText(error);
  }
}

/** Entries as managers, or the text of what is wrong with them. as apimachinery DecodeManagedFields */
export function readManagedFields(entries: readonly ManagedFieldsEntry[]): Managers | string {
  const managers = new Map<string, Manager>();
  for (const [i, entry] of entries.entries()) {
    const fault = entryFault(entry, i);
    if (fault !== undefined) return fault;
    const set = parsedSet(entry.fieldsV1 ?? {});
    if (typeof set === 'string') return `error decoding set: ${set}`;
    const manager: Manager = {
      manager: entry.manager ?? '',
      operation: entry.operation ?? 'Update',
      apiVersion: entry.apiVersion ?? '',
      subresource: entry.subresource ?? '',
      time: entry.time,
      set,
      entry,
    };
    managers.set(managerId(manager), manager);
  }
  return managers;
}

/** What is wrong with managedFields, for the warning about admission that broke them; undefined when nothing. */
export function managedFieldsFault(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  const read = readManagedFields(entries ?? []);
  return typeof read === 'string' ? read : undefined;
}

const isReset = ([first, ...more]: readonly ManagedFieldsEntry[]): boolean =>
  first === undefined || (more.length === 0 && Object.keys(first).length === 0);

/**
 * Returns the managers that a write starts from: those that the new object brings, so that clients can change them; those of the live object
 * when it brings none or nonsense, or writes a subresource. `[]` and `[{}]` reset: nothing is tracked then.
 */
export function managersOf(live: KubeObject | undefined, next: KubeObject, subresource: string): Managers {
  const stored = live?.metadata.managedFields;
  const given = subresource === '' ? next.metadata.managedFields : undefined;
  // clients mostly send back what they got: then the sets are known already
  if (given && given !== stored && !deepEqual(given, stored)) {
    if (isReset(given)) return noManagers;
    const read = readManagedFields(given);
    if (typeof read !== 'string' && read.size > 0) return fromClient(read);
  }
  const read = readManagedFields(stored ?? []);
  return typeof read === 'string' ? noManagers : read;
}

/** What a client sent is written anew, in order. */
function fromClient(managers: Managers): Managers {
  return new Map([...managers].map(([id, manager]) => [id, { ...manager, entry: undefined }]));
}

const secondsOf = (time: string | undefined): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Fields in the order in which they are declared. */
function writeManager(manager: Manager): ManagedFieldsEntry {
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

/** Writes the sets, which is the part of `writeManagedFields` that takes long, in steps. */
export function* writeManagersSteps(managers: Managers): InSteps<undefined> {
  for (const { entry, set } of managers.values()) if (!entry) yield* writeSteps(set);
  return undefined;
}

/**
 * Returns managers as entries: appliers before updaters, then by time, manager, version, subresource. Undefined for none. `live`:
 * handed back itself when it says the same.
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

/** The JSON of a value whose first 0 after a key that stands nowhere before it gives way to a text. */
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
 * JSON of what holds metadata, and of metadata alone. hot: of many objects the half is managedFields, which mostly are what they were: their text is
 * made once. Only texts and labels stand before them, so that nothing else there can look like them.
 */
export function textWithManagedFields<T>(
  metadata: KubeObject['metadata'],
  around: (metadata: KubeObject['metadata']) => T,
): string {
  const { managedFields } = metadata;
  if (!managedFields) return jsonText(around(metadata));
  const emptied = { ...metadata, managedFields: 0 } as unknown as KubeObject['metadata'];
  return filled(jsonText(around(emptied)), 'managedFields', `[${managedFields.map(entryText).join(',')}]`);
}

/** Equal but for their times: a write that changed nothing else is none (as IgnoreManagedFieldsTimestampsTransformer). */
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
 * Puts updaters above ten together, the oldest first, as `ancient-changes`, one entry per version.
 * as apimachinery/pkg/util/managedfields/internal capUpdateManagers
 */
export function capUpdaters(managers: Managers): Managers {
  if (managers.size <= maxUpdaters) return managers;
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return managers;
  updaters.sort(([a, x], [b, y]) => secondsOf(x.time) - secondsOf(y.time) || compareText(a, b));
  const out = new Map(managers);
  const merged = new Map<string, { like: Manager; readonly sets: FieldSet[] }>();
  const firstOf = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (excess <= 0) break;
    const first = firstOf.get(manager.apiVersion);
    if (first === undefined) {
      firstOf.set(manager.apiVersion, id);
      continue;
    }
    const like: Manager = { ...manager, manager: 'ancient-changes', subresource: '', entry: undefined };
    const bucketId = managerId(like);
    const bucket = merged.get(bucketId) ?? { like, sets: [] };
    if (!merged.has(bucketId)) {
      const gathered = out.get(bucketId) ?? out.get(first);
      if (gathered) bucket.sets.push(gathered.set);
      if (!out.has(bucketId)) out.delete(first);
    }
    out.delete(id);
    bucket.like = like;
    bucket.sets.push(manager.set);
    merged.set(bucketId, bucket);
    excess--;
  }
  for (const [id, { like, sets }] of merged) out.set(id, { ...like, set: unionOf(sets) });
  return out;
}
