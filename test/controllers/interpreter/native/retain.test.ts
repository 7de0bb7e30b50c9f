/** What a member keeps when a template is applied again. as pkg/resourceinterpreter/default/native retain.go */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { retain } from '../../../../controllers/interpreter/native/retain.js';

const object = (kind: string, more: object): KubeObject => {
  const [, apiVersion = '', name = ''] = /^(.*)\/([^/]+)$/.exec(kind) ?? [];
  return { apiVersion, kind: name, metadata: { name: 'o', namespace: 'default' }, ...more };
};

/** Returns the applied object, and checks that the given ones are not changed. */
function retained(kind: string, desired: object, observed: object): KubeObject | undefined {
  const [wanted, present] = [object(kind, desired), object(kind, observed)];
  const before = structuredClone([wanted, present]);
  const result = retain[kind]?.(wanted, present);
  t.strictSame([wanted, present], before, 'the objects are shared');
  return result;
}

t.test('the replicas of a Deployment stay if its template says so', async t => {
  const labelled = { metadata: { name: 'o', labels: { 'resourcetemplate.karmada.io/retain-replicas': 'true' } } };
  const kind = 'apps/v1/Deployment';
  t.match(retained(kind, { spec: { replicas: 1 } }, { spec: { replicas: 5 } }), { spec: { replicas: 1 } });
  t.match(retained(kind, { ...labelled, spec: { replicas: 1 } }, { spec: { replicas: 5 } }), { spec: { replicas: 5 } });
  t.throws(() => retained(kind, { ...labelled, spec: { replicas: 1 } }, { spec: {} }), {
    message: 'failed to get spec.replicas from Deployment default/o',
  });
});

t.test('a Pod stays on its node, with the volumes that it has', async t => {
  const mounts = [{ name: 'token', mountPath: '/t' }];
  const own = [{ name: 'own', mountPath: '/o' }];
  const desired = {
    nodeName: 'elsewhere',
    containers: [
      { name: 'a', image: 'i', volumeMounts: own },
      { name: 'b', image: 'i', volumeMounts: own },
      { name: 'new', image: 'i', volumeMounts: own },
    ],
  };
  const observed = {
    nodeName: 'n',
    serviceAccountName: 'default',
    volumes: [{ name: 'token' }],
    containers: [{ name: 'a', volumeMounts: mounts }, { name: 'b' }],
  };
  const spec = retained('v1/Pod', { spec: desired }, { spec: observed })?.['spec'];
  t.match(spec, { nodeName: 'n', serviceAccountName: 'default', volumes: [{ name: 'token' }] });
  const { containers } = spec as { containers: { name: string; volumeMounts?: { name: string }[] }[] };
  t.strictSame(
    containers.map(({ name, volumeMounts }) => [name, volumeMounts?.map(mount => mount.name)]),
    [
      ['a', ['token']],
      ['b', undefined],
      ['new', ['own']],
    ],
  );
  const unscheduled = retained('v1/Pod', { spec: desired }, { spec: { containers: [] } });
  t.notOk(Object.hasOwn(unscheduled?.['spec'] as object, 'nodeName'), 'what the member does not have is left out');
});

t.test('what the member has allocated stays', async t => {
  const rows = [
    { kind: 'v1/Service', observed: { clusterIP: '10.0.0.1', healthCheckNodePort: 30_000 } },
    { kind: 'v1/PersistentVolumeClaim', observed: { volumeName: 'pv-1' } },
    { kind: 'v1/PersistentVolume', observed: { claimRef: { name: 'claim' } } },
    {
      kind: 'batch/v1/Job',
      observed: { selector: { matchLabels: { uid: '1' } }, template: { metadata: { labels: { uid: '1' } } } },
    },
  ];
  for (const { kind, observed } of rows) {
    t.match(retained(kind, { spec: {} }, { spec: observed }), { spec: observed }, kind);
    t.strictSame(retained(kind, { spec: { own: 1 } }, { spec: {} })?.['spec'], { own: 1 }, `${kind}: nothing to keep`);
  }
});

t.test('the Secrets of a ServiceAccount are those of both', async t => {
  const names = (...all: string[]) => all.map(name => ({ name }));
  const kind = 'v1/ServiceAccount';
  const result = retained(kind, { secrets: names('b', 'a') }, { secrets: names('a', 'member') });
  t.strictSame(result?.['secrets'], names('b', 'a', 'member'));
  t.equal(result?.['imagePullSecrets'], null);
});

t.test('the token of a Secret for one stays, other Secrets are those of the template', async t => {
  const [desired, observed] = [{ data: { a: 'YQ==' } }, { data: { token: 'dA==' } }];
  const type = 'kubernetes.io/service-account-token';
  t.strictSame(retained('v1/Secret', { ...desired, type }, observed)?.['data'], observed.data);
  t.strictSame(retained('v1/Secret', { ...desired, type }, {})?.['data'], desired.data);
  t.strictSame(retained('v1/Secret', { ...desired, type: 'Opaque' }, observed)?.['data'], desired.data);
});
