import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { thirdPartyInterpreter as interpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { objectsOf, itemsOf } from './objects.js';

const application = objectsOf('sparkoperator.k8s.io/v1beta2', 'SparkApplication');

t.test('the memory of a pod is the heap and an overhead', async t => {
  for (const [spec, memory] of [
    [{ type: 'Java', driver: { memory: '1g' } }, '1408Mi'],
    [{ type: 'Scala', driver: { memory: '10GB' } }, '11Gi'],
    [{ type: 'Python', driver: { memory: '5g' } }, '7Gi'],
    [{ type: 'Java', driver: { memory: '1g', memoryOverhead: '512m' } }, '1536Mi'],
    [{ type: 'Java', driver: { memory: '1g' }, memoryOverheadFactor: '0.5' }, '1536Mi'],
  ] as const) {
    const [driver] = await interpreter.components(application({ spec }));
    t.strictSame(driver?.replicaRequirements?.resourceRequest, { cpu: '1', memory }, JSON.stringify(spec));
  }
  for (const memory of ['1', 'much', '', '1x', {}, '1'.repeat(100_000)])
    await t.rejects(async () => interpreter.components(application({ spec: { type: 'Java', driver: { memory } } })), {
      name: 'ExpectedError',
    });
  await t.rejects(async () => interpreter.components(application({ spec: {} })), /spec.type is not a string/);
});

t.test('driver and executors have what their pods require', async t => {
  const gpu = { name: 'nvidia.com/gpu', quantity: 2 };
  const spec = {
    type: 'Java',
    driver: { cores: 2, gpu, nodeSelector: { disk: 'ssd' }, priorityClassName: 'high' },
    executor: { instances: 2, memoryOverhead: '1g', gpu: { name: '', quantity: 1 }, tolerations: [] },
    dynamicAllocation: { enabled: true, minExecutors: 4 },
  };
  t.strictSame(await interpreter.components(application({ spec })), [
    {
      ...{ name: 'driver', replicas: 1 },
      replicaRequirements: {
        nodeClaim: { nodeSelector: { disk: 'ssd' } },
        resourceRequest: { cpu: '2', memory: '1408Mi', 'nvidia.com/gpu': '2' },
        priorityClassName: 'high',
      },
    },
    {
      ...{ name: 'executor', replicas: 4 },
      replicaRequirements: { nodeClaim: {}, resourceRequest: { cpu: '1', memory: '2Gi' } },
    },
  ]);
});

t.test('the worst state of all clusters is that of the application', async t => {
  const aggregated = async (...statuses: JsonObject[]): Promise<unknown> =>
    (await interpreter.aggregateStatus(application({}), itemsOf(...statuses)))['status'];
  const state = (name: unknown): JsonObject => ({ applicationState: { state: name } });
  const first = { ...state('RUNNING'), submissionAttempts: 1, executorState: { a: 'RUNNING' }, terminationTime: null };
  const second = { ...state('FAILED'), submissionAttempts: 2, executorState: { b: 'FAILED' }, terminationTime: '2025' };
  t.strictSame(await aggregated(first, second), {
    ...{ ...state('FAILED'), executionAttempts: 0, submissionAttempts: 3 },
    ...{ executorState: { a: 'RUNNING', b: 'FAILED' }, lastSubmissionAttemptTime: '', terminationTime: '2025' },
  });
  await t.rejects(async () => aggregated(state('constructor'), first), /the state of the application is not known/);
});

t.test('only a failed application is unhealthy, and one without a state', async t => {
  const healthOf = async (state: unknown): Promise<string> =>
    interpreter.health(application({ status: { applicationState: { state } } }));
  t.equal(await healthOf('RUNNING'), 'Healthy');
  t.equal(await healthOf(''), 'Healthy');
  t.equal(await healthOf('FAILED'), 'Unhealthy');
  t.equal(await healthOf(undefined), 'Unhealthy');
});
