import type { KubeObject, OwnerReference } from '../../apimachinery/interface.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import type { Mirror, Mirrors } from '../../client/runtime/mirrors.js';
import { find } from '../../client/find.js';
import { updateObject } from '../../client/runtime/update.js';
import { OwnerGraph, tracked } from './owner-graph.js';

const foreground = 'foregroundDeletion';
const orphan = 'orphan';

/** Deletes objects without owners, and finishes foreground and orphaning deletions. Keys are uids. as pkg/controller/garbagecollector */
export function startGarbageCollector(context: ControllerContext, mirrors: Mirrors): void {
  const graph = new OwnerGraph(mirrors);
  context.run({
    name: 'garbage-collector-controller',
    workers: 16,
    wire: queue => {
      graph.onChange((uid, gone) => {
        if (gone) {
          for (const dependent of graph.dependents(uid)) queue.add(dependent);
          return;
        }
        const object = graph.find(uid)?.object;
        if (!object) return;
        if (isFinishing(object) || object.metadata.ownerReferences?.length) queue.add(uid);
        for (const owner of object.metadata.ownerReferences ?? [])
          if (isFinishing(graph.find(owner.uid)?.object)) queue.add(owner.uid);
        // This object may be the last blocking dependent of an owner that is being deleted.
        if (object.metadata.deletionTimestamp) for (const dependent of graph.dependents(uid)) queue.add(dependent);
      });
      // The deletion of a dependent wakes the owners that wait for it.
      mirrors.onChange(({ oldCached, newCached }) => {
        if (newCached) return;
        for (const owner of tracked(oldCached)?.metadata.ownerReferences ?? [])
          if (graph.find(owner.uid)) queue.add(owner.uid);
      });
      for (const uid of graph.uids()) queue.add(uid);
    },
    reconcile: async uid => {
      const entry = graph.find(uid);
      if (!entry) return;
      if (isFinishing(entry.object)) await finishDeletion(uid, entry.object, entry.mirror, graph, context);
      else await collect(entry.object, entry.mirror, graph, context);
    },
  });
}

const isFinishing = (object: KubeObject | undefined): boolean =>
  object?.metadata.deletionTimestamp !== undefined &&
  (object.metadata.finalizers?.some(finalizer => finalizer === foreground || finalizer === orphan) ?? false);

async function finishDeletion(
  uid: string,
  object: KubeObject,
  mirror: Mirror,
  graph: OwnerGraph,
  context: ControllerContext,
): Promise<void> {
  const dependents = graph.dependents(uid).flatMap(id => graph.find(id) ?? []);
  if (object.metadata.finalizers?.includes(orphan)) {
    for (const { object: dependent, mirror: at } of dependents)
      await ignoreConflicts(() =>
        updateObject(context.client, at.resource, dependent, ({ metadata }) => {
          metadata.ownerReferences = metadata.ownerReferences?.filter(owner => owner.uid !== uid) ?? [];
        }),
      );
    return dropFinalizer(object, mirror, orphan, context);
  }
  const blocking = dependents.filter(({ object: dependent }) =>
    dependent.metadata.ownerReferences?.some(owner => owner.uid === uid && owner.blockOwnerDeletion),
  );
  if (blocking.length === 0) return dropFinalizer(object, mirror, foreground, context);
  for (const { object: dependent, mirror: at } of blocking)
    if (!dependent.metadata.deletionTimestamp) await collect(dependent, at, graph, context);
}

async function dropFinalizer(
  object: KubeObject,
  mirror: Mirror,
  finalizer: string,
  { client }: ControllerContext,
): Promise<void> {
  await ignoreConflicts(() =>
    updateObject(client, mirror.resource, object, ({ metadata }) => {
      metadata.finalizers = metadata.finalizers?.filter(f => f !== finalizer) ?? [];
    }),
  );
}

type OwnerState = 'solid' | 'absent' | 'waiting';

