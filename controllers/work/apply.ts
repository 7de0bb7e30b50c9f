import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { found } from '../../client/found.js';
import type { MappedResource } from '../../client/interface.js';
import { retainForeignKeys } from '../../kinds/karmada/managed-keys.js';
import { pruneManifest } from '../../kinds/karmada/prune-manifest.js';
import { annotations, labels } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { observed as observedAs } from '../../client/runtime/meter.js';
import { objectKey } from '../../client/runtime/update.js';
import type { MemberContext } from './members.js';
import type { MemberSeries } from './work-series.js';

export const isManaged = (object: KubeObject): boolean => object.metadata.labels?.[labels.managed] === 'true';

/** Returns what a manifest becomes against the object that exists in the member; undefined when that is already so. */
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

/** What the member's own controllers set stays theirs. */
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
  /** As the mirror shows it. */
  readonly observed: KubeObject | undefined;
  /** Is told what was done. */
  readonly told: MemberSeries;
}

/** Creates the manifest's object in the member or brings it up to date; what stands there then. */
export async function applyManifest(
  manifest: KubeObject,
  at: MemberObject,
  interpreter: Interpreter,
): Promise<KubeObject> {
  const { cluster, told } = at;
  const { client } = at.member;
  let { observed } = at;
  if (!observed) {
    try {
      const made = await client.create(at.resource, manifest);
      told.created('success', manifest, cluster);
      return made;
    } catch (error) {
      told.created('error', manifest, cluster);
      // The mirror may be behind: what is there already is looked at before it is called a conflict.
      if (!(error instanceof StatusError && error.status.reason === 'AlreadyExists')) throw error;
      observed = await client.get(at.resource, objectKey(manifest));
    }
  }
  try {
    const { object, outcome } = await bringUpToDate(manifest, observed, at, interpreter);
    told.updated('success', manifest, cluster, outcome);
    return object;
  } catch (error) {
    told.updated('error', manifest, cluster, 'none');
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
    requireOurs(manifest, observed, cluster);
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
function requireOurs(manifest: KubeObject, observed: KubeObject, cluster: string): void {
  if (isManaged(observed) || manifest.metadata.annotations?.[annotations.conflictResolution] === 'overwrite') return;
  const { namespace = '', name } = manifest.metadata;
  throw new ExpectedError(
    `resource(kind=${manifest.kind}, ${namespace}/${name}) already exists in the cluster ${cluster} and the ` +
      `${annotations.conflictResolution} strategy value is empty, Karmada will not manage this resource`,
  );
}

/** Deletes what we manage; anything else stays. */
export async function deleteManifest(
  manifest: KubeObject,
  { cluster, member, resource, observed, told }: MemberObject,
): Promise<void> {
  if (!observed || !isManaged(observed)) return;
  await observedAs(
    // Explicit, because a Job's own default would leave its pods behind (karmada issue 969).
    () => found(member.client.delete(resource, objectKey(manifest), { propagationPolicy: 'Background' })),
    result => told.deleted(result, manifest, cluster),
  );
}
