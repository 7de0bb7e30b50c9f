/** What a template depends on. as pkg/util/helper GetDependenciesFromPodTemplate and pkg/resourceinterpreter/default/native dependencies.go */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { dependencies, podDependencies } from '../../../../controllers/interpreter/native/dependencies.js';

const object = (kind: string, more: object): KubeObject => {
  const [, apiVersion = '', name = ''] = /^(.*)\/([^/]+)$/.exec(kind) ?? [];
  return { apiVersion, kind: name, metadata: { name: 'o', namespace: 'n' }, ...more };
};

/** Returns the dependencies in the form `KIND NAME`; those of another namespace fail. */
function dependenciesOf(kind: string, more: object): string[] {
  const found = dependencies[kind]?.(object(kind, more)) ?? [];
  return found.map(reference => {
    t.equal(reference.namespace, 'n', `${reference.kind} ${reference.name}`);
    return `${reference.kind} ${reference.name}`;
  });
}

t.test('each source of a volume refers to its Secret in its own way', async t => {
  const table: Record<string, object> = {
    azureFile: { secretName: 's' },
    cephfs: { secretRef: { name: 's' } },
    cinder: { secretRef: { name: 's' } },
    flexVolume: { secretRef: { name: 's' } },
    rbd: { secretRef: { name: 's' } },
    secret: { secretName: 's' },
    scaleIO: { secretRef: { name: 's' } },
    iscsi: { secretRef: { name: 's' } },
    storageos: { secretRef: { name: 's' } },
    csi: { nodePublishSecretRef: { name: 's' } },
    projected: { sources: [{ secret: { name: 's' } }, { serviceAccountToken: {} }] },
  };
  const expect = [{ apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' }];
  for (const [source, given] of Object.entries(table)) {
    t.same(podDependencies({ volumes: [{ name: 'v', [source]: given }] }, 'n'), expect, source);
    t.same(podDependencies({ volumes: [{ name: 'v', [source]: {} }] }, 'n'), [], `${source} without a Secret`);
  }
  t.same(podDependencies({ volumes: [{ name: 'v', emptyDir: {}, constructor: { secretName: 's' } }] }, 'n'), []);
});

t.test('a Pod depends on what its containers, volumes and account name, each once', async t => {
  const env = [
    { valueFrom: { configMapKeyRef: { name: 'key-map' } } },
    { valueFrom: { secretKeyRef: { name: 'key-secret' } } },
    { name: 'plain', value: 'x' },
  ];
  const spec = {
    initContainers: [{ envFrom: [{ configMapRef: { name: 'init-map' } }] }],
    containers: [{ env }, { env, envFrom: [{ secretRef: { name: 'all-secret' } }, { configMapRef: { name: '' } }] }],
    ephemeralContainers: [{ envFrom: [{ configMapRef: { name: 'debug-map' } }] }],
    imagePullSecrets: [{ name: 'pull' }, {}],
    serviceAccountName: 'robot',
    volumes: [
      { configMap: { name: 'volume-map' } },
      { projected: { sources: [{ configMap: { name: 'projected-map' } }] } },
      { persistentVolumeClaim: { claimName: 'data' } },
      { persistentVolumeClaim: { claimName: '' } },
    ],
  };
  const expect = [
    ...['init-map', 'debug-map', 'key-map', 'volume-map', 'projected-map'].map(name => `ConfigMap ${name}`),
    ...['pull', 'all-secret', 'key-secret'].map(name => `Secret ${name}`),
    ...['ServiceAccount robot', 'PersistentVolumeClaim data'],
  ];
  t.same(dependenciesOf('v1/Pod', { spec }).sort(), [...expect].sort());
  for (const kind of ['apps/v1/Deployment', 'apps/v1/ReplicaSet', 'apps/v1/DaemonSet', 'batch/v1/Job'])
    t.same(dependenciesOf(kind, { spec: { template: { spec } } }).sort(), [...expect].sort(), kind);
  const jobTemplate = { spec: { template: { spec } } };
  t.same(dependenciesOf('batch/v1/CronJob', { spec: { jobTemplate } }).sort(), [...expect].sort());
  for (const kind of Object.keys(dependencies).filter(key => !key.includes('ServiceImport')))
    t.same(dependenciesOf(kind, {}), [], `${kind} without a spec`);
});

t.test('the account `default` is in every namespace', async t => {
  t.same(podDependencies({ serviceAccountName: 'default' }, 'n'), []);
  t.same(podDependencies({ serviceAccountName: 'robot' }, undefined), [
    { apiVersion: 'v1', kind: 'ServiceAccount', name: 'robot' },
  ]);
});

t.test('the claims that a StatefulSet makes from its templates are no dependencies', async t => {
  const volumes = ['made', 'shared'].map(claimName => ({ persistentVolumeClaim: { claimName } }));
  const spec = { template: { spec: { serviceAccountName: 'made', volumes } } };
  const volumeClaimTemplates = [{ metadata: { name: 'made' } }];
  t.same(dependenciesOf('apps/v1/StatefulSet', { spec: { ...spec, volumeClaimTemplates } }), [
    'ServiceAccount made',
    'PersistentVolumeClaim shared',
  ]);
  t.equal(dependenciesOf('apps/v1/StatefulSet', { spec }).length, 3, 'without templates');
});

t.test('an Ingress depends on the Secrets of its certificates', async t => {
  const tls = [{ hosts: ['a'], secretName: 'a' }, { secretName: 'b' }];
  t.same(dependenciesOf('networking.k8s.io/v1/Ingress', { spec: { tls } }), ['Secret a', 'Secret b']);
  // As in Karmada, one without a Secret is a reference without a name, which is reported when it is resolved.
  t.same(
    dependencies['networking.k8s.io/v1/Ingress']?.(object('networking.k8s.io/v1/Ingress', { spec: { tls: [{}] } })),
    [{ apiVersion: 'v1', kind: 'Secret', namespace: 'n' }],
  );
});

t.test('a ServiceImport depends on its derived Service, and on the EndpointSlices of that', async t => {
  const kind = 'multicluster.x-k8s.io/v1alpha1/ServiceImport';
  t.same(dependencies[kind]?.(object(kind, {})), [
    { apiVersion: 'v1', kind: 'Service', namespace: 'n', name: 'derived-o' },
    {
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace: 'n' },
      labelSelector: { matchLabels: { 'kubernetes.io/service-name': 'derived-o' } },
    },
  ]);
});
