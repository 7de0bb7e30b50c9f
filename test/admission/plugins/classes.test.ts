import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { refusal } from '../../registry/serve.js';
import { guarded, object, resource } from './guarded.js';

const claims = resource('persistentvolumeclaims');
const storageClasses = resource('storageclasses', 'storage.k8s.io');
const ingresses = resource('ingresses', 'networking.k8s.io');
const ingressClasses = resource('ingressclasses', 'networking.k8s.io');

const claim = (name: string, more: object = {}, annotations = {}): KubeObject =>
  object(
    'v1',
    'PersistentVolumeClaim',
    { name, namespace: 'default', annotations },
    {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
    },
  );

t.test('claims get the newest default storage class', async t => {
  const { client, clock } = await guarded(t);
  const storageClass = (name: string, annotation: string) =>
    client.create(
      storageClasses,
      object(
        'storage.k8s.io/v1',
        'StorageClass',
        { name, annotations: { [annotation]: 'true' } },
        { provisioner: 'p' },
      ),
    );
  const nameOf = async (given: KubeObject): Promise<unknown> =>
    ((await client.create(claims, given, { dryRun: true })).spec as Record<string, unknown>)['storageClassName'];
  t.equal(await nameOf(claim('c')), undefined);
  await storageClass('plain', 'example.com/other');
  t.equal(await nameOf(claim('c')), undefined);
  await storageClass('old', 'storageclass.kubernetes.io/is-default-class');
  t.equal(await nameOf(claim('c')), 'old');
  clock.now += 5000;
  await storageClass('young', 'storageclass.beta.kubernetes.io/is-default-class');
  await storageClass('zyoung', 'storageclass.kubernetes.io/is-default-class');
  t.equal(await nameOf(claim('c')), 'young');
  t.equal(await nameOf(claim('c', { storageClassName: '' })), '');
  t.equal(await nameOf(claim('c', {}, { 'volume.beta.kubernetes.io/storage-class': 'mine' })), undefined);
});

t.test('ingresses get the default class', async t => {
  const { client } = await guarded(t);
  const ingress = (spec: object, annotations = {}): KubeObject =>
    object(
      'networking.k8s.io/v1',
      'Ingress',
      { name: 'i', namespace: 'default', annotations },
      {
        spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } }, ...spec },
      },
    );
  const nameOf = async (given: KubeObject): Promise<unknown> =>
    ((await client.create(ingresses, given, { dryRun: true })).spec as Record<string, unknown>)['ingressClassName'];
  t.equal(await nameOf(ingress({})), undefined);
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
  await client.create(
    ingressClasses,
    object('networking.k8s.io/v1', 'IngressClass', { name: 'usual', annotations }, { spec: { controller: 'e.com/c' } }),
  );
  t.equal(await nameOf(ingress({})), 'usual');
  t.equal(await nameOf(ingress({ ingressClassName: 'mine' })), 'mine');
  t.equal(await nameOf(ingress({}, { 'kubernetes.io/ingress.class': 'mine' })), undefined);
});

t.test('claims can grow if their class allows it', async t => {
  const { client } = await guarded(t);
  for (const name of ['growing', 'fixed'])
    await client.create(
      storageClasses,
      object(
        'storage.k8s.io/v1',
        'StorageClass',
        { name },
        {
          provisioner: 'p',
          allowVolumeExpansion: name === 'growing',
        },
      ),
    );
  const forbidden = (name: string, text: string): string =>
    `403 Forbidden: persistentvolumeclaims "${name}" is forbidden: ${text}`;
  const resize = (name: string, storage: string) =>
    refusal(
      client.patch(
        claims,
        { namespace: 'default', name },
        { type: 'merge', patch: { spec: { resources: { requests: { storage } } } } },
      ),
    );
  const bind = (name: string) =>
    client.patch(
      claims,
      { namespace: 'default', name },
      { type: 'merge', patch: { status: { phase: 'Bound', capacity: { storage: '1Gi' } } } },
      { subresource: 'status' },
    );
  await client.create(claims, claim('a', { storageClassName: 'growing', volumeName: 'v' }));
  await client.create(claims, claim('b', { storageClassName: 'fixed', volumeName: 'v' }));
  await bind('a');
  await bind('b');
  t.equal(await resize('a', '2Gi'), 'allowed');
  t.equal(
    await resize('b', '2Gi'),
    forbidden(
      'b',
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    ),
  );
});
