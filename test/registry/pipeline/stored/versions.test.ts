/** Conversion between the version of a request and that of the store. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import {
  requestedApiVersion,
  requestsStorageVersion,
  storageApiVersion,
} from '../../../../registry/pipeline/stored/api-versions.js';
import {
  allToRequestedVersion,
  inVersion,
  storageRoundTrip,
  toInternalVersion,
  toRequestedVersion,
  toStorageVersion,
} from '../../../../registry/pipeline/stored/versions.js';
import { configMap, configmaps } from '../../serve.js';
import { openDeps } from '../deps.js';

const autoscalers = { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers' };
const events = { group: 'events.k8s.io', version: 'v1', resource: 'events' };

const autoscaler = (apiVersion: string, spec: object): KubeObject => ({
  ...{ apiVersion, kind: 'HorizontalPodAutoscaler', metadata: { name: 'h', namespace: 'default' } },
  spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' }, ...spec },
});
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } };

t.test('a kind with one form has no conversion', async t => {
  const call = (await openDeps(t)).scope(configmaps);
  const object = configMap('a');
  t.equal(inVersion(call, object), object);
  t.equal(toInternalVersion(call, object), object);
  t.same(await toStorageVersion(call, object), { draft: object, incomplete: false });
  t.equal(await storageRoundTrip(call, object), object);
  t.match(await toRequestedVersion(call, object), object);
  t.equal(allToRequestedVersion(call, [{ object }, { object }]), undefined, 'nothing is converted together');
  t.equal(storageApiVersion(call.definition), 'v1');
  t.equal(requestsStorageVersion(call.definition, call.version), true);
});

t.test('an autoscaler of v1 is stored as v2, and read in the version that is asked for', async t => {
  const { scope } = await openDeps(t);
  const [v1, v2] = [scope(autoscalers), scope({ ...autoscalers, version: 'v2' })];
  t.equal(requestedApiVersion(v1), 'autoscaling/v1');
  t.equal(storageApiVersion(v1.definition), 'autoscaling/v2');
  t.equal(requestsStorageVersion(v1.definition, v1.version), false);
  t.equal(requestsStorageVersion(v2.definition, v2.version), true);

  const draft = autoscaler('autoscaling/v1', { targetCPUUtilizationPercentage: 60 });
  const { draft: stored } = await toStorageVersion(v2, await toInternalVersion(v1, structuredClone(draft)));
  t.match(stored, { apiVersion: 'autoscaling/v2', spec: { maxReplicas: 2, metrics: [cpu] } });
  t.notOk('targetCPUUtilizationPercentage' in (stored['spec'] as object));
  t.match(await toRequestedVersion(v1, stored), { ...draft, apiVersion: 'autoscaling/v1' });
  t.equal(await inVersion(v2, stored), stored, 'it has the version already');
  t.match(await inVersion(v1, stored), { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 60 } });
});

t.test('an Event of events.k8s.io is stored in the core group', async t => {
  const { scope } = await openDeps(t);
  const call = scope(events);
  t.equal(requestedApiVersion(call), 'events.k8s.io/v1');
  const stored = storageApiVersion(call.definition);
  const event = { apiVersion: stored, kind: 'Event', metadata: { name: 'e', namespace: 'default' } };
  const requested = await toRequestedVersion(call, { ...event, message: 'text', involvedObject: { name: 'o' } });
  t.match(requested, { apiVersion: 'events.k8s.io/v1', note: 'text', regarding: { name: 'o' } });
});
