/** PersistentVolumes and claims, VolumeAttachments. as test/e2e/storage persistent_volumes.go, volume_attachment.go */
import t from 'tap';
import { kit, type Thing, version } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);
const volumes = all.of('v1/persistentvolumes');

async function fixture() {
  const namespace = await all.namespace();
  const claims = all.of('v1/persistentvolumeclaims', namespace);
  const labels = { volume: namespace };
  const create = async (): Promise<{ volume: Thing; claim: Thing }> => ({
    volume: await volumes.create({
      metadata: { generateName: `${namespace}-`, labels },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '2Gi' },
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: namespace,
        csi: { driver: 'inline-driver', volumeHandle: 'e2e-conformance' },
      },
    }),
    claim: await claims.create({
      metadata: { generateName: 'pvc-' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: namespace,
      },
    }),
  });
  return { namespace, claims, create, chosen: `labelSelector=volume=${namespace}` };
}

t.test('a volume and a claim are created, patched, updated and deleted', async t => {
  const { claims, create, chosen } = await fixture();
  const { volume, claim } = await create();
  t.equal((await volumes.list(chosen)).items.length, 1);
  t.equal((await claims.list()).items.length, 1);
  for (const [of, made] of [
    [volumes, volume],
    [claims, claim],
  ] as const) {
    const { name, uid } = made.metadata;
    const patched = await of.patch(name, { metadata: { labels: { [name]: 'patched' } } }, 'strategic');
    t.equal(patched.metadata.labels?.[name], 'patched');
    t.ok(version(patched) > version(made));
    t.equal((await of.get(name)).metadata.uid, uid);
  }
  await claims.remove(claim.metadata.name);
  await claims.count(0);
  await volumes.remove(volume.metadata.name);
  await volumes.count(0, chosen);

  const again = await create();
  for (const [
    of,
    everywhere,
    {
      metadata: { name },
    },
  ] of [
    [claims, all.of('v1/persistentvolumeclaims'), again.claim],
    [volumes, volumes, again.volume],
  ] as const) {
    const updated = await of.update(name, ({ metadata }) => ((metadata.labels ??= {})[name] = 'updated'));
    t.equal(updated.metadata.labels?.[name], 'updated');
    t.equal((await everywhere.list(`labelSelector=${name}=updated`)).items.length, 1);
    await of.removeAll(`labelSelector=${name}=updated`);
    await of.count(0, `labelSelector=${name}=updated`);
  }
});

t.test('the status of a volume and of a claim is read, patched, updated', async t => {
  const { claims, create } = await fixture();
  const { volume, claim } = await create();
  const [ofVolume, ofClaim] = [`${volume.metadata.name}/status`, `${claim.metadata.name}/status`];
  t.match(await claims.get(ofClaim), { status: { phase: /^(Pending|Bound)$/ } });
  t.match(await volumes.get(ofVolume), { status: { phase: /^(Available|Bound|Pending)$/ } });
  const condition = (type: string, reason: string) => ({ type, status: 'True', reason, message: 'Set from a test' });
  const first = condition('StatusPatched', 'E2E patchedStatus');
  const second = condition('StatusUpdated', 'E2E updateStatus');
  t.match(await claims.patch(ofClaim, { status: { conditions: [first] } }), { status: { conditions: [first] } });
  const status = { message: 'StatusPatched', reason: 'E2E patchStatus' };
  t.match(await volumes.patch(ofVolume, { status }), { status });
  const conditions = [first, second];
  t.match(await claims.update(ofClaim, thing => Object.assign(thing['status'] as object, { conditions })), {
    status: { conditions },
  });
  const later = { message: 'StatusUpdated', reason: 'E2E updateStatus' };
  t.match(await volumes.update(ofVolume, thing => Object.assign(thing['status'] as object, later)), { status: later });
});

t.test('the status of a VolumeAttachment is read and patched', async t => {
  const attachments = all.of('storage.k8s.io/v1/volumeattachments');
  await attachments.create({
    metadata: { name: 'va' },
    spec: { attacher: 'e2e-test.storage.k8s.io', nodeName: 'node', source: { persistentVolumeName: 'pv' } },
    status: { attached: false },
  });
  t.match(await attachments.get('va/status'), { status: { attached: false } });
  t.match(await attachments.patch('va/status', { status: { attached: true } }), { status: { attached: true } });
  const updated = await attachments.update('va/status', thing => (thing['status'] = { attached: false }));
  t.match(updated, { status: { attached: false } });
});
