/** Claims in a member, and the Pods that wait for them. */
import t from 'tap';
import { silent } from '../../server/logger.js';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../openapi/gen/core-v1.js';
import { persistentVolumeClaims, persistentVolumes, pods, storageClasses } from '../../api/kubernetes/resources.js';
import { startMember } from '../../simulator/member.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';

t.test('a Pod waits for its claims', async t => {
  const directory = await temporaryFolder(t);
  const { client, stop } = await startMember({ name: 'm', directory, host: '127.0.0.1', log: silent });
  t.teardown(stop);
  const namespace = 'default';
  const claim = (name: string, storageClassName: string) =>
    client.create(persistentVolumeClaims, {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace } },
      spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  const pod = (name: string) =>
    client.create(pods, {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } },
      spec: {
        containers: [{ name: 'c', image: 'busybox' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
      },
    });
  const getPod = async (name: string): Promise<Pod> => await client.get(pods, { namespace, name });
  const message = async (name: string): Promise<string | undefined> =>
    (await getPod(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  const says = (name: string, what: string): Promise<void> =>
    until(what, async () => (await message(name)) === `0/3 nodes are available: ${what}.`);
  const runs = (name: string): Promise<void> =>
    until(`${name} runs`, async () => (await getPod(name)).status?.phase === 'Running');
  const getClaim = async (name: string): Promise<PersistentVolumeClaim> =>
    await client.get(persistentVolumeClaims, { namespace, name });
  const volumes = async (): Promise<PersistentVolume[]> => (await client.list(persistentVolumes)).items;
  const storageClass = (name: string, more: object = {}) =>
    client.create(storageClasses, {
      ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name } },
      ...{ provisioner: 'example.com/disks', ...more },
    });

  await t.test('a claim is bound to an existing volume that fits', async t => {
    await pod('static');
    await says('static', 'persistentvolumeclaim "static" not found');
    await claim('static', 'by-hand');
    await says('static', 'pod has unbound immediate PersistentVolumeClaims');
    const volume = (name: string, storage: string) =>
      client.create(persistentVolumes, {
        ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } },
        spec: {
          ...{ storageClassName: 'by-hand', accessModes: ['ReadWriteOnce'], capacity: { storage } },
          ...{ persistentVolumeReclaimPolicy: 'Retain', hostPath: { path: '/data' } },
        },
      });
    await volume('small', '500Mi');
    await volume('fits', '2Gi');
    await runs('static');
    t.match(await getClaim('static'), {
      spec: { volumeName: 'fits' },
      status: { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'] },
    });
    await until('phases', async () => {
      const phases = (await volumes()).map(({ metadata, status }) => `${metadata.name} ${status?.phase}`);
      return phases.sort().join() === 'fits Bound,small Available';
    });
    await client.delete(pods, { namespace, name: 'static' });
    await client.delete(persistentVolumeClaims, { namespace, name: 'static' });
    await until('it is released', async () => (await volumes()).some(({ status }) => status?.phase === 'Released'));
    t.pass();
  });

  await t.test('a storage class provisions a volume, and deletes it with the claim', async t => {
    await claim('dynamic', 'fast');
    await pod('dynamic');
    await says('dynamic', 'pod has unbound immediate PersistentVolumeClaims');
    await storageClass('fast');
    await runs('dynamic');
    const { metadata, spec } = await getClaim('dynamic');
    t.equal(spec?.volumeName, `pvc-${metadata.uid}`);
    await client.delete(pods, { namespace, name: 'dynamic' });
    await client.delete(persistentVolumeClaims, { namespace, name: 'dynamic' });
    await until('it is gone', async () => !(await volumes()).some(v => v.metadata.name === spec?.volumeName));
  });

  await t.test('a storage class can delay binding until the first Pod', async t => {
    await storageClass('later', { volumeBindingMode: 'WaitForFirstConsumer' });
    await claim('lazy', 'later');
    await claim('eager', 'fast');
    await until('the other one', async () => (await getClaim('eager')).status?.phase === 'Bound');
    t.equal((await getClaim('lazy')).status?.phase, 'Pending');
    await pod('lazy');
    await runs('lazy');
  });
});
