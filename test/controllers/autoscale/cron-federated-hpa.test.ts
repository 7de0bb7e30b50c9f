/** When the rules of CronFederatedHPAs are executed, and what the status says of it. as pkg/controllers/cronfederatedhpa CronFHPAController */
import t, { type Test } from 'tap';
import { plainError } from '../../../apimachinery/errors/status.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Client } from '../../../client/interface.js';
import type { ReconcileResult } from '../../../client/runtime/interface.js';
import { startCronFederatedHpa } from '../../../controllers/autoscale/cron-federated-hpa.js';
import type { CronFederatedHpaWithStatus } from '../../../controllers/autoscale/history.js';
import type { CronRule } from '../../../kinds/karmada/autoscaling/cron-federated-hpa.js';
import { core, object } from '../../aggregation/fleet.js';
import { steppedClock } from '../../lib/clock.js';
import { longestStall } from '../../lib/longest-stall.js';
import { deployment, deployments } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { runningControllers, withVerbs } from '../one-controller.js';

const hpas = { group: 'autoscaling.karmada.io', version: 'v1alpha1', resource: 'cronfederatedhpas' };
const at = { namespace: 'default', name: 'hpa' };
const minuteMs = 60_000;
const noon = Date.parse('2027-01-01T12:00:00Z');

const rule = (name: string, targetReplicas: number, more: Partial<CronRule> = {}): CronRule => ({
  ...{ name, schedule: '* * * * *', targetReplicas },
  ...more,
});

/** A server with a Deployment and a CronFederatedHPA of it, which is reconciled when the test says so. */
async function scene(t: Test, rules: readonly CronRule[]) {
  const clock = steppedClock(noon);
  let refusesStatus = false;
  let reconcileKey: (key: string) => Promise<ReconcileResult> = () => Promise.resolve(undefined);
  let seen: () => KubeObject | undefined = () => undefined;
  const wrap = (client: Client): Client => {
    const update: Client['update'] = (resource, written, options) =>
      refusesStatus && options?.subresource === 'status'
        ? Promise.reject(plainError('not now', 500))
        : client.update(resource, written, options);
    return withVerbs(client, { update });
  };
  const start: Parameters<typeof runningControllers>[1] = context => {
    const run: typeof context.run = ({ reconcile }) => void (reconcileKey = key => reconcile(key, context.signal));
    startCronFederatedHpa({ ...context, clock, run });
    const mirror = context.informers.informer(hpas);
    seen = () => mirror.get('default/hpa');
  };
  const { client } = await runningControllers(t, start, { wrap });
  await client.create(deployments, deployment('web'));

  /** Reconciles once the informer has the object as it is. */
  const reconcile = async (): Promise<ReconcileResult> => {
    const { metadata } = await client.get(hpas, at);
    await until('the informer has it', () => seen()?.metadata.resourceVersion === metadata.resourceVersion);
    return reconcileKey('default/hpa');
  };
  const create = (): Promise<unknown> =>
    client.create(
      hpas,
      object('autoscaling.karmada.io/v1alpha1', 'CronFederatedHPA', 'hpa', {
        metadata: { namespace: 'default' },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, rules },
      }),
    );
  await create();
  return {
    ...{ client, clock, create, reconcile },
    refuseStatus: (refuses: boolean): void => void (refusesStatus = refuses),
    /** Replaces the rules. */
    follow: (changed: readonly CronRule[]) =>
      client.patch(hpas, at, { type: 'merge', patch: { spec: { rules: changed as CronRule[] } } }),
    histories: async () =>
      ((await client.get(hpas, at)) as CronFederatedHpaWithStatus).status?.executionHistories ?? [],
    replicas: async () =>
      ((await client.get(deployments, { namespace: 'default', name: 'web' }))['spec'] as { replicas: number }).replicas,
  };
}

t.test('a rule is executed when it is due, and not while it is suspended', async t => {
  const { clock, reconcile, follow, histories, replicas } = await scene(t, [rule('up', 7)]);
  const before = await replicas();
  t.same(await reconcile(), { againAfter: minuteMs });
  t.same(await histories(), [{ ruleName: 'up', nextExecutionTime: '2027-01-01T12:01:00Z' }]);
  clock.advance(minuteMs - 1);
  t.same(await reconcile(), { againAfter: 1 });
  t.equal(await replicas(), before, 'a millisecond too early');
  clock.advance(2501);
  await reconcile();
  t.equal(await replicas(), 7);
  const execution = {
    ...{ scheduleTime: '2027-01-01T12:01:00Z', executionTime: '2027-01-01T12:01:02Z', appliedReplicas: 7 },
  };
  const successfulExecutions = [execution];
  t.same(await histories(), [{ ruleName: 'up', nextExecutionTime: '2027-01-01T12:02:00Z', successfulExecutions }]);

  await follow([rule('up', 9, { suspend: true })]);
  clock.advance(10 * minuteMs);
  t.equal(await reconcile(), undefined);
  t.equal(await replicas(), 7);
  t.same(await histories(), [{ ruleName: 'up', successfulExecutions }]);

  await follow([rule('up', 9)]);
  t.match(await reconcile(), { againAfter: Number }, 'what was due meanwhile is not made up for');
  t.equal(await replicas(), 7);
  clock.advance(3 * minuteMs);
  await reconcile();
  t.equal(await replicas(), 9);
  t.equal((await histories())[0]?.successfulExecutions?.length, 2, 'three missed times are one execution');
});

