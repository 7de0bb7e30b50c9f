/** What a write of a claim adds to quotas, and when they refuse it. as apiserver/pkg/admission/plugin/resourcequota CheckRequest */
import t from 'tap';
import { charges } from '../../../../admission/plugins/quota/charge.js';
import { deviceClaims, volumeClaims } from '../../../../admission/plugins/quota/claims.js';
import type { Evaluator } from '../../../../admission/plugins/quota/evaluator.js';
import { quantityText } from '../../../../apimachinery/quantity/quantity.js';
import type { ResourceQuota } from '../../../../api/kubernetes/core.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { AdmissionRequest } from '../../../../registry/admission-plugin.js';
import { refusalOf } from '../../../registry/serve.js';
import { definitionOf } from '../../../kinds/kubernetes/fault-table.js';

const now = new Date('2026-01-01T00:00:00Z');
const claimOf = (storage?: string, more: object = {}, status: object = {}): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c', namespace: 'default' } },
  spec: { ...(storage !== undefined && { resources: { requests: { storage } } }), ...more },
  status,
});
const quotaOf = (
  name: string,
  hard: Record<string, string>,
  used?: Record<string, string>,
  spec = {},
): ResourceQuota => ({
  ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name, namespace: 'default' }, spec },
  status: { hard, ...(used && { used }) },
});
const requestOf = (object: KubeObject, old?: KubeObject, subresource = ''): AdmissionRequest =>
  ({
    ...{ operation: old ? 'UPDATE' : 'CREATE', subresource, name: 'c', namespace: 'default', object, old },
    definition: definitionOf('', 'PersistentVolumeClaim'),
  }) as unknown as AdmissionRequest;

/** Returns what quotas have used after a request, by their names. */
const after = (
  quotas: readonly ResourceQuota[],
  request: AdmissionRequest,
  evaluator: Evaluator = volumeClaims,
): unknown =>
  Object.fromEntries(
    charges(quotas, request, evaluator, now).map(({ quota, used }) => [quota.metadata.name ?? '', used]),
  );

t.test('a new claim is charged to every quota that limits what it uses', async t => {
  const request = requestOf(claimOf('1Gi'));
  const quotas = [
    quotaOf('storage', { 'requests.storage': '2Gi' }, { 'requests.storage': '1Gi' }),
    quotaOf('count', { persistentvolumeclaims: '5', pods: '1' }, { persistentvolumeclaims: '1', pods: '1' }),
    quotaOf('pods', { pods: '0' }, { pods: '0' }),
    quotaOf('new', {}),
  ];
  t.strictSame(after(quotas, request), {
    storage: { 'requests.storage': '2Gi' },
    count: { persistentvolumeclaims: '2', pods: '1' },
  });
});

t.test('a quota refuses what is above its limit, and says by how much', async t => {
  const request = requestOf(claimOf('1Gi'));
  const quota = (used: string): ResourceQuota =>
    quotaOf(
      'q',
      { 'requests.storage': '2Gi', persistentvolumeclaims: '9' },
      { 'requests.storage': used, persistentvolumeclaims: '1' },
    );
  t.strictSame(after([quota('1Gi')], request), { q: { 'requests.storage': '2Gi', persistentvolumeclaims: '2' } });
  t.equal(
    await refusalOf(() => after([quota('1025Mi')], request)),
    '403 Forbidden: persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: requests.storage=1Gi, used: requests.storage=1025Mi, limited: requests.storage=2Gi',
  );
  const both = quotaOf(
    'q',
    { 'requests.storage': '0', persistentvolumeclaims: '0' },
    { 'requests.storage': '0', persistentvolumeclaims: '0' },
  );
  t.match(
    await refusalOf(() => after([both], request)),
    'requested: persistentvolumeclaims=1,requests.storage=1Gi, used: persistentvolumeclaims=0,requests.storage=0,',
    'all that is exceeded, in one order',
  );
});

t.test('a quota whose usage is not known yet refuses', async t => {
  const request = requestOf(claimOf('1Gi'));
  const hard = { 'requests.storage': '2Gi', persistentvolumeclaims: '9', pods: '1' };
  t.equal(
    await refusalOf(() => after([quotaOf('q', hard, { persistentvolumeclaims: '0' })], request)),
    '403 Forbidden: persistentvolumeclaims "c" is forbidden: status unknown for quota: q, resources: persistentvolumeclaims,requests.storage',
  );
  t.match(await refusalOf(() => after([quotaOf('q', hard)], request)), 'status unknown for quota: q');
});

t.test('an update is charged with what it adds, and never takes back', async t => {
  const quota = quotaOf(
    'q',
    { 'requests.storage': '5Gi', persistentvolumeclaims: '1' },
    { 'requests.storage': '2Gi', persistentvolumeclaims: '1' },
  );
  t.strictSame(after([quota], requestOf(claimOf('3Gi'), claimOf('1Gi'))), {
    q: { 'requests.storage': '4Gi', persistentvolumeclaims: '1' },
  });
  t.strictSame(after([quota], requestOf(claimOf('1Gi'), claimOf('3Gi'))), {}, 'the controller releases it');
  t.strictSame(after([quota], requestOf(claimOf('1Gi'), claimOf('1Gi'))), {});
});

