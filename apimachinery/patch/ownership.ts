/** Who loses what when an object changes. */
import type { KubeObject } from '../interface.js';
import { applyConflict } from '../errors/status.js';
import type { Schema } from '../codec/interface.js';
import { difference, intersection, isEmptySet, paths, setOf, union, type FieldSet } from './typed/field-set.js';
import { reconcileWithSchema } from './typed/field-set-schema.js';
import { managerId, type Manager, type Managers } from './managed-fields.js';
import { fieldElement, printPath } from './typed/path-element.js';
import type { SetFilter } from './reset-fields.js';
import { objectShape } from './typed/shape.js';
import { compareTyped, type Comparison } from './typed/typed-compare.js';
import type { Pause, Steps, Versioned } from './versions.js';

/** Fields that nobody ever owns. as apimachinery/pkg/util/managedfields/internal stripMeta */
const unowned = setOf(
  ...['apiVersion', 'kind', 'metadata'].map(name => [fieldElement(name)]),
  ...`name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion`
    .split(' ')
    .map(name => [fieldElement('metadata'), fieldElement(name)]),
);

/** The set without what nobody ever owns. */
export const trackable = (set: FieldSet): FieldSet => difference(set, unowned);

/** Sets as the schema wants them now. Managers of versions that are no longer served are left alone here; a change drops them. */
export function* reconciled(live: Versioned, version: string, managers: Managers): Steps<Managers> {
  if (managers.size === 0) return managers;
  let out: Map<string, Manager> | undefined;
  const schemas = new Map<string, Schema | undefined>([[version, live.schema]]);
  for (const [id, manager] of managers) {
    if (!schemas.has(manager.apiVersion)) {
      const converted = yield { object: live.object, apiVersion: manager.apiVersion };
      schemas.set(manager.apiVersion, converted?.schema);
    }
    const schema = schemas.get(manager.apiVersion);
    const set = schema ? reconcileWithSchema(manager.set, objectShape(schema)) : manager.set;
    if (set !== manager.set) (out ??= new Map(managers)).set(id, { ...manager, set, entry: undefined });
  }
  return out ?? managers;
}

export interface Change {
  readonly before: KubeObject;
  readonly after: KubeObject;
  readonly schema: Schema;
  /** The version of both objects. */
  readonly version: string;
  /** Who makes the change: loses nothing by it. */
  readonly self: string;
  /** Who is given back afterwards what the change wrote: keeps his very set when that is all he would lose. */
  readonly writer?: string;
  readonly filter: SetFilter;
  /** Ends when other requests have had their turn; set for large objects, whose work is interrupted with it. */
  readonly pause?: Pause | undefined;
}

/** What a change did, as a version sees it. */
export interface Seen extends Comparison {
  /** Added or modified. */
  readonly written: FieldSet;
}

function filtered({ added, modified, removed }: Comparison, filter: SetFilter): Seen {
  const [more, other, less] = [filter(added), filter(modified), filter(removed)];
  return { added: more, modified: other, removed: less, written: union(other, more) };
}

/** What a change did, as another version sees it; undefined when it is not served. */
function* seenIn(change: Change, apiVersion: string): Steps<Seen | undefined> {
  const before = yield { object: change.before, apiVersion };
  const after = before && (yield { object: change.after, apiVersion });
  const found = before && after && compareTyped(before.object, after.object, objectShape(before.schema));
  return found && filtered(found, change.filter);
}

/** hot: whoever writes the same fields again. Has the set all that was written, and nothing that is gone? */
function isGivenBack(set: FieldSet, { written, removed }: Seen): boolean {
  if (isEmptySet(set) || trackable(written) !== written) return false;
  return union(set, written) === set && difference(set, removed) === set;
}

export interface Owners {
  /** Everybody but `self` as they are after the change. */
  readonly managers: Managers;
  readonly comparison: Seen;
  /** What others owned of what is new or different, by manager. */
  readonly conflicts: ReadonlyMap<Manager, FieldSet>;
}

const noConflicts: Owners['conflicts'] = new Map();

/**
 * Takes from all other managers what the change added, modified or removed; managers left with nothing, or of a version that is no
 * longer served, are dropped.
 * as structured-merge-diff/merge Updater.update
 */
export function* changeOwners(change: Change, managers: Managers): Steps<Owners> {
  const shape = objectShape(change.schema);
  const compared = compareTyped(change.before, change.after, shape);
  if (change.pause) yield change.pause;
  const comparison = filtered(compared, change.filter);
  if (managers.size === 0) return { managers, comparison, conflicts: noConflicts };
  const known = new Map<string, Seen | undefined>([[change.version, comparison]]);
  const conflicts = new Map<Manager, FieldSet>();
  const out = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    if (id === change.self) {
      if (!isEmptySet(manager.set)) out.set(id, manager);
      continue;
    }
    if (!known.has(manager.apiVersion)) known.set(manager.apiVersion, yield* seenIn(change, manager.apiVersion));
    const seen = known.get(manager.apiVersion);
    if (!seen) continue;
    if (change.pause) yield change.pause;
    if (id === change.writer && isGivenBack(manager.set, seen)) {
      out.set(id, manager);
      continue;
    }
    const taken = intersection(manager.set, seen.written);
    if (!isEmptySet(taken)) conflicts.set(manager, taken);
    const set = difference(difference(manager.set, taken), seen.removed);
    if (set === manager.set && !isEmptySet(set)) out.set(id, manager);
    else if (!isEmptySet(set)) out.set(id, { ...manager, set, entry: undefined });
  }
  return { managers: out, comparison, conflicts };
}

/** Returns 409 with one conflict per field, by manager. */
export function conflictError(conflicts: ReadonlyMap<Manager, FieldSet>): Error {
  const byManager = [...conflicts].sort(([a], [b]) => (managerId(a) < managerId(b) ? -1 : 1));
  return applyConflict(
    byManager.flatMap(([manager, set]) =>
      [...paths(set)].map(path => ({
        manager: {
          manager: manager.manager,
          operation: manager.operation,
          apiVersion: manager.apiVersion,
          ...(manager.subresource !== '' && { subresource: manager.subresource }),
        },
        path: printPath(path),
      })),
    ),
  );
}

export const isUnchanged = ({ added, modified, removed }: Comparison): boolean =>
  isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
