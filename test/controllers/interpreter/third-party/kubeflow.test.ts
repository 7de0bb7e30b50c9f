import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { thirdPartyInterpreter as interpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { objectsOf, itemsOf, templateWith } from './objects.js';

const notebook = objectsOf('kubeflow.org/v1', 'Notebook');
const pytorchJob = objectsOf('kubeflow.org/v1', 'PyTorchJob');
const tfJob = objectsOf('kubeflow.org/v1', 'TFJob');
const mpiJob = objectsOf('kubeflow.org/v2beta1', 'MPIJob');

const early = '2025-01-01T01:00:00Z';
const late = '2025-01-01T02:00:00Z';

const isTrue = (type: string): JsonObject => ({ type, status: 'True' });

t.test('the roles of a job are its components', async t => {
  const Worker = { replicas: '2', template: templateWith('1') };
  const spec = { pytorchReplicaSpecs: { Worker, Master: {}, Other: Worker }, tfReplicaSpecs: { Worker, PS: {} } };
  const worker = { name: 'worker', replicas: 2, replicaRequirements: { resourceRequest: { cpu: '1' } } };
  t.strictSame(await interpreter.components(pytorchJob({ spec })), [{ name: 'master', replicas: 1 }, worker]);
  t.strictSame(await interpreter.components(tfJob({ spec })), [{ name: 'ps', replicas: 1 }, worker]);
  const mpiReplicaSpecs = { Worker: { template: {} }, Launcher: { template: {} }, Other: {} };
  t.strictSame(await interpreter.components(mpiJob({ spec: { mpiReplicaSpecs } })), [
    { name: 'Launcher', replicas: 1 },
    { name: 'Worker', replicas: 0 },
  ]);
  const half = { pytorchReplicaSpecs: { Worker: { replicas: 1.5 } } };
  await t.rejects(async () => interpreter.components(pytorchJob({ spec: half })), /Component.replicas/);
});

t.test('the pods of all roles are read for dependencies', async t => {
  const needs = (name: string): JsonObject => ({ template: { spec: { serviceAccountName: name } } });
  const spec = { tfReplicaSpecs: { PS: needs('b'), Chief: needs('a'), Worker: {}, Other: needs('c') } };
  const found = await interpreter.dependencies(tfJob({ spec }));
  t.strictSame(
    found.map(({ kind, namespace, name }) => ({ kind, namespace, name })),
    ['a', 'b'].map(name => ({ kind: 'ServiceAccount', namespace: 'n', name })),
  );
  t.strictSame(await interpreter.dependencies(tfJob({})), []);
});

t.test('a PyTorchJob has conditions in the order in which they come true', async t => {
  const started = { startTime: early, completionTime: early, conditions: [isTrue('Created'), isTrue('Succeeded')] };
  const ended = { startTime: late, completionTime: late, conditions: [isTrue('Running'), isTrue('Succeeded')] };
  const roles = { replicaStatuses: { Worker: { succeeded: 2, active: 0 }, Other: { active: 1 } } };
  const { status } = await interpreter.aggregateStatus(pytorchJob({}), itemsOf({ ...started, ...roles }, ended));
  t.match(status, { startTime: early, completionTime: late, replicaStatuses: { Worker: { succeeded: 2 } } });
  t.match((status as JsonObject)['conditions'], [
    { type: 'Created', status: 'True', lastUpdateTime: early, reason: 'PyTorchJobCreated' },
    { type: 'Running', status: 'False' },
    { type: 'Succeeded', status: 'True', lastTransitionTime: late },
  ]);
  const failed = { conditions: [isTrue('Failed'), isTrue('Succeeded')] };
  const { status: failure } = await interpreter.aggregateStatus(pytorchJob({}), itemsOf(started, failed));
  t.match(failure, { conditions: [{ type: 'Created' }, { type: 'Failed', status: 'True' }] });
  t.notOk('completionTime' in (failure as JsonObject));
  const running = { status: { startTime: early, replicaStatuses: { Master: {} } } };
  t.strictSame((await interpreter.aggregateStatus(pytorchJob(running), []))['status'], {});
});

t.test('a TFJob ends as its last condition about the end says', async t => {
  const succeeded = { completionTime: late, conditions: [isTrue('Failed'), isTrue('Succeeded')] };
  const failed = { conditions: [isTrue('Succeeded'), isTrue('Failed')] };
  const conditionsOf = async (...statuses: JsonObject[]): Promise<unknown> =>
    ((await interpreter.aggregateStatus(tfJob({}), itemsOf(...statuses)))['status'] as JsonObject)['conditions'];
  t.match(await conditionsOf(succeeded, succeeded), [{ type: 'Succeeded', reason: 'Completed' }]);
  t.match(await conditionsOf(succeeded, failed), [
    { type: 'Failed', message: 'TFJob executed failed in member clusters: m2' },
  ]);
  t.equal((await interpreter.aggregateStatus(tfJob({}), []))['status'], undefined, 'there is nothing to write');
});

t.test('a condition that stays has its times', async t => {
  const reports = itemsOf({ conditions: [isTrue('Failed')] });
  const first = await interpreter.aggregateStatus(tfJob({}), reports);
  const [condition] = (first['status'] as { conditions: JsonObject[] }).conditions;
  const old = { ...condition, lastProbeTime: early, lastTransitionTime: early };
  const second = await interpreter.aggregateStatus(tfJob({ status: { conditions: [old] } }), reports);
  t.strictSame(second['status'], { conditions: [old] });
  const other = { ...old, message: 'other' };
  const third = await interpreter.aggregateStatus(tfJob({ status: { conditions: [other] } }), reports);
  t.not((third['status'] as { conditions: JsonObject[] }).conditions[0]?.['lastProbeTime'], early);
});

t.test('jobs are unhealthy without conditions, and once they have failed', async t => {
  const healthOf = async (of: typeof tfJob, conditions?: unknown[]): Promise<string> =>
    interpreter.health(of({ status: { conditions } }));
  for (const of of [pytorchJob, tfJob, mpiJob]) {
    t.equal(await healthOf(of), 'Unhealthy');
    t.equal(await healthOf(of, [isTrue('Created')]), 'Healthy');
    t.equal(await healthOf(of, [isTrue('Created'), isTrue('Failed')]), 'Unhealthy');
    t.equal(await healthOf(of, [{ type: 'Failed', status: 'False' }]), 'Healthy');
  }
  t.equal(await healthOf(tfJob, []), 'Healthy');
  t.equal(await healthOf(mpiJob, []), 'Unhealthy');
});

t.test('an MPIJob has the latest condition of each type', async t => {
  const at = (type: string, time: string, field = 'lastUpdateTime'): JsonObject => ({ type, [field]: time });
  const first = {
    conditions: [at('Created', early), at('Running', late), at('Other', '')],
    replicaStatuses: { Worker: { active: 1 }, hasOwnProperty: { failed: 1 } },
    startTime: '',
  };
  const second = {
    conditions: [at('Created', late, 'lastTransitionTime'), at('Running', early)],
    replicaStatuses: { Worker: { active: 2, failed: 1 } },
    startTime: early,
  };
  const { status } = await interpreter.aggregateStatus(mpiJob({}), itemsOf(first, second));
  t.strictSame(status, {
    replicaStatuses: {
      Worker: { active: 3, succeeded: 0, failed: 1 },
      hasOwnProperty: { active: 0, succeeded: 0, failed: 1 },
    },
    conditions: [at('Created', late, 'lastTransitionTime'), at('Running', late)],
    startTime: early,
  });
  const unchanged = mpiJob({ status: { startTime: early } });
  t.equal(await interpreter.aggregateStatus(unchanged, []), unchanged);
});

t.test('the reflected status of an MPIJob has the known fields of each role', async t => {
  const status = {
    replicaStatuses: { Worker: { active: 1, other: 2 }, Launcher: {} },
    conditions: {},
    startTime: early,
  };
  t.strictSame(await interpreter.reflectStatus(mpiJob({ status })), {
    ...{ startTime: early, replicaStatuses: { Worker: { active: 1 } } },
  });
});

t.test('a Notebook is one pod', async t => {
  const spec = { template: templateWith('250m') };
  const requirements = { resourceRequest: { cpu: '250m' } };
  t.strictSame(await interpreter.replicas(notebook({ spec })), { replicas: 1, requirements });
  t.throws(() => interpreter.replicas(notebook({ spec: {} })), /the pod template is missing/);
  t.throws(
    () => interpreter.replicas(notebook({ spec: { template: templateWith('x') } })),
    /pod template cannot be read/,
  );
});

t.test('the state of its container says how a Notebook is', async t => {
  for (const [containerState, health] of [
    [undefined, 'Unhealthy'],
    [{}, 'Unhealthy'],
    [{ running: {} }, 'Healthy'],
    [{ waiting: { reason: 'ContainerCreating' } }, 'Healthy'],
    [{ waiting: { reason: 'ImagePullBackOff' } }, 'Unhealthy'],
    [{ terminated: {} }, 'Healthy'],
    [{ terminated: { exitCode: 1 } }, 'Unhealthy'],
    [{ terminated: { reason: 'OOMKilled' } }, 'Unhealthy'],
  ] as const)
    t.equal(await interpreter.health(notebook({ status: { containerState } })), health, JSON.stringify(containerState));
});

t.test('a Notebook is ready once it runs in all clusters', async t => {
  const running = (startedAt: string): JsonObject => ({ readyReplicas: 1, containerState: { running: { startedAt } } });
  const aggregated = async (...statuses: JsonObject[]): Promise<unknown> =>
    (await interpreter.aggregateStatus(notebook({}), itemsOf(...statuses)))['status'];
  t.match(await aggregated(running(late), running(early)), {
    readyReplicas: 2,
    containerState: { running: { startedAt: late } },
    conditions: [{ type: 'Ready', status: 'True' }],
  });
  t.match(await aggregated(running(late), { containerState: {} }, { containerState: { waiting: { reason: 'x' } } }), {
    readyReplicas: 1,
    containerState: { waiting: { reason: 'x' } },
    conditions: [{ type: 'Failed', message: 'Notebook executed failed in member clusters: m2, m3' }],
  });
  t.match(await aggregated({}, running(late)), { containerState: { waiting: { reason: 'Unschedulable' } } });
});
