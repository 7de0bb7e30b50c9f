import type { KubeObject, OwnerReference } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { isConflict } from '../../apimachinery/errors/status.js';
import { deepEqual } from '../../lib/json/equality.js';
import { eachConcurrently } from '../../lib/each-concurrently.js';
import { eachInTurns, yieldToEventLoop } from '../../lib/time-slice.js';
import type { DeleteOptions } from '../../client/interface.js';
import { NotYet } from '../../client/runtime/controller.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import type { Mirror, Mirrors } from '../../client/runtime/mirrors/mirrors.js';
import { find, ignoreNotFound } from '../../client/find.js';
import { updateObject } from '../../client/runtime/update.js';
import { type OwnerFields, OwnerGraph, type TrackedObject } from './owner-graph.js';

const foreground = 'foregroundDeletion';
const orphan = 'orphan';
/** Number of dependents of one owner that are written at a time. */
const concurrentWrites = 16;

/** Deletes objects without owners, and finishes foreground and orphaning deletions. Keys are uids. as pkg/controller/garbagecollector */
export function startGarbageCollector(context: ControllerContext, mirrors: Mirrors): void {
  const graph = new OwnerGraph(mirrors);
  /** Objects with an owner of a kind that was not served when they were looked at. */
  const unserved = new Set<string>();
  context.run({
    name: 'garbage-collector-controller',
    workers: 16,
    // What an incomplete graph does not have would not block its owner.
    synced: [graph.loaded],
    wire: queue => {
      // There may be a hundred thousand keys. They are copied: those that are added while the walk lasts are queued by their own changes.
      const addAll = (uids: Iterable<string>): void => void eachInTurns([...uids], uid => queue.add(uid));
      graph.onChange(({ uid, isGone, owners }) => {
        // An owner that is being deleted may have waited for this object, which is gone, or does not block it any more.
        for (const owner of owners) if (isFinishing(graph.fieldsOf(owner))) queue.add(owner);
        if (isGone) {
          unserved.delete(uid);
          return addAll(graph.dependents(uid));
        }
        const fields = graph.fieldsOf(uid);
        if (!fields?.ownerReferences?.length) unserved.delete(uid);
        if (isFinishing(fields) || fields?.ownerReferences?.length) queue.add(uid);
        // The dependents of an object in a foreground deletion are collected.
        if (fields?.deletionTimestamp) addAll(graph.dependents(uid));
      });
      mirrors.onServed(() => addAll(unserved));
      addAll(graph.uids());
    },
    reconcile: async uid => {
      const entry = graph.find(uid);
      if (!entry) return void unserved.delete(uid);
      if (isFinishing(entry.fields)) return finishDeletion(uid, entry, graph, context);
      // Before the kinds are looked up, since they may be served meanwhile.
      unserved.add(uid);
      const { isUnserved } = await collect(uid, entry, graph, context);
      if (!isUnserved) unserved.delete(uid);
    },
  });
}

const isDeletedWith = (fields: OwnerFields | undefined, finalizer: string): boolean =>
  fields?.deletionTimestamp !== undefined && (fields.finalizers?.includes(finalizer) ?? false);

const isFinishing = (fields: OwnerFields | undefined): boolean =>
  isDeletedWith(fields, foreground) || isDeletedWith(fields, orphan);

async function finishDeletion(
  uid: string,
  { fields, mirror, object }: TrackedObject,
  graph: OwnerGraph,
  context: ControllerContext,
): Promise<void> {
  if (fields.finalizers?.includes(orphan)) {
    await orphanAll(uid, graph, context);
    return dropFinalizer(object(), mirror, orphan, context);
  }
  // Each dependent is collected with its own key, and wakes this one when it does not block it any more.
  if (!graph.isBlocked(uid)) await dropFinalizer(object(), mirror, foreground, context);
}

/**
 * Takes the owner from its dependents. Rejects with the first error after all were tried: one that is refused must not leave the others to be
 * collected.
 */
async function orphanAll(uid: string, graph: OwnerGraph, { client }: ControllerContext): Promise<void> {
  const errors: unknown[] = [];
  await eachConcurrently([...graph.dependents(uid)], concurrentWrites, async dependent => {
    const found = graph.find(dependent);
    if (!found) return;
    await written(
      updateObject(client, found.mirror.resource, found.object(), ({ metadata }) => {
        metadata.ownerReferences = metadata.ownerReferences?.filter(owner => owner.uid !== uid) ?? [];
      }),
    ).catch((error: unknown) => errors.push(error));
    await yieldToEventLoop();
  });
  if (errors.length > 0) throw errors[0];
}

async function dropFinalizer(
  object: KubeObject,
  mirror: Mirror,
  finalizer: string,
  { client }: ControllerContext,
): Promise<void> {
  await written(
    updateObject(client, mirror.resource, object, ({ metadata }) => {
      metadata.finalizers = metadata.finalizers?.filter(f => f !== finalizer) ?? [];
    }),
  );
}

/** The owner of a kind that is not served is `unserved`. Nothing is known of it, and its dependents stay. */
type OwnerState = 'solid' | 'absent' | 'waiting' | 'unserved';

interface Collected {
  readonly isUnserved: boolean;
}

/**
 * Deletes an object if all of its owners are absent or wait for its deletion; else removes the references to those that are. differs: with an owner of
 * a kind that is not served, Kubernetes keeps all references, and a deletion of another owner in the foreground waits until the kind is served.
 */
