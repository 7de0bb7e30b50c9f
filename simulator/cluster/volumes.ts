/** Binds claims to matching volumes, and creates volumes for classes with a provisioner. No data is stored. */
// as pkg/controller/volume/persistentvolume; differs: every provisioner works, at once; topology is not looked at
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../openapi/gen/core-v1.js';
import type { StorageClass } from '../../openapi/gen/storage-v1.js';
import { compareQuantities, parseQuantity } from '../../apimachinery/quantity/quantity.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import type { Client } from '../../client/interface.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer, WorkQueue } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { ignoreNotFound } from '../../client/find.js';
import { persistentVolumeClaims, persistentVolumes, pods, storageClasses } from '../../api/kubernetes/resources.js';
import { claimNamesOf } from '../pods/claims.js';
import type { Pod } from '../pods/state.js';

const prefix = 'pv.kubernetes.io';
const byClaim = 'claim';

const requestOf = ({ spec }: PersistentVolumeClaim): string => String(spec?.resources?.requests?.['storage'] ?? 0);
const sizeOf = ({ spec }: PersistentVolume): string => String(spec?.capacity?.['storage'] ?? 0);
const compare = (a: string, b: string): number => compareQuantities(parseQuantity(a), parseQuantity(b));

/** Returns whether a claim may have the volume. A claimRef without uid reserves the volume for any claim of that name. */
function isFree({ spec, metadata }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef } = spec ?? {};
  if (metadata.deletionTimestamp) return false;
  if (!claimRef) return true;
  const { name, namespace, uid } = claim.metadata;
  return claimRef.name === name && claimRef.namespace === namespace && (!claimRef.uid || claimRef.uid === uid);
}

/** Returns the smallest matching volume for a claim. as pkg/controller/volume/persistentvolume FindMatchingVolume */
function matchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const { spec } = claim;
  const selector = spec?.selector && selectorOf(spec.selector);
  return volumes
    .filter(volume => {
      if (!isFree(volume, claim) || compare(sizeOf(volume), requestOf(claim)) < 0) return false;
      if (spec?.volumeName) return volume.metadata.name === spec.volumeName;
      if ((volume.spec?.storageClassName ?? '') !== (spec?.storageClassName ?? '')) return false;
      if ((volume.spec?.volumeMode ?? 'Filesystem') !== (spec?.volumeMode ?? 'Filesystem')) return false;
      if (selector && !selector.matches(volume.metadata.labels)) return false;
      return (spec?.accessModes ?? []).every(mode => volume.spec?.accessModes?.includes(mode));
    })
    .sort((a, b) => compare(sizeOf(a), sizeOf(b)) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))[0];
}

function provisioned(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const name = `pvc-${claim.metadata.uid}`;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [`${prefix}/provisioned-by`]: storageClass.provisioner } },
    spec: {
      capacity: { storage: requestOf(claim) },
      accessModes: [...(claim.spec?.accessModes ?? [])],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name ?? '',
      volumeMode: claim.spec?.volumeMode ?? 'Filesystem',
      claimRef: referenceTo(claim),
      hostPath: { path: `/simulated/${name}` },
    },
  };
}

const referenceTo = ({ metadata: { name = '', namespace = '', uid = '' } }: PersistentVolumeClaim) => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
});

interface Mirrors {
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
  readonly classes: Informer<StorageClass>;
  /** Pods by the claims that they use. */
  readonly users: Informer<Pod>;
}

/** Binds claims to volumes, and provisions volumes for those whose StorageClass has a provisioner. */
export function startVolumes(context: ControllerContext): void {
  const { informers, client } = context;
  const mirrors: Mirrors = {
    claims: informers.informer<PersistentVolumeClaim>(persistentVolumeClaims),
    volumes: informers.informer<PersistentVolume>(persistentVolumes),
    classes: informers.informer<StorageClass>(storageClasses),
    users: informers.informer<Pod>(pods, {
      indexers: { [byClaim]: pod => claimNamesOf(pod).map(name => namespacedName(pod.metadata.namespace, name)) },
    }),
  };
  const { claims } = mirrors;
  context.run({
    name: 'persistentvolume-binder-controller',
    synced: [claims, mirrors.volumes, mirrors.classes, mirrors.users].map(({ synced }) => synced),
    wire: queue => queueClaims(queue, mirrors),
    async reconcile(key) {
      const claim = claims.get(key);
      if (!claim || claim.metadata.deletionTimestamp || claim.status?.phase === 'Bound') return;
      const volume = await volumeFor(claim, client, mirrors);
      if (volume) await bind(claim, volume, client);
    },
  });
  startReclaiming(context, mirrors);
}

