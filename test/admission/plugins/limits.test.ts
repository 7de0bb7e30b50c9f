import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { pod, pods, refusal } from '../../registry/serve.js';
import { guarded, object, resource } from './guarded.js';

const limitRanges = resource('limitranges');
const claims = resource('persistentvolumeclaims');

const range = (...limits: object[]): KubeObject => object('v1', 'LimitRange', 'l', { spec: { limits } });
const container = (resources: object, name = 'c'): object => ({ name, image: 'i', resources });
const claim = (storage: string): KubeObject =>
  object('v1', 'PersistentVolumeClaim', 'c', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });

t.test('containers get default requests and limits', async t => {
  const { client } = await guarded(t);
  await client.create(
    limitRanges,
    range({ type: 'Container', default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '100m' } }),
  );
  const { metadata, spec } = await client.create(
    pods,
    pod('p', {
      containers: [container({ limits: { cpu: '3' } })],
      initContainers: [container({ requests: { cpu: '1' }, limits: { cpu: '1', memory: '1' } }, 'i')],
    }),
  );
  t.match(spec, {
    containers: [{ resources: { limits: { cpu: '3', memory: '1Gi' }, requests: { cpu: '3', memory: '1Gi' } } }],
    initContainers: [{ resources: { limits: { cpu: '1', memory: '1' }, requests: { cpu: '1', memory: '1' } } }],
  });
  t.equal(
    metadata.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: memory request for container c; memory limit for container c',
  );
  const full = { requests: { cpu: '1', memory: '1' }, limits: { cpu: '1', memory: '1' } };
  const untouched = await client.create(pods, pod('q', { containers: [container(full)] }));
  t.equal(untouched.metadata.annotations, undefined);
});

t.test('requests and limits are bounded', async t => {
  const per = (type: string, more: object): object => ({ type, ...more });
  const pair = [container({ limits: { cpu: '2' } }, 'a'), container({ limits: { cpu: '2' } }, 'b')];
  const cases: readonly { name: string; limit: object; given: KubeObject; expect: string }[] = [
    {
      name: 'a minimum',
      limit: per('Container', { min: { cpu: '1' } }),
      given: pod('p', { containers: [container({ requests: { cpu: '500m' }, limits: { cpu: '600m' } })] }),
      expect: 'minimum cpu usage per Container is 1, but request is 500m',
    },
    {
      name: 'a minimum without a request or limit',
      limit: per('Container', { min: { memory: '1Mi' }, defaultRequest: {} }),
      given: pod('p', { containers: [container({})], resources: {} }),
      expect: 'allowed',
    },
    {
      name: 'a maximum',
      limit: per('Container', { max: { memory: '1Gi' } }),
      given: pod('p', { containers: [container({ limits: { memory: '2Gi' } })] }),
      expect: 'maximum memory usage per Container is 1Gi, but limit is 2Gi',
    },
    {
      name: 'init containers, each separately',
      limit: per('Container', { max: { cpu: '1' } }),
      given: pod('p', {
        containers: [container({ limits: { cpu: '1' } })],
        initContainers: [container({ limits: { cpu: '3' } }, 'i')],
      }),
      expect: 'maximum cpu usage per Container is 1, but limit is 3',
    },
    {
      name: 'the sum of the containers of a pod',
      limit: per('Pod', { max: { cpu: '3' } }),
      given: pod('p', { containers: pair }),
      expect: 'maximum cpu usage per Pod is 3, but limit is 4',
    },
    {
      name: 'a pod without resources',
      limit: per('Pod', { min: { cpu: '3' }, max: { cpu: '3' } }),
      given: pod('p'),
      expect:
        '[minimum cpu usage per Pod is 3.  No request is specified, maximum cpu usage per Pod is 3.  No limit is specified]',
    },
    {
      name: 'resources of the pod itself',
      limit: per('Pod', { max: { cpu: '3' } }),
      given: pod('p', { containers: [container({})], resources: { limits: { cpu: '5' } } }),
      expect: 'maximum cpu usage per Pod is 3, but limit is 5',
    },
    {
      name: 'a ratio',
      limit: per('Container', { maxLimitRequestRatio: { cpu: '2' } }),
      given: pod('p', { containers: [container({ requests: { cpu: '300m' }, limits: { cpu: '1' } })] }),
      expect: 'cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333',
    },
    {
      name: 'a ratio with a request of 0',
      limit: per('Container', { maxLimitRequestRatio: { cpu: '2' } }),
      given: pod('p', { containers: [container({ requests: { cpu: '0' }, limits: { cpu: '1' } })] }),
      expect: 'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    },
    {
      name: 'a claim that is too small',
      limit: per('PersistentVolumeClaim', { min: { storage: '2Gi' } }),
      given: claim('1Gi'),
      expect: 'minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi',
    },
    {
      name: 'a claim that is too large',
      limit: per('PersistentVolumeClaim', { max: { storage: '2Gi' } }),
      given: claim('3Gi'),
      expect: 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
    },
    {
      name: 'limits of pods do not apply to claims',
      limit: per('Pod', { max: { cpu: '1' } }),
      given: claim('3Gi'),
      expect: 'allowed',
    },
  ];
  const { client } = await guarded(t);
  for (const { name, limit, given, expect } of cases) {
    await client.create(limitRanges, range(limit));
    const [kind, what] =
      given.kind === 'Pod' ? ([pods, 'pods "p"'] as const) : ([claims, 'persistentvolumeclaims "c"'] as const);
    const got = await refusal(client.create(kind, given, { dryRun: true }));
    t.equal(got, expect === 'allowed' ? expect : `403 Forbidden: ${what} is forbidden: ${expect}`, name);
    await client.delete(limitRanges, { namespace: 'default', name: 'l' });
  }
});
