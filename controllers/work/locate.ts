import type { KubeObject } from '../../apimachinery/interface.js';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import { find } from '../../client/find.js';
import type { Client, MappedResource } from '../../client/interface.js';
import { NotSynced } from '../../client/runtime/controller.js';
import { keyOf, objectKey } from '../../client/key.js';
import type { Cluster } from '../../api/karmada/types.js';
import { noticingAnswer } from '../members/member-probes.js';
import type { MemberContext, MemberWatch, WatchedMirror } from '../members/member-watch.js';
import { type ExistingMemberObject, isManaged, type MemberObject } from './apply.js';
import type { MemberSeries } from './work-series.js';

export interface MirrorDeps {
  /** Client of the control plane. */
  readonly client: Client;
  readonly members: MemberWatch;
}

export interface LocateDeps extends MirrorDeps {
  readonly series: MemberSeries;
  /** Called when a member has answered a request. */
  readonly onAnswer: (cluster: string) => void;
}

interface ManifestMirror extends WatchedMirror {
  readonly resource: MappedResource;
}

/**
 * Starts the mirror of the manifest's resource in the member if necessary, and returns it. Returns undefined if the control plane does not serve
 * the kind.
 */
export async function mirrorOf(
  manifest: KubeObject,
  cluster: Cluster,
  { client, members }: MirrorDeps,
): Promise<ManifestMirror | undefined> {
  const resource = await client.mapper.forKind(gvkOf(manifest));
  if (!resource) return undefined;
  const { member, informer, startedAt } = await members.watch(cluster, resource);
  return { resource, member, informer, startedAt };
}

/**
 * Returns the resource, client and observed object of a manifest in a member, and starts the member's mirror of its kind.
 * Returns undefined if the control plane does not serve the kind. Throws NotSynced until the mirror has its first list. If that has failed, as for
 * a kind that the member does not serve or does not let the account list, or takes too long, the object is read from the member.
 * as pkg/util/helper GetObjectFromCache
 */
export async function findInMirror(
  manifest: KubeObject,
  cluster: Cluster,
  deps: LocateDeps,
): Promise<MemberObject | undefined> {
  const mirror = await mirrorOf(manifest, cluster, deps);
  if (!mirror) return undefined;
  const { resource, member, informer, startedAt } = mirror;
  const name = cluster.metadata.name ?? '';
  // A member may take long for the list, or never answer: no worker waits for it.
  const leftMs = startedAt + deps.members.syncTimeoutMs - performance.now();
  if (!informer.hasSynced && !informer.hasFailed && leftMs > 0)
    throw new NotSynced(`cluster(${name}) has not shown its ${resource.resource} yet`, informer.attempted, leftMs);
  const onAnswer = (): void => deps.onAnswer(name);
  const observed = informer.hasSynced
    ? informer.get(keyOf(manifest))
    : await noticingAnswer(find(member.client, resource, objectKey(manifest)), onAnswer);
  return { cluster: name, member, resource, observed, mirror: informer, series: deps.series, onAnswer };
}

/**
 * Returns the object of a manifest in a member, to delete it. Returns undefined if the member does not have the object or does not serve its kind.
 * An object that the mirror does not have, or shows as one that Karmada does not manage, is read from the member: the mirror may be behind, and
 * it stays empty if the account may not list the kind. as pkg/util/helper GetObjectFromCache
 */
export async function findInMember(
  manifest: KubeObject,
  cluster: Cluster,
  deps: LocateDeps,
): Promise<ExistingMemberObject | undefined> {
  const served = await findServed(manifest, cluster, deps);
  if (!served) return undefined;
  const { member, resource, mirrored } = served;
  const isShown = mirrored !== undefined && isManaged(mirrored);
  const name = cluster.metadata.name ?? '';
  const onAnswer = (): void => deps.onAnswer(name);
  const observed = isShown
    ? mirrored
    : await noticingAnswer(find(member.client, resource, objectKey(manifest)), onAnswer);
  return observed && { cluster: name, member, resource, observed, series: deps.series, onAnswer };
}

interface Served {
  readonly member: MemberContext;
  readonly resource: MappedResource;
  /** The object in the mirror. */
  readonly mirrored: KubeObject | undefined;
}

/**
 * Returns the resource of a manifest; undefined if neither server has the kind. differs: Karmada keeps a Work, and its binding, forever when the
 * control plane does not serve the kind any more.
 */
async function findServed(manifest: KubeObject, cluster: Cluster, deps: LocateDeps): Promise<Served | undefined> {
  const mirror = await mirrorOf(manifest, cluster, deps);
  if (mirror) return { ...mirror, mirrored: mirror.informer.get(keyOf(manifest)) };
  const member = await deps.members.connect(cluster);
  const own = await member.client.mapper.forKind(gvkOf(manifest));
  return own && { member, resource: own, mirrored: undefined };
}