t.test('a write of the status is charged, and not refused', async t => {
  const quota = quotaOf('q', { 'requests.storage': '1Gi' }, { 'requests.storage': '1Gi' });
  const grown = claimOf('1Gi', {}, { allocatedResources: { storage: '3Gi' } });
  t.strictSame(after([quota], requestOf(grown, claimOf('1Gi'), 'status')), { q: { 'requests.storage': '3Gi' } });
});

t.test('a claim that enters the scope of a quota is charged as a new one', async t => {
  const scopeSelector = {
    matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] }],
  };
  const quota = quotaOf('gold', { persistentvolumeclaims: '3' }, { persistentvolumeclaims: '1' }, { scopeSelector });
  const [silver, gold] = ['silver', 'gold'].map(volumeAttributesClassName =>
    claimOf('1Gi', { volumeAttributesClassName }),
  );
  if (!silver || !gold) throw new Error('not reached');
  t.strictSame(after([quota], requestOf(silver)), {}, 'it is in no scope of the quota');
  t.strictSame(after([quota], requestOf(gold, silver)), { gold: { persistentvolumeclaims: '2' } });
  t.strictSame(after([quota], requestOf(gold, gold)), {});
  const target = claimOf('1Gi', {}, { modifyVolumeStatus: { targetVolumeAttributesClassName: 'gold' } });
  t.strictSame(after([quota], requestOf(target)), { gold: { persistentvolumeclaims: '2' } }, 'the class that it gets');
  t.strictSame(
    after([quotaOf('q', { persistentvolumeclaims: '1' }, {}, { scopes: ['Terminating'] })], requestOf(gold)),
    {},
  );
});

/** Returns the usage of an object as texts. */
const usageOf = (evaluator: Evaluator, object: KubeObject): unknown =>
  Object.fromEntries([...evaluator.usage(object, now)].map(([name, amount]) => [name, quantityText(amount)]));

t.test('a claim of a class counts for the class, too, with whole bytes', async t => {
  const counts = { persistentvolumeclaims: '1', 'count/persistentvolumeclaims': '1' };
  t.strictSame(usageOf(volumeClaims, claimOf()), counts);
  t.strictSame(usageOf(volumeClaims, claimOf('1500m')), { ...counts, 'requests.storage': '2' });
  t.strictSame(usageOf(volumeClaims, claimOf('1Gi', { storageClassName: 'fast' })), {
    ...{ ...counts, 'requests.storage': '1Gi' },
    ...{ 'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1' },
    ...{ 'fast.storageclass.storage.k8s.io/requests.storage': '1Gi' },
  });
  for (const [allocated, expected] of [
    ['3Gi', '3Gi'],
    ['1Gi', '2Gi'],
  ] as const)
    t.match(usageOf(volumeClaims, claimOf('2Gi', {}, { allocatedResources: { storage: allocated } })), {
      'requests.storage': expected,
    });
});

t.test('a write of the status of a claim is looked at if its storage or class has changed', async t => {
  const handles = (object: KubeObject, old: KubeObject): boolean =>
    volumeClaims.handles(requestOf(object, old, 'status'));
  const allocated = claimOf('1Gi', {}, { allocatedResources: { storage: '2Gi' } });
  const classed = claimOf('1Gi', {}, { currentVolumeAttributesClassName: 'gold' });
  t.equal(handles(claimOf('1Gi'), claimOf('1Gi')), false);
  t.equal(handles(allocated, claimOf('1Gi')), true);
  t.equal(handles(classed, claimOf('1Gi')), true);
  t.equal(handles(classed, classed), false);
  t.equal(volumeClaims.handles(requestOf(claimOf())), true);
  t.equal(volumeClaims.handles({ ...requestOf(claimOf()), operation: 'DELETE' }), false);
});

t.test('devices are counted by their class, the alternative with the most', async t => {
  const claim = (...requests: readonly object[]): KubeObject => ({
    ...{ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'c' } },
    spec: { devices: { requests } },
  });
  const gpus = 'gpu.deviceclass.resource.k8s.io/devices';
  const exact = (count: number, deviceClassName = 'gpu') => ({ deviceClassName, allocationMode: 'ExactCount', count });
  const count = { 'count/resourceclaims.resource.k8s.io': '1' };
  t.strictSame(usageOf(deviceClaims, claim()), count);
  t.strictSame(usageOf(deviceClaims, claim({ exactly: exact(2) }, { exactly: exact(3) })), { ...count, [gpus]: '5' });
  t.strictSame(usageOf(deviceClaims, claim({ exactly: { deviceClassName: 'gpu', allocationMode: 'All' } })), {
    ...{ ...count, [gpus]: '32' },
  });
  t.strictSame(usageOf(deviceClaims, claim({ firstAvailable: [exact(2), exact(1), exact(4, 'nic')] })), {
    ...{ ...count, [gpus]: '2', 'nic.deviceclass.resource.k8s.io/devices': '4' },
  });
  t.equal(deviceClaims.counts(gpus), true);
  t.equal(deviceClaims.counts('devices'), false);
});