async function collect(
  uid: string,
  tracked: TrackedObject,
  graph: OwnerGraph,
  context: ControllerContext,
): Promise<Collected> {
  const { mirror, fields } = tracked;
  const owners = fields.ownerReferences ?? [];
  if (owners.length === 0 || fields.deletionTimestamp) return { isUnserved: false };
  const states = await Promise.all(owners.map(owner => ownerState(owner, tracked, graph, context)));
  const isUnserved = states.includes('unserved');
  const gone = owners.filter((_, i) => states[i] === 'absent' || states[i] === 'waiting');
  // Most objects have all of their owners, and are not parsed.
  if (gone.length === 0) return { isUnserved };
  const object = tracked.object();
  if (gone.length < owners.length) {
    await removeReferences(object, mirror, gone, context);
    return { isUnserved };
  }
  const waits = states.includes('waiting') && graph.dependents(uid).size > 0;
  if (waits) await breakCycle(object, mirror, graph, context);
  await written(remove(object, mirror, waits ? 'Foreground' : policyOf(object), context));
  return { isUnserved };
}

type Propagation = NonNullable<DeleteOptions['propagationPolicy']>;

/** Returns the propagation policy that the finalizers of an object ask for. */
function policyOf({ metadata: { finalizers = [] } }: KubeObject): Propagation {
  if (finalizers.includes(orphan)) return 'Orphan';
  return finalizers.includes(foreground) ? 'Foreground' : 'Background';
}

/**
 * Deletes the object if its owners are still those that were evaluated, since the mirror may be behind. Other changes do not keep it.
 * as pkg/controller/garbagecollector GarbageCollector.deleteObject
 */
async function remove(
  object: KubeObject,
  { resource }: Mirror,
  propagationPolicy: Propagation,
  { client }: ControllerContext,
): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '', ownerReferences } = object.metadata;
  const removeIf = (preconditions: NonNullable<DeleteOptions['preconditions']>): Promise<void> =>
    client.delete(resource, { namespace, name }, { propagationPolicy, preconditions });
  try {
    await removeIf({ uid, resourceVersion });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const live = await find(client, resource, { namespace, name });
    // An object with other owners is reconciled again when the mirror shows them.
    if (live?.metadata.uid !== uid || !deepEqual(live.metadata.ownerReferences, ownerReferences)) return;
    await removeIf({ uid });
  }
}

/**
 * Sets blockOwnerDeletion to false if a dependent of the object is being deleted in the foreground, too: the object may be part of a
 * cycle in which everything waits for everything. as pkg/controller/garbagecollector attemptToDeleteItem
 */
async function breakCycle(
  object: KubeObject,
  mirror: Mirror,
  graph: OwnerGraph,
  { client }: ControllerContext,
): Promise<void> {
  const dependents = [...graph.dependents(object.metadata.uid ?? '')];
  const waiting = dependents.some(uid => isDeletedWith(graph.fieldsOf(uid), foreground));
  if (!waiting) return;
  await written(
    updateObject(client, mirror.resource, object, ({ metadata }) => {
      for (const owner of metadata.ownerReferences ?? [])
        if (owner.blockOwnerDeletion) owner.blockOwnerDeletion = false;
    }),
  );
}

/** Returns the state of an owner. It counts as absent only if the server confirms it, since mirrors may be behind. */
async function ownerState(
  owner: OwnerReference,
  { namespace, object }: TrackedObject,
  graph: OwnerGraph,
  context: ControllerContext,
): Promise<OwnerState> {
  if (graph.hasOwner(owner, namespace)) return stateOf(graph.fieldsOf(owner.uid));
  const { client } = context;
  const [group = '', version] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : ['', owner.apiVersion];
  const resource = await client.mapper.forKind({ group, version: version ?? '', kind: owner.kind });
  // A kind that is not served now may come back, so its dependents stay, unless the owner was seen to be deleted before.
  if (!resource) return graph.hasGone(owner.uid) ? 'absent' : 'unserved';
  if (resource.namespaced && !namespace) {
    reportMisplaced(owner, object(), context);
    return 'solid';
  }
  const live = await find(client, resource, { namespace: resource.namespaced ? namespace : '', name: owner.name });
  if (live?.metadata.uid === owner.uid) return stateOf(live.metadata);
  // An owner that was seen to be deleted, as most are, is not searched for.
  if (!graph.hasGone(owner.uid) && graph.isElsewhere(owner, namespace)) reportMisplaced(owner, object(), context);
  return 'absent';
}

/** Returns the state of an owner that exists. */
const stateOf = (fields: OwnerFields | undefined): OwnerState =>
  isDeletedWith(fields, foreground) ? 'waiting' : 'solid';

/**
 * Records an event: an owner with a namespace must be in that of the object, since the reference names none, and a cluster-scoped object cannot have
 * one. as pkg/controller/garbagecollector GraphBuilder.reportInvalidNamespaceOwnerRef
 */
function reportMisplaced(owner: OwnerReference, object: KubeObject, context: ControllerContext): void {
  const { apiVersion, kind, namespace = '', name, uid } = { ...owner, namespace: object.metadata.namespace };
  const message = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`;
  context.recorder('garbage-collector-controller').event(object, 'Warning', 'OwnerRefInvalidNamespace', message);
}

async function removeReferences(
  object: KubeObject,
  mirror: Mirror,
  gone: readonly OwnerReference[],
  { client }: ControllerContext,
): Promise<void> {
  const uids = new Set(gone.map(({ uid }) => uid));
  await written(
    updateObject(client, mirror.resource, object, ({ metadata }) => {
      metadata.ownerReferences = metadata.ownerReferences?.filter(({ uid }) => !uids.has(uid)) ?? [];
    }),
  );
}

/** Resolves when a write is done or its object is gone. Rejects with NotYet after a Conflict, so that the key is reconciled again. */
async function written(write: Promise<unknown>): Promise<void> {
  try {
    await ignoreNotFound(write);
  } catch (error) {
    throw isConflict(error) ? new NotYet(errorText(error)) : error;
  }
}
