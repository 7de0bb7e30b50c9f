import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { workClock } from '../../../../lib/cel/interpreter/pace.js';
import {
  tableInterpreter,
  thirdPartyInterpreter as interpreter,
  thirdPartyKinds,
} from '../../../../controllers/interpreter/third-party/third-party.js';
import { undisturbed } from '../../../undisturbed.js';
import { objectsOf, itemsOf, templateWith } from './objects.js';

const job = objectsOf('batch.volcano.sh/v1alpha1', 'Job');

async function aggregated(...statuses: readonly (JsonObject | undefined)[]): Promise<unknown> {
  return (await interpreter.aggregateStatus(job({}), itemsOf(...statuses)))['status'];
}

t.test('each task is a component, of which minAvailable pods must run', async t => {
  const tasks = [
    { name: 'driver', minAvailable: '2', template: templateWith('500m') },
    { name: '', template: {} },
  ];
  t.strictSame(await interpreter.components(job({ spec: { tasks } })), [
    { name: 'driver', replicas: 2, replicaRequirements: { resourceRequest: { cpu: '500m' } } },
    { name: 'task-1', replicas: 1 },
  ]);
  t.strictSame(await interpreter.components(job({})), []);
  await t.rejects(
    async () => interpreter.components(job({ spec: { tasks: [{ name: 'x' }] } })),
    /pod template is missing/,
  );
  const many = Array.from({ length: 1001 }, () => ({ template: {} }));
  await t.rejects(async () => interpreter.components(job({ spec: { tasks: many } })), /1001 components/);
});

t.test('counts are summed, the version and the duration are the greatest', async t => {
  const first = {
    pending: 1,
    running: 0,
    version: 1,
    runningDuration: '1m40s',
    taskStatusCount: { a: { phase: { Running: 2 } } },
  };
  const second = {
    pending: 2,
    version: 3,
    runningDuration: '99s',
    taskStatusCount: { a: { phase: { Running: 1, Failed: 1 } } },
  };
  t.strictSame(await aggregated(first, second, undefined), {
    ...{ pending: 3, version: 3, runningDuration: '1m40s' },
    taskStatusCount: { a: { phase: { Running: 3, Failed: 1 } } },
  });
  await t.rejects(async () => aggregated({ pending: {} }, {}), /status.pending is an object, not a number/);
});

t.test('the only cluster has the status of the Job', async t => {
  t.strictSame(await aggregated({ pending: 0, state: { phase: 'Running' }, conditions: [] }), {
    ...{ pending: 0, state: { phase: 'Running' } },
  });
});

t.test('a Job fails in one cluster and completes in all', async t => {
  const completed = { state: { phase: 'Completed' } };
  const failed = (await aggregated(completed, { state: { phase: 'Aborted' } })) as { state: JsonObject };
  t.match(failed.state, { phase: 'Failed', reason: 'VolcanoJobFailed', message: 'Job failed in clusters: m2' });
  t.match(await aggregated(completed, completed), { state: { phase: 'Completed', reason: 'Completed' } });
  t.strictSame(await aggregated(completed, undefined), undefined, 'a cluster without a report has not completed');
});

t.test('the time of a state stays while the state does', async t => {
  const reports = itemsOf({ state: { phase: 'Completed' } }, { state: { phase: 'Completed' } });
  const state = { phase: 'Completed', reason: 'Completed', message: 'Job completed successfully' };
  const before = { state: { ...state, lastTransitionTime: '2020-01-01T00:00:00Z' } };
  const same = await interpreter.aggregateStatus(job({ status: before }), reports);
  t.strictSame(same['status'], before);
  const clocked = tableInterpreter(thirdPartyKinds, () => Date.UTC(2026, 0, 2, 3, 4, 5));
  t.match(await clocked.aggregateStatus(job({}), reports), {
    status: { state: { ...state, lastTransitionTime: '2026-01-02T03:04:05Z' } },
  });
});

t.test('of each phase there is the latest condition, or the conditions of the first cluster that failed', async t => {
  const at = (status: string, hour: number): JsonObject => ({
    status,
    lastTransitionTime: `2025-01-01T0${hour}:00:00Z`,
  });
  const first = { conditions: [at('Pending', 1), at('Running', 2)] };
  const second = { conditions: [at('Running', 3)] };
  t.strictSame(await aggregated(first, second), { conditions: [at('Pending', 1), at('Running', 3)] });
  const failed = { conditions: [at('Pending', 1), at('Failed', 2)] };
  t.strictSame(await aggregated(first, failed, second), { conditions: failed.conditions });
  await t.rejects(async () => aggregated({ conditions: [{}] }, {}), /a condition has no type/);
});

t.test('a long text in place of a duration takes no time', async t => {
  const text = '1'.repeat(3_000_000);
  const clock = workClock();
  const cost = async (): Promise<number> => {
    const before = clock();
    t.strictSame(await aggregated({ runningDuration: `${text}x` }, {}), undefined);
    return clock() - before;
  };
  const ms = await undisturbed(ms => ms < 1000, cost);
  t.ok(ms < 1000, `${ms} ms`);
});

t.test('a reflected status has what the controller of Volcano writes', async t => {
  const status = { pending: 1, conditions: [{ status: 'Running' }], controlledResources: { a: 'b' }, other: 1 };
  const { other, ...reflected } = status;
  t.equal(other, 1);
  t.strictSame(await interpreter.reflectStatus(job({ status })), reflected);
  t.strictSame(await interpreter.reflectStatus(job({ status: { conditions: 'none' } })), {});
  t.strictSame(await interpreter.reflectStatus(job({})), {});
});

t.test('a Job is healthy in all phases but Failed', async t => {
  for (const phase of ['Running', 'Aborted', 'Terminated', 'Pending'])
    t.equal(await interpreter.health(job({ status: { state: { phase } } })), 'Healthy', phase);
  for (const phase of ['Failed', '', 'constructor', undefined])
    t.equal(await interpreter.health(job({ status: { state: { phase } } })), 'Unhealthy', String(phase));
});