/** Deletes an object if all of its owners are absent or wait for its deletion; else removes the references to those that are. */
async function collect(
  object: KubeObject,
  mirror: Mirror,
  graph: OwnerGraph,
  context: ControllerContext,
): Promise<void> {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length === 0 || object.metadata.deletionTimestamp) return;
  const states = await Promise.all(owners.map(owner => ownerState(owner, object, graph, context)));
  const gone = owners.filter((_, i) => states[i] !== 'solid');
  if (states.includes('solid')) {
    if (gone.length > 0) await removeReferences(object, mirror, gone, context);
    return;
  }
  const waits = states.includes('waiting') && graph.dependents(object.metadata.uid ?? '').length > 0;
  if (waits) await breakCycle(object, mirror, graph, context);
  const { finalizers = [], uid = '' } = object.metadata;
  const policy = finalizers.includes(orphan)
    ? 'Orphan'
    : waits || finalizers.includes(foreground)
      ? 'Foreground'
      : 'Background';
  const { namespace = '', name = '' } = object.metadata;
  await ignoreConflicts(() =>
    context.client.delete(mirror.resource, { namespace, name }, { propagationPolicy: policy, preconditions: { uid } }),
  );
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
  const waiting = graph.dependents(object.metadata.uid ?? '').some(uid => {
    const { deletionTimestamp, finalizers } = graph.find(uid)?.object.metadata ?? {};
    return deletionTimestamp !== undefined && finalizers?.includes(foreground);
  });
  if (!waiting) return;
  await ignoreConflicts(() =>
    updateObject(client, mirror.resource, object, ({ metadata }) => {
      for (const owner of metadata.ownerReferences ?? [])
        if (owner.blockOwnerDeletion) owner.blockOwnerDeletion = false;
    }),
  );
}

/** Returns the state of an owner. It counts as absent only if the server confirms it, since mirrors may be behind. */
async function ownerState(
  owner: OwnerReference,
  object: KubeObject,
  graph: OwnerGraph,
  context: ControllerContext,
): Promise<OwnerState> {
  const { deletionTimestamp, finalizers } = graph.find(owner.uid)?.object.metadata ?? {};
  if (deletionTimestamp && finalizers?.includes(foreground)) return 'waiting';
  if (graph.hasOwner(owner, object.metadata.namespace ?? '')) return 'solid';
  const { client } = context;
  const [group = '', version] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : ['', owner.apiVersion];
  const resource = await client.mapper.forKind({ group, version: version ?? '', kind: owner.kind });
  // A kind that is not served now may come back, so its dependents stay, unless the owner was seen to be deleted before.
  if (!resource) return graph.hasGone(owner.uid) ? 'absent' : 'solid';
  const { namespace = '' } = object.metadata;
  if (resource.namespaced && !namespace) return reportMisplaced(owner, object, context);
  const live = await find(client, resource, { namespace: resource.namespaced ? namespace : '', name: owner.name });
  return live?.metadata.uid === owner.uid ? 'solid' : 'absent';
}

/** Records an event: a cluster-scoped object cannot have a namespaced owner, since the reference has no namespace. */
function reportMisplaced(owner: OwnerReference, object: KubeObject, context: ControllerContext): OwnerState {
  const { apiVersion, kind, namespace = '', name, uid } = { ...owner, namespace: object.metadata.namespace };
  const message = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`;
  context.recorder('garbage-collector-controller').event(object, 'Warning', 'OwnerRefInvalidNamespace', message);
  return 'solid';
}

async function removeReferences(
  object: KubeObject,
  mirror: Mirror,
  gone: readonly OwnerReference[],
  { client }: ControllerContext,
): Promise<void> {
  const uids = new Set(gone.map(({ uid }) => uid));
  await ignoreConflicts(() =>
    updateObject(client, mirror.resource, object, ({ metadata }) => {
      metadata.ownerReferences = metadata.ownerReferences?.filter(({ uid }) => !uids.has(uid)) ?? [];
    }),
  );
}

/** Runs a write; ignores NotFound and Conflict, since an object that is gone or has changed is reconciled again. */
async function ignoreConflicts(attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof StatusError && (error.code === 404 || error.code === 409))) throw error;
    if (error.code === 409 && error.status.reason !== 'Conflict') throw error;
  }
}
