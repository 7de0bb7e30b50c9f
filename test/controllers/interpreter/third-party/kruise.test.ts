/** The interpreter of OpenKruise's kinds. */
import t from 'tap';
import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { thirdPartyInterpreter as interpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { itemsOf, objectOf, observed } from './objects.js';

const group = 'apps.kruise.io/v1alpha1';
const cloneSet = `${group}/CloneSet`;
const broadcastJob = `${group}/BroadcastJob`;

const podTemplate: JsonObject = {
  spec: {
    containers: [{ name: 'c', resources: { requests: { cpu: '0.5' } }, envFrom: [{ secretRef: { name: 's' } }] }],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
};
const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' };

const statusOf = async (object: KubeObject, ...statuses: (JsonObject | undefined)[]): Promise<unknown> =>
  (await interpreter.aggregateStatus(object, itemsOf(...statuses)))['status'];

t.test('replicas and requirements of a pod template', async t => {
  const object = objectOf(cloneSet, { spec: { replicas: 4, template: podTemplate } });
  t.strictSame(await interpreter.replicas(object), {
    replicas: 4,
    requirements: { resourceRequest: { cpu: '500m' } },
  });
  t.strictSame((await interpreter.reviseReplica(object, 2))['spec'], { replicas: 2, template: podTemplate });
  const job = objectOf(broadcastJob, { spec: { template: { spec: {} } } });
  t.strictSame(await interpreter.replicas(job), { replicas: 1, requirements: undefined });
  t.strictSame((await interpreter.reviseReplica(job, 6))['spec'], { template: { spec: {} }, parallelism: 6 });
});

t.test('specs that no workload has', async t => {
  const rows: readonly (readonly [spec: unknown, message: string])[] = [
    [undefined, 'spec is missing, not an object with replicas'],
    [5, 'spec is a number, not an object with replicas'],
    [{ template: podTemplate }, 'the number of replicas is missing, not a number'],
    [{ template: podTemplate, replicas: 2 ** 31 }, 'the number of replicas 2147483648 is out of the range of int32'],
    [{ replicas: 1 }, 'the pod template is missing, not an object'],
    [
      { replicas: 1, template: { spec: { containers: 'c' } } },
      'the pod template cannot be read: json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
  ];
  for (const [spec, message] of rows)
    t.throws(() => interpreter.replicas(objectOf(cloneSet, { spec })), { name: 'ExpectedError', message });
  t.throws(() => interpreter.reviseReplica(objectOf(cloneSet), 2), { message: 'spec is missing, not an object' });
  const emptyLists = { replicas: 1, template: { metadata: [], spec: { nodeSelector: [], containers: {} } } };
  t.strictSame(
    await interpreter.replicas(objectOf(cloneSet, { spec: emptyLists })),
    { replicas: 1, requirements: undefined },
    'an empty list may stand for an empty object',
  );
});

t.test('dependencies', async t => {
  const dependencies = (kind: string, spec: JsonObject) => interpreter.dependencies(objectOf(kind, { spec }));
  t.strictSame(await dependencies(cloneSet, { template: podTemplate }), [secret]);
  const without = { template: { spec: {} } };
  t.throws(() => dependencies(cloneSet, without), { message: 'the pod template has no dependencies' });
  t.strictSame(await dependencies(`${group}/DaemonSet`, without), [], 'a DaemonSet may have none');

  const advanced = `${group}/AdvancedCronJob`;
  const template = { spec: { template: podTemplate } };
  t.strictSame(await dependencies(advanced, { template: { jobTemplate: template } }), [secret]);
  t.strictSame(await dependencies(advanced, { template: { broadcastJobTemplate: template } }), [secret]);
  t.throws(() => dependencies(advanced, { template: {} }), { message: 'the pod template has no dependencies' });

  const sidecars = {
    containers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'b' } } }], envFrom: [{ secretRef: { name: 's' } }] }],
    volumes: [{ configMap: { name: 'a' } }, { projected: { sources: [{ configMap: { name: 'b' } }] } }],
  };
  t.strictSame(
    await dependencies(`${group}/SidecarSet`, sidecars),
    [{ ...secret, kind: 'ConfigMap', name: 'a' }, { ...secret, kind: 'ConfigMap', name: 'b' }, secret],
    'sorted, each once',
  );
  t.throws(() => dependencies(`${group}/SidecarSet`, { volumes: [{ secret: {} }] }), {
    message: 'a reference to a Secret has no name',
  });
});

t.test('a status is the sum of the clusters', async t => {
  const object = objectOf(cloneSet, { status: { replicas: 9, observedGeneration: 2, collisionCount: 1, empty: {} } });
  const [one, two] = [
    { ...observed, replicas: 1, readyReplicas: 1, updateRevision: 'r1' },
    { ...observed, replicas: 2, updateRevision: '' },
  ];
  const summed = {
    ...{ replicas: 3, readyReplicas: 1, updatedReplicas: 0, availableReplicas: 0, updatedReadyReplicas: 0 },
    ...{ expectedUpdatedReplicas: 0, updateRevision: 'r1', currentRevision: '', labelSelector: '', collisionCount: 1 },
  };
  t.strictSame(await statusOf(object, one, two), { ...summed, observedGeneration: 3 });
  t.strictSame(await statusOf(object, one, two, undefined), { ...summed, observedGeneration: 2 }, 'one is behind');
  await t.rejects(statusOf(object, { replicas: [] }), { message: 'status.replicas is a list, not a number' });
  await t.rejects(statusOf(objectOf(cloneSet, { status: 'x' }), one), { message: 'status is a string, not an object' });
});

