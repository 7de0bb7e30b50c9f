import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { gvkOf, namespacedName } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { find, ignoreNotFound } from '../../client/find.js';
import type { MappedResource } from '../../client/interface.js';
import { retainForeignKeys } from '../../kinds/karmada/work/managed-keys.js';
import { pruneManifest } from '../../kinds/karmada/work/prune-manifest.js';
import { annotations, labels } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { observed as observedAs } from '../../client/runtime/meter.js';
import { objectKey } from '../../client/key.js';
import type { Informer, Key } from '../../client/runtime/interface.js';
import { noticingAnswer } from '../members/member-probes.js';
import type { MemberContext } from '../members/member-watch.js';
import type { MemberSeries } from './work-series.js';

/** Returns whether Karmada manages an object of a member, by its label. */
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
  /** The mirror of the resource, if the object was looked for there. */
  readonly mirror?: Informer;
  /** Metrics of the writes. */
  readonly series: MemberSeries;
  /** Called when the member has answered a request. */
  readonly onAnswer: () => void;
}

export interface ExistingMemberObject extends MemberObject {
  readonly observed: KubeObject;
}

/** An object in a member after a manifest was applied. */
export interface AppliedObject {
  readonly object: KubeObject;
  readonly outcome: 'created' | 'updated' | 'unchanged';
}

/** Creates or updates the manifest's object in the member. */
export async function applyManifest(
  manifest: KubeObject,
  at: MemberObject,
  interpreter: Interpreter,
): Promise<AppliedObject> {
  const { cluster, series, onAnswer } = at;
  const { client } = at.member;
  let { observed } = at;
  if (!observed) {
    try {
      const made = await noticingAnswer(client.create(at.resource, manifest), onAnswer);
      series.created('success', manifest, cluster);
      return { object: made, outcome: 'created' };
    } catch (error) {
      series.created('error', manifest, cluster);
      observed = await existing(error, manifest, at);
    }
  }
  try {
    const updated = await bringUpToDate(manifest, observed, at, interpreter);
    series.updated('success', manifest, cluster, updated.outcome);
    return updated;
  } catch (error) {
    series.updated('error', manifest, cluster, 'none');
    throw error;
  }
}

/** Codes with which a server may refuse to create an object that exists, such as a quota that is exceeded, or a port of a Service that is in use. */
const codesOfRefusal: ReadonlySet<number> = new Set([403, 422]);

/**
 * Returns the object that exists although its mirror does not have it: the mirror is behind, or Karmada does not manage the object. Throws the error
 * of its creation if there is none, or if it cannot be read after a refusal.
 */
async function existing(error: unknown, manifest: KubeObject, { member, resource }: MemberObject): Promise<KubeObject> {
  if (!(error instanceof StatusError)) throw error;
  if (error.status.reason === 'AlreadyExists') return member.client.get(resource, objectKey(manifest));
  if (!codesOfRefusal.has(error.code)) throw error;
  const found = await find(member.client, resource, objectKey(manifest)).catch(() => undefined);
  if (!found) throw error;
  return found;
}

interface Updated extends AppliedObject {
  readonly outcome: 'unchanged' | 'updated';
}

async function bringUpToDate(
  manifest: KubeObject,
  first: KubeObject,
  { member: { client }, resource, cluster, onAnswer }: MemberObject,
  interpreter: Interpreter,
): Promise<Updated> {
  let observed = first;
  for (let attempt = 1; ; attempt++) {
    requireManaged(manifest, observed, cluster);
    const desired = await desiredInMember(manifest, observed, interpreter);
    if (!desired) return { object: observed, outcome: 'unchanged' };
    try {
      return { object: await noticingAnswer(client.update(resource, desired), onAnswer), outcome: 'updated' };
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
  { cluster, member, resource, observed, series, onAnswer }: ExistingMemberObject,
): Promise<void> {
  if (!isManaged(observed)) return;
  // The policy is explicit, because the default for a Job orphans its pods (karmada issue 969).
  const options = { propagationPolicy: 'Background' } as const;
  await observedAs(
    () => ignoreNotFound(noticingAnswer(member.client.delete(resource, objectKey(manifest), options), onAnswer)),
    result => series.deleted(result, manifest, cluster),
  );
}
