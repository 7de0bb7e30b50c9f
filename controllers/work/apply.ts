import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { gvkOf, namespacedName } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { ignoreNotFound } from '../../client/find.js';
import type { MappedResource } from '../../client/interface.js';
import { retainForeignKeys } from '../../kinds/karmada/managed-keys.js';
import { pruneManifest } from '../../kinds/karmada/prune-manifest.js';
import { annotations, labels } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { observed as observedAs } from '../../client/runtime/meter.js';
import { objectKey } from '../../client/key.js';
import type { Key } from '../../client/runtime/interface.js';
import type { MemberContext } from '../members/member-watch.js';
import type { MemberSeries } from './work-series.js';

export const isManaged = (object: KubeObject): boolean => object.metadata.labels?.[labels.managed] === 'true';

/** Returns the key of the Work that an object in a member belongs to; undefined if Karmada does not manage the object. */
export function workKeyOf(object: KubeObject): Key | undefined {
  const { annotations: notes } = object.metadata;
  const namespace = notes?.[annotations.workNamespace];
  const name = notes?.[annotations.workName];
  return isManaged(object) && namespace && name ? namespacedName(namespace, name) : undefined;
}

/** Returns the update of the observed object in the member for a manifest; undefined if it is up to date. */
async function desiredInMember(
  manifest: KubeObject,
  observed: KubeObject,
  interpreter: Interpreter,
): Promise<KubeObject | undefined> {
  let desired = cloneJson(manifest);
  retainClusterFields(desired, observed);
  if (interpreter.has(gvkOf(desired), 'Retain')) desired = await interpreter.retain(desired, observed);
  const present = cloneJson(observed);
  pruneManifest(present);
  retainClusterFields(present, observed);
  return semanticEqual(desired, present) ? undefined : desired;
}

/** Copies the fields that the member's own controllers set from `observed` into `desired`. */
function retainClusterFields(desired: KubeObject, observed: KubeObject): void {
  const { resourceVersion, finalizers, ownerReferences } = observed.metadata;
  const { metadata } = desired;
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
  if (finalizers) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  if (ownerReferences) metadata.ownerReferences = ownerReferences;
  else delete metadata.ownerReferences;
  retainForeignKeys(desired, observed);
}

export interface MemberObject {
  readonly cluster: string;
  readonly member: MemberContext;
  readonly resource: MappedResource;
  /** The object in the member, from its mirror or read just now; undefined if it does not exist. */
  readonly observed: KubeObject | undefined;
  /** Metrics of the writes. */
  readonly series: MemberSeries;
}

export interface ExistingMemberObject extends MemberObject {
  readonly observed: KubeObject;
}

/** Creates or updates the manifest's object in the member, and returns it. */
export async function applyManifest(
  manifest: KubeObject,
  at: MemberObject,
  interpreter: Interpreter,
): Promise<KubeObject> {
  const { cluster, series } = at;
  const { client } = at.member;
  let { observed } = at;
  if (!observed) {
    try {
      const made = await client.create(at.resource, manifest);
      series.created('success', manifest, cluster);
      return made;
    } catch (error) {
      series.created('error', manifest, cluster);
      // The mirror may be behind: an existing object is read and updated before this counts as a conflict.
      if (!(error instanceof StatusError && error.status.reason === 'AlreadyExists')) throw error;
      observed = await client.get(at.resource, objectKey(manifest));
    }
  }
  try {
    const { object, outcome } = await bringUpToDate(manifest, observed, at, interpreter);
    series.updated('success', manifest, cluster, outcome);
    return object;
  } catch (error) {
    series.updated('error', manifest, cluster, 'none');
    throw error;
  }
}

interface Updated {
  readonly object: KubeObject;
  readonly outcome: 'unchanged' | 'updated';
}

async function bringUpToDate(
  manifest: KubeObject,
  first: KubeObject,
  { member: { client }, resource, cluster }: MemberObject,
  interpreter: Interpreter,
): Promise<Updated> {
  let observed = first;
  for (let attempt = 1; ; attempt++) {
    requireManaged(manifest, observed, cluster);
    const desired = await desiredInMember(manifest, observed, interpreter);
    if (!desired) return { object: observed, outcome: 'unchanged' };
    try {
      return { object: await client.update(resource, desired), outcome: 'updated' };
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 409) || attempt === 5) throw error;
      observed = await client.get(resource, objectKey(manifest));
    }
  }
}

/** Throws when the object in the member was not created by Karmada and conflictResolution is not Overwrite. */
function requireManaged(manifest: KubeObject, observed: KubeObject, cluster: string): void {
  if (isManaged(observed) || manifest.metadata.annotations?.[annotations.conflictResolution] === 'overwrite') return;
  const { namespace = '', name } = manifest.metadata;
  throw new ExpectedError(
    `resource(kind=${manifest.kind}, ${namespace}/${name}) already exists in the cluster ${cluster} and the ` +
      `${annotations.conflictResolution} strategy value is empty, Karmada will not manage this resource`,
  );
}

/** Deletes the object if it is managed by Karmada. */
export async function deleteManifest(
  manifest: KubeObject,
  { cluster, member, resource, observed, series }: ExistingMemberObject,
): Promise<void> {
  if (!isManaged(observed)) return;
  await observedAs(
    // The policy is explicit, because the default for a Job orphans its pods (karmada issue 969).
    () => ignoreNotFound(member.client.delete(resource, objectKey(manifest), { propagationPolicy: 'Background' })),
    result => series.deleted(result, manifest, cluster),
  );
}
