import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { thirdPartyInterpreter as interpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { objectsOf, itemsOf } from './objects.js';

const deployment = objectsOf('flink.apache.org/v1beta1', 'FlinkDeployment');

const resource = (cpu: unknown, memory: unknown): JsonObject => ({ resource: { cpu, memory } });

t.test('the task managers are those that the slots for the parallelism need', async t => {
  const slots = { flinkConfiguration: { 'taskmanager.numberOfTaskSlots': '2' } };
  for (const [spec, replicas] of [
    [undefined, 2],
    [{ jobManager: { replicas: 2 }, taskManager: { replicas: '3' } }, 5],
    [{ job: { parallelism: 5 }, ...slots }, 4],
    [{ job: { parallelism: 5 } }, 2],
    [{ job: { parallelism: 5 }, flinkConfiguration: { 'taskmanager.numberOfTaskSlots': 0 } }, 2],
  ] as const)
    t.equal((await interpreter.replicas(deployment({ spec }))).replicas, replicas, JSON.stringify(spec));
});

t.test('as one workload, a replica requires the larger resources of both roles', async t => {
  const spec = {
    jobManager: resource(0.5, '1Gi'),
    taskManager: resource('2', '512Mi'),
    podTemplate: { spec: { nodeSelector: { zone: 'a' }, tolerations: [], priorityClassName: 'high' } },
  };
  t.strictSame((await interpreter.replicas(deployment({ spec }))).requirements, {
    nodeClaim: { nodeSelector: { zone: 'a' } },
    resourceRequest: { cpu: '2', memory: '1Gi' },
    namespace: 'n',
    priorityClassName: 'high',
  });
  const wrong = { jobManager: resource(1, 'much'), taskManager: resource(1, '1Gi') };
  t.throws(() => interpreter.replicas(deployment({ spec: wrong })), /the memory of jobManager: quantities must match/);
});

t.test('both roles are components with their own requirements', async t => {
  const spec = { jobManager: resource(1, '2048m'), taskManager: { replicas: 2, ...resource(4, '1Gi') } };
  t.strictSame(await interpreter.components(deployment({ spec })), [
    { name: 'jobmanager', replicas: 1, replicaRequirements: { resourceRequest: { cpu: '1', memory: '2.048' } } },
    { name: 'taskmanager', replicas: 2, replicaRequirements: { resourceRequest: { cpu: '4', memory: '1073741824' } } },
  ]);
  t.strictSame(await interpreter.components(deployment({})), [
    { name: 'jobmanager', replicas: 1, replicaRequirements: {} },
    { name: 'taskmanager', replicas: 1, replicaRequirements: {} },
  ]);
  const wrong = { jobManager: resource(1, 2048) };
  await t.rejects(
    async () => interpreter.components(deployment({ spec: wrong })),
    /the memory of jobManager is not the text/,
  );
});

t.test('the status is that of the last cluster that reports one', async t => {
  const reports = itemsOf({ error: 'x', lifecycleState: 'STABLE' }, { lifecycleState: 'FAILED' }, undefined);
  const status = { error: 'before', other: 1 };
  const { status: after } = await interpreter.aggregateStatus(deployment({ status }), reports);
  t.strictSame(after, { lifecycleState: 'FAILED', other: 1 });
  const { status: none } = await interpreter.aggregateStatus(deployment({}), []);
  t.strictSame(none, { error: '', jobManagerDeploymentStatus: '', lifecycleState: '', observedGeneration: 0 });
});

t.test('a job is unhealthy before it runs, unless the user made a mistake', async t => {
  for (const [status, health] of [
    [undefined, 'Unhealthy'],
    [{ jobManagerDeploymentStatus: 'READY', lifecycleState: 'STABLE' }, 'Healthy'],
    [{ jobStatus: { state: 'RUNNING' } }, 'Healthy'],
    [{ jobStatus: { state: 'FAILED' } }, 'Healthy'],
    [{ jobStatus: { state: 'RESTARTING' } }, 'Healthy'],
    [{ jobStatus: { state: 'CREATED' } }, 'Unhealthy'],
    [{ jobStatus: { state: 'CREATED' }, error: 'back-off: ErrImagePull' }, 'Healthy'],
    [{ jobStatus: { state: 'CREATED' }, error: 'other' }, 'Unhealthy'],
    [{ jobStatus: { state: 'other' } }, 'Unhealthy'],
  ] as const)
    t.equal(await interpreter.health(deployment({ status })), health, JSON.stringify(status));
});