t.test('a schedule that cannot be parsed is reported once, and keeps no other rule', async t => {
  const { client, clock, reconcile, histories, replicas } = await scene(t, [
    rule('seconds', 5, { schedule: '0 0 0 * * *' }),
    rule('up', 7),
  ]);
  await reconcile();
  clock.advance(minuteMs);
  await reconcile();
  t.equal(await replicas(), 7);
  t.same(
    (await histories()).map(({ ruleName, nextExecutionTime }) => [ruleName, nextExecutionTime]),
    [
      ['seconds', undefined],
      ['up', '2027-01-01T12:02:00Z'],
    ],
  );
  const failures = async (): Promise<KubeObject[]> =>
    (await client.list(core('events'), { namespace: 'default' })).items.filter(
      event => event['reason'] === 'StartRuleFailed',
    );
  await until('the event', async () => (await failures()).length > 0);
  t.match(await failures(), [
    { message: /^gocron: cron expression failed to be parsed: expected exactly 5 fields/, count: 1 },
  ]);
});

t.test('an execution that fails stands in the history with its reason', async t => {
  const { client, clock, reconcile, histories } = await scene(t, [rule('up', 7, { failedHistoryLimit: 1 })]);
  await client.delete(deployments, { namespace: 'default', name: 'web' });
  await reconcile();
  for (let minute = 0; minute < 2; minute++) {
    clock.advance(minuteMs);
    t.same(await reconcile(), { againAfter: minuteMs });
  }
  const message = 'deployments.apps "web" not found';
  const times = { scheduleTime: '2027-01-01T12:02:00Z', executionTime: '2027-01-01T12:02:00Z' };
  t.same((await histories())[0]?.failedExecutions, [{ ...times, message }]);
});

t.test('a failed execution of a rule with the limit 0 leaves no list', async t => {
  const { client, clock, reconcile, histories } = await scene(t, [rule('up', 7, { failedHistoryLimit: 0 })]);
  await client.delete(deployments, { namespace: 'default', name: 'web' });
  await reconcile();
  clock.advance(minuteMs);
  await reconcile();
  t.same(Object.keys((await histories())[0] ?? {}).sort(), ['nextExecutionTime', 'ruleName']);
});

t.test('an execution is not repeated, and not forgotten, when the status cannot be written', async t => {
  const { client, clock, reconcile, refuseStatus, histories, replicas } = await scene(t, [rule('up', 7)]);
  await reconcile();
  refuseStatus(true);
  clock.advance(minuteMs);
  await t.rejects(reconcile(), { message: 'not now' });
  t.equal(await replicas(), 7);
  await client.patch(
    deployments,
    { namespace: 'default', name: 'web' },
    { type: 'merge', patch: { spec: { replicas: 2 } } },
  );
  refuseStatus(false);
  await reconcile();
  t.equal(await replicas(), 2, 'another user has scaled since');
  t.match(await histories(), [{ successfulExecutions: [{ scheduleTime: '2027-01-01T12:01:00Z' }] }]);
});

t.test('an object that takes the place of a deleted one does not inherit its executions', async t => {
  const { client, clock, create, reconcile, refuseStatus, histories } = await scene(t, [rule('up', 7)]);
  await reconcile();
  refuseStatus(true);
  clock.advance(minuteMs);
  await t.rejects(reconcile(), { message: 'not now' });
  refuseStatus(false);
  await client.delete(hpas, at);
  await create();
  clock.advance(minuteMs);
  t.same(await reconcile(), { againAfter: minuteMs });
  t.same(await histories(), [{ ruleName: 'up', nextExecutionTime: '2027-01-01T12:03:00Z' }]);
});

t.test('a thousand rules that are due at once let other work in between', async t => {
  const rules = Array.from({ length: 1000 }, (_, i) => rule(`r${i}`, (i % 5) + 1));
  const { clock, reconcile, histories } = await scene(t, rules);
  await reconcile();
  let runs = 0;
  const stall = await longestStall(50, async () => {
    clock.advance(minuteMs);
    await reconcile();
    runs++;
  });
  const kept = Math.min(runs, 3);
  t.ok(
    (await histories()).every(({ successfulExecutions }) => successfulExecutions?.length === kept),
    'all were executed',
  );
  t.ok(stall < 50, `the loop was held for ${stall.toFixed(1)} ms`);
});