t.test('a UnitedDeployment has the last condition of each type', async t => {
  const object = objectOf(`${group}/UnitedDeployment`, { status: { conditions: [{ type: 'Old' }] } });
  const condition = (type: string, status: string): JsonObject => ({ type, status });
  const reports = [[condition('A', 'True'), condition('B', 'True')], [condition('A', 'False')]];
  t.match(await statusOf(object, ...reports.map(conditions => ({ conditions }))), {
    conditions: [condition('A', 'False'), condition('B', 'True')],
  });
  t.match(await statusOf(object, {}), { conditions: [{ type: 'Old' }] });
});

t.test('the end of a BroadcastJob', async t => {
  const ended = (type: string): JsonObject => ({ conditions: [{ type, status: 'True' }] });
  const conditions = async (...statuses: (JsonObject | undefined)[]): Promise<unknown> =>
    ((await statusOf(objectOf(broadcastJob), ...statuses)) as JsonObject)['conditions'];
  const completed = { type: 'Completed', status: 'True', reason: 'Completed', message: 'Job completed' };
  const failed = { type: 'Failed', status: 'True', reason: 'JobFailed' };
  t.strictSame(await conditions(ended('Complete'), ended('Complete')), [completed]);
  t.strictSame(await conditions(undefined, ended('Complete')), undefined, 'one runs');
  const message = 'Job executed failed in member clusters: m1, m3';
  t.strictSame(await conditions(ended('Failed'), ended('Complete'), ended('Failed')), [{ ...failed, message }]);
  t.strictSame(await conditions(ended('Complete'), {}), [completed], 'as in Karmada, the second counts like the first');
});

t.test('a collected status names its generations', async t => {
  const annotations = { 'resourcetemplate.karmada.io/generation': '12' };
  const status = { replicas: 1, labelSelector: 'a=b', conditions: [{ type: 'X' }], observedGeneration: 7 };
  const object = objectOf(cloneSet, { status });
  object.metadata.annotations = annotations;
  t.strictSame(await interpreter.reflectStatus(object), {
    ...{ replicas: 1, observedGeneration: 7, labelSelector: 'a=b' },
    ...{ generation: 3, resourceTemplateGeneration: 12 },
  });
  object.metadata.annotations = { 'resourcetemplate.karmada.io/generation': 'x' };
  t.notOk('resourceTemplateGeneration' in ((await interpreter.reflectStatus(object)) ?? {}));
  t.strictSame(await interpreter.reflectStatus(objectOf(cloneSet)), {});
});

t.test('health', async t => {
  const rows: readonly (readonly [kind: string, spec: unknown, status: JsonObject, health: string])[] = [
    [cloneSet, { replicas: 2 }, { observedGeneration: 3, updatedReplicas: 2, availableReplicas: 2 }, 'Healthy'],
    [cloneSet, { replicas: 2 }, { observedGeneration: 2, updatedReplicas: 2, availableReplicas: 2 }, 'Unhealthy'],
    [cloneSet, { replicas: 3 }, { observedGeneration: 3, updatedReplicas: 2, availableReplicas: 2 }, 'Unhealthy'],
    [cloneSet, {}, { observedGeneration: 3, updatedReplicas: 2, availableReplicas: 1 }, 'Unhealthy'],
    [`${group}/UnitedDeployment`, undefined, { observedGeneration: 3 }, 'Unhealthy'],
    [broadcastJob, {}, { desired: 1, failed: 0, active: 1, succeeded: 0 }, 'Healthy'],
    [broadcastJob, {}, { desired: 1, failed: 1, active: 1, succeeded: 0 }, 'Unhealthy'],
    [broadcastJob, {}, { desired: 1, failed: 0, active: 0, succeeded: 0 }, 'Unhealthy'],
    [`${group}/SidecarSet`, {}, {}, 'Healthy'],
    [`${group}/SidecarSet`, {}, { matchedPods: 2, updatedPods: 1 }, 'Unhealthy'],
  ];
  for (const [kind, spec, status, health] of rows)
    t.equal(await interpreter.health(objectOf(kind, { spec, status })), health, `${kind} ${JSON.stringify(status)}`);
  t.throws(() => interpreter.health(objectOf(cloneSet, { spec: {}, status: { observedGeneration: 3 } })), {
    message: 'status.availableReplicas cannot be compared: one is missing, the other missing',
  });
});

t.test('pods of a BroadcastJob keep the labels of the member', async t => {
  const job = (labels?: JsonObject) => objectOf(broadcastJob, { spec: { template: { metadata: { labels } } } });
  const retained = await interpreter.retain(job({ a: '1' }), job({ b: '2' }));
  t.strictSame(retained['spec'], { template: { metadata: { labels: { b: '2' } } } });
  t.strictSame(await interpreter.retain(job({ a: '1' }), job()), job({ a: '1' }));
});