/** Queues the claims that a change may concern. */
function queueClaims(queue: WorkQueue, { claims, volumes, classes, users }: Mirrors): void {
  const retry = (): void => {
    for (const claim of claims.list()) if (claim.status?.phase !== 'Bound') queue.add(keyOf(claim));
  };
  claims.onChange(({ new: claim }) => claim && queue.add(keyOf(claim)));
  classes.onChange(retry);
  volumes.onChange(({ new: volume }) => {
    const reference = volume?.spec?.claimRef;
    if (reference) queue.add(namespacedName(reference.namespace, reference.name ?? ''));
    else if (volume) retry();
  });
  users.onChange(({ old, new: pod }) => {
    if (!old && pod) for (const name of claimNamesOf(pod)) queue.add(namespacedName(pod.metadata.namespace, name));
  });
}

/** Returns a volume for the claim; undefined while the claim has to wait for one. */
async function volumeFor(
  claim: PersistentVolumeClaim,
  client: Client,
  { volumes, classes, users }: Mirrors,
): Promise<PersistentVolume | undefined> {
  const fitting = matchingVolume(claim, volumes.list());
  if (fitting) return fitting;
  const storageClass = classes.get(claim.spec?.storageClassName ?? '');
  if (!storageClass || claim.spec?.volumeName || storageClass.provisioner === 'kubernetes.io/no-provisioner')
    return undefined;
  const waits = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  if (waits && users.byIndex(byClaim, keyOf(claim)).length === 0) return undefined;
  try {
    return await client.create(persistentVolumes, provisioned(claim, storageClass));
  } catch (error) {
    if (error instanceof StatusError && error.code === 409) return undefined; // the mirror is about to show it, which retries the claim
    throw error;
  }
}

async function bind(claim: PersistentVolumeClaim, volume: PersistentVolume, client: Client): Promise<void> {
  const claimed = await updateObject<PersistentVolume>(client, persistentVolumes, volume, draft => {
    if (draft.spec && isFree(draft, claim)) draft.spec.claimRef = { ...draft.spec.claimRef, ...referenceTo(claim) };
  });
  if (claimed.spec?.claimRef?.uid !== claim.metadata.uid) return; // another claim was faster
  await setPhase(claimed, 'Bound', client);
  const bound = await updateObject<PersistentVolumeClaim>(client, persistentVolumeClaims, claim, draft => {
    if (!draft.spec) return;
    draft.spec.volumeName = claimed.metadata.name ?? '';
    const completed = { [`${prefix}/bind-completed`]: 'yes', [`${prefix}/bound-by-controller`]: 'yes' };
    draft.metadata.annotations = { ...draft.metadata.annotations, ...completed };
  });
  await updateObject<PersistentVolumeClaim>(
    client,
    persistentVolumeClaims,
    bound,
    draft => {
      const { accessModes = [], capacity = {} } = claimed.spec ?? {};
      draft.status = { ...draft.status, phase: 'Bound', accessModes, capacity };
    },
    { subresource: 'status' },
  );
}

const setPhase = (volume: PersistentVolume, phase: string, client: Client): Promise<PersistentVolume> =>
  updateObject<PersistentVolume>(
    client,
    persistentVolumes,
    volume,
    draft => void (draft.status = { ...draft.status, phase }),
    { subresource: 'status' },
  );

/** Makes volumes without a claim available, and releases or deletes those whose claim is gone, according to their policy. */
function startReclaiming(context: ControllerContext, { claims, volumes }: Mirrors): void {
  const { client } = context;
  context.run({
    name: 'persistentvolume-recycler-controller',
    synced: [claims.synced, volumes.synced],
    wire(queue) {
      volumes.onChange(({ new: volume }) => volume && queue.add(keyOf(volume)));
      claims.onChange(({ old, new: claim }) => {
        if (old?.spec?.volumeName && !claim) queue.add(old.spec.volumeName);
      });
    },
    async reconcile(name) {
      const volume = volumes.get(name);
      if (!volume || volume.metadata.deletionTimestamp) return;
      const { claimRef, persistentVolumeReclaimPolicy: policy } = volume.spec ?? {};
      if (!claimRef?.uid) return void (await setPhase(volume, 'Available', client));
      const claim = claims.get(namespacedName(claimRef.namespace, claimRef.name ?? ''));
      if (claim?.metadata.uid === claimRef.uid || volume.status?.phase !== 'Bound') return;
      if (policy === 'Delete') await ignoreNotFound(client.delete(persistentVolumes, { name }));
      else await setPhase(volume, 'Released', client);
    },
  });
}
