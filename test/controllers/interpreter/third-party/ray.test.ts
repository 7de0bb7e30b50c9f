import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { thirdPartyInterpreter as interpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { objectsOf, itemsOf, templateWith } from './objects.js';

const rayCluster = objectsOf('ray.io/v1', 'RayCluster');
const rayJob = objectsOf('ray.io/v1', 'RayJob');
const rayService = objectsOf('ray.io/v1', 'RayService');

const cluster = (head: JsonObject, ...workerGroupSpecs: unknown[]): JsonObject => ({
  headGroupSpec: { template: head },
  workerGroupSpecs,
});

t.test('the head and each group of workers are components', async t => {
  const spec = cluster(templateWith('1'), { groupName: 'small', replicas: 3 }, { template: templateWith('2') });
  const components = [
    { name: 'ray-head', replicas: 1, replicaRequirements: { resourceRequest: { cpu: '1' } } },
    { name: 'small', replicas: 3 },
    { name: 'worker-2', replicas: 0, replicaRequirements: { resourceRequest: { cpu: '2' } } },
  ];
  t.strictSame(await interpreter.components(rayCluster({ spec })), components);
  t.strictSame(await interpreter.components(rayJob({ spec: { rayClusterSpec: spec } })), components);
  t.strictSame(await interpreter.components(rayJob({})), []);
  const wrong = cluster({}, { replicas: '3' });
  await t.rejects(async () => interpreter.components(rayCluster({ spec: wrong })), /Component.replicas/);
});

t.test('a RayCluster sums its workers and resources', async t => {
  const reports = itemsOf(
    { readyWorkerReplicas: 1, desiredCPU: '1500m', desiredGPU: '1', state: 'ready', lastUpdateTime: '2025-01-02' },
    {
      readyWorkerReplicas: 2,
      desiredCPU: '500m',
      desiredMemory: '1Gi',
      head: { podIP: 'ip' },
      lastUpdateTime: '2025-01-01',
    },
  );
  const object = rayCluster({ spec: {}, status: { other: 1, endpoints: {} } });
  const aggregated = await interpreter.aggregateStatus(object, reports);
  t.notOk('spec' in aggregated && aggregated['spec'] !== undefined, 'as in Karmada, the spec is left out');
  t.strictSame(aggregated['status'], {
    ...{ other: 1, readyWorkerReplicas: 3, availableWorkerReplicas: 0, desiredWorkerReplicas: 0 },
    ...{ maxWorkerReplicas: 0, minWorkerReplicas: 0, desiredCPU: '2', desiredMemory: '1Gi' },
    ...{ desiredGPU: '1', desiredTPU: '0', lastUpdateTime: '2025-01-02', head: { podIP: 'ip' }, state: 'ready' },
  });
  const wrong = itemsOf({ desiredCPU: 'x' }, {});
  t.throws(() => interpreter.aggregateStatus(object, wrong), /status.desiredCPU: quantities must match/);
});

t.test('the worst status of a RayJob is its status', async t => {
  const reports = itemsOf(
    { jobDeploymentStatus: 'Running', jobStatus: 'RUNNING', reason: 'a', message: 'b' },
    { jobDeploymentStatus: 'Failed', jobStatus: 'FAILED', reason: 'c' },
    { jobDeploymentStatus: 'constructor', jobStatus: '' },
  );
  const { status } = await interpreter.aggregateStatus(rayJob({ status: { message: 'old' } }), reports);
  t.strictSame(status, { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed', reason: 'c' });
});

t.test('the dependencies of a RayJob are those of all its pods', async t => {
  const pod = (secretName: string): JsonObject => ({ spec: { volumes: [{ secret: { secretName } }] } });
  const env = [{ valueFrom: { configMapKeyRef: { name: 'env' } } }];
  const initContainers = [{ env, envFrom: [{ secretRef: { name: 'from' } }] }];
  const spec = {
    rayClusterSpec: cluster(pod('head'), { template: pod('worker') }, {}),
    submitterPodTemplate: { spec: { serviceAccountName: 'submitter', initContainers } },
  };
  const found = await interpreter.dependencies(rayJob({ spec }));
  t.strictSame(
    found.map(({ kind, name }) => `${kind} ${name}`),
    ['ConfigMap env', 'Secret from', 'Secret head', 'Secret worker', 'ServiceAccount submitter'],
  );
  const wrong = cluster({ spec: { containers: 'none' } });
  t.throws(() => interpreter.dependencies(rayService({ spec: { rayClusterConfig: wrong } })), /containers/);
});

t.test('a RayService requires the largest resources of the head and the workers', async t => {
  const rayClusterConfig = cluster(
    templateWith('1', { nodeSelector: { zone: 'a' } }),
    { replicas: 2, template: templateWith('1500m', { nodeSelector: { zone: 'b' } }) },
    { replicas: 1 },
  );
  t.strictSame(await interpreter.replicas(rayService({ spec: { rayClusterConfig } })), {
    replicas: 4,
    requirements: { nodeClaim: { nodeSelector: { zone: 'a' } }, resourceRequest: { cpu: '1500m' } },
  });
  t.strictSame(await interpreter.replicas(rayService({})), { replicas: 0, requirements: undefined });
});

t.test('revised replicas are distributed over the groups of workers', async t => {
  const revised = async (count: number, ...replicas: (number | undefined)[]): Promise<unknown> => {
    const rayClusterConfig = cluster({}, ...replicas.map(of => ({ replicas: of })));
    const { spec } = await interpreter.reviseReplica(rayService({ spec: { rayClusterConfig } }), count);
    const { workerGroupSpecs } = (spec as { rayClusterConfig: { workerGroupSpecs: JsonObject[] } }).rayClusterConfig;
    return workerGroupSpecs.map(group => group['replicas']);
  };
  t.strictSame(await revised(6, 9), [5], 'one group gets all workers');
  t.strictSame(await revised(11, 1, 3), [3, 7], 'in proportion; the last group gets the rest');
  t.strictSame(await revised(6, 0, undefined, 0), [2, 2, 1], 'evenly if there were none');
  t.strictSame(await revised(0, 1, 3), [0, 0]);
  const without = rayService({ spec: { rayClusterConfig: cluster({}) } });
  t.equal(await interpreter.reviseReplica(without, 3), without);
});

t.test('an application of a RayService is as bad as in the worst cluster', async t => {
  const active = (applicationStatuses: JsonObject): JsonObject => ({ rayClusterName: 'r', applicationStatuses });
  const reports = itemsOf(
    { activeServiceStatus: active({ a: { status: 'RUNNING' } }), numServeEndpoints: 1, serviceStatus: 'Running' },
    { activeServiceStatus: active({ a: { status: 'UNHEALTHY' }, b: {} }), numServeEndpoints: 2, serviceStatus: '' },
  );
  const { status } = await interpreter.aggregateStatus(rayService({}), reports);
  t.strictSame(status, {
    ...{ numServeEndpoints: 3, observedGeneration: 0, serviceStatus: '' },
    activeServiceStatus: { rayClusterName: 'r', applicationStatuses: { a: { status: 'UNHEALTHY' } } },
  });
});

t.test('health is that of the conditions and states', async t => {
  const conditions = (...types: string[]): JsonObject => ({
    conditions: types.map(type => ({ type, status: 'True' })),
  });
  for (const [of, status, health] of [
    [rayCluster, undefined, 'Unhealthy'],
    [rayCluster, conditions('HeadPodReady', 'RayClusterProvisioned'), 'Healthy'],
    [rayCluster, conditions('HeadPodReady', 'RayClusterProvisioned', 'RayClusterReplicaFailure'), 'Unhealthy'],
    [rayService, conditions('Ready'), 'Healthy'],
    [rayService, conditions('Other'), 'Unhealthy'],
    [rayJob, { jobDeploymentStatus: 'Running' }, 'Healthy'],
    [rayJob, { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' }, 'Healthy'],
    [rayJob, { jobDeploymentStatus: 'Complete', jobStatus: 'FAILED' }, 'Unhealthy'],
    [rayJob, { jobDeploymentStatus: 'Waiting' }, 'Unhealthy'],
  ] as const)
    t.equal(await interpreter.health(of({ status })), health, JSON.stringify(status));
});
