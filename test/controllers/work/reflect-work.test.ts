/** What a Work shows of its objects in the member. as pkg/controllers/status WorkStatusController.reflectStatus */
import t, { type Test } from 'tap';
import type { ManifestStatus, Work } from '../../../api/karmada/types.js';
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { keyOf } from '../../../client/key.js';
import { NotYet } from '../../../client/runtime/controller.js';
import type { Interpreter } from '../../../controllers/interpreter/interface.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { firstStatuses } from '../../../controllers/work/first-reports.js';
import { mirrorOf } from '../../../controllers/work/locate.js';
import { appliedAt, type Reflected, reflectWork } from '../../../controllers/work/reflect-work.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { type Logger, silent } from '../../../lib/logging/interface.js';
import { core, object } from '../../aggregation/fleet.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';
import { createWork, deployment } from './work-fixture.js';
import { createManaged, workParts } from './work-parts.js';

const data = (name: string): KubeObject => object('v1', 'ConfigMap', name, { metadata: { namespace: 'default' } });
const withReplicas = (name: string, status: JsonObject): KubeObject => ({ ...deployment(name), status });

/** Reflects Works, and records the Events. */
async function scene(t: Test) {
  const { control, member, context, members, cluster } = await workParts(t);
  const clock = steppedClock();
  const events: string[] = [];
  const recorder = {
    event: (about: KubeObject, _type: string, reason: string, message: string) =>
      void events.push(`${about.kind} ${reason}: ${message}`),
  };
  const deps = { client: context.client, members, clock, interpreter: nativeInterpreter, recorder };
  return {
    ...{ clock, events, member, control },
    reflect: (
      work: Work,
      interpreter: Interpreter = nativeInterpreter,
      awaited: { leftMs: number; what: 'status' | 'health' } = { leftMs: 0, what: 'status' },
    ): Promise<Reflected | number> => reflectWork(work, cluster, awaited, { ...deps, interpreter }),
    /** Returns the statuses of a Work whose report was postponed until now. */
    first: (work: Work, interpreter: Interpreter, log: Logger): ReturnType<typeof firstStatuses> =>
      firstStatuses(work, cluster, clock.now(), { context: { ...context, clock, log }, members, interpreter }),
    /** Creates an object in the member, and waits for it in the mirror. */
    put: async (manifest: KubeObject, work: string): Promise<void> => {
      const { metadata } = await createManaged(member, manifest, work);
      await until('the mirror shows it', async () => {
        const mirror = await mirrorOf(manifest, cluster, deps);
        const seen = mirror?.informer.get(keyOf(manifest));
        return seen?.metadata.resourceVersion === metadata.resourceVersion;
      });
    },
    work: (name: string, manifests: readonly KubeObject[]): Promise<Work> => createWork(control, name, manifests),
    /** Returns the Work with statuses, as if it had been applied so many milliseconds before now. */
    reported: (work: Work, manifestStatuses: readonly ManifestStatus[], beforeMs: number): Work => {
      const lastTransitionTime = new Date(clock.now() - beforeMs).toISOString();
      const applied = { type: 'Applied', status: 'True', reason: 'Test', message: '', lastTransitionTime } as const;
      return { ...work, status: { conditions: [applied], manifestStatuses: [...manifestStatuses] } };
    },
  };
}

/** Returns the statuses. Throws if some are awaited, or not known. */
function statusesOf(reflected: Reflected | number): readonly ManifestStatus[] {
  if (typeof reflected === 'number') throw new Error('more are awaited');
  if (reflected.failure) throw reflected.failure;
  return reflected.statuses;
}

t.test('the status and health of the objects of a Work are shown, and those of others are not', async t => {
  const { reflect, put, work, member } = await scene(t);
  const counts = { replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  const ready = withReplicas('app', { observedGeneration: 1, ...counts });
  await put(ready, 'app');
  await put(data('settings'), 'app');
  await put(data('of-another'), 'another');
  await member.client.create(core('configmaps'), data('unmanaged'));
  const unserved = object('example.com/v1', 'Foo', 'foo', { metadata: { namespace: 'default' } });
  const names = ['settings', 'of-another', 'unmanaged', 'absent'];
  const shown = statusesOf(await reflect(await work('app', [ready, unserved, ...names.map(data)])));
  t.match(shown, [{ status: { replicas: 1, readyReplicas: 1 }, health: 'Healthy' }, { health: 'Healthy' }]);
  t.same(
    shown.map(({ identifier }) => identifier),
    [
      { ordinal: 0, group: 'apps', version: 'v1', kind: 'Deployment', resource: '', namespace: 'default', name: 'app' },
      { ordinal: 2, version: 'v1', kind: 'ConfigMap', resource: '', namespace: 'default', name: 'settings' },
    ],
  );
  t.notOk('status' in (shown[1] ?? {}));
});

t.test('a status that is about to come is awaited for as long as it is asked', async t => {
  const { reflect, put, work, reported } = await scene(t);
  await put(deployment('empty'), 'empty');
  await put(withReplicas('unhealthy', { replicas: 1, unavailableReplicas: 1 }), 'unhealthy');
  await put(data('settings'), 'settings');
  const table: { name: string; manifest: KubeObject; status: number | string; health: number | string }[] = [
    { name: 'empty', manifest: deployment('empty'), status: 500, health: 500 },
    { name: 'unhealthy', manifest: deployment('unhealthy'), status: 'Unhealthy', health: 500 },
    { name: 'settings', manifest: data('settings'), status: 'Healthy', health: 'Healthy' },
    { name: 'absent', manifest: deployment('absent'), status: '', health: 500 },
  ];
  const shown = (reflected: Reflected | number): number | string =>
    typeof reflected === 'number' ? reflected : reflected.statuses.map(({ health }) => health).join();
  for (const { name, manifest, status, health } of table) {
    const of = await work(name, [manifest]);
    t.equal(shown(await reflect(of, nativeInterpreter, { leftMs: 500, what: 'status' })), status, `${name}, status`);
    t.equal(shown(await reflect(of, nativeInterpreter, { leftMs: 500, what: 'health' })), health, `${name}, health`);
    t.type(await reflect(of), Object, `${name} is not awaited any more`);
    const identifier = { ordinal: 0, version: 'v1', kind: 'ConfigMap', resource: '', name };
    const known = reported(of, [{ identifier, health: 'Unknown' }], 0);
    t.type(await reflect(known, nativeInterpreter, { leftMs: 500, what: 'status' }), Object, `${name} has a status`);
  }
});

t.test('a status that cannot be interpreted stays as it is, and does not stop the others', async t => {
  const { reflect, first, put, work, reported, events } = await scene(t);
  for (const name of ['first', 'second', 'third']) await put(data(name), 'app');
  const broken: Interpreter = {
    ...nativeInterpreter,
    reflectStatus: ({ metadata: { name } }) => {
      if (name === 'first') throw new ExpectedError('no such field');
      if (name === 'second') throw new NotYet('the script is not loaded');
      return { seen: true };
    },
  };
  const of = await work('app', ['first', 'second', 'third'].map(data));
  const identifier = {
    ordinal: 0,
    version: 'v1',
    kind: 'ConfigMap',
    resource: '',
    namespace: 'default',
    name: 'first',
  };
  const known: ManifestStatus = { identifier, status: { seen: 'before' }, health: 'Healthy' };
  const reflected = await reflect(reported(of, [known], 0), broken);
  if (typeof reflected === 'number') throw new Error('more are awaited');
  t.match(reflected.statuses, [known, { identifier: { ordinal: 2 }, status: { seen: true }, health: 'Healthy' }]);
  t.equal(reflected.failure?.message, '[no such field, the script is not loaded]');
  const failed = events.filter(event => event.includes('ReflectStatusFailed'));
  t.same(failed, [
    'Work ReflectStatusFailed: Reflect status for object(ConfigMap/default/first) failed, err: no such field.',
  ]);
  const lines: object[] = [];
  const log = { ...silent, debug: (fields: object, message: string) => void lines.push({ ...fields, message }) };
  t.match(await first(of, broken, log), [{ identifier: { ordinal: 2 } }]);
  const [line] = lines;
  t.match(line, { err: reflected.failure, message: 'the first status of a Work is not known' });
  t.equal(lines.length, 1);
});

t.test('a health that cannot be interpreted is unknown, unless it will be known soon', async t => {
  const { reflect, put, work, events } = await scene(t);
  const status = { replicas: 1 };
  await put(withReplicas('app', status), 'app');
  const failing = (error: Error): Interpreter => ({
    ...nativeInterpreter,
    health: () => {
      throw error;
    },
  });
  const of = await work('app', [deployment('app')]);
  t.match(statusesOf(await reflect(of, failing(new ExpectedError('no such field')))), [{ status, health: 'Unknown' }]);
  t.match(events.at(-1), /^Work InterpretHealthFailed: Interpret health of object\(Deployment\/default\/app\) failed/);
  events.splice(0);
  const later = await reflect(of, failing(new NotYet('the script is not loaded')));
  t.match(later, { statuses: [], failure: { message: 'the script is not loaded' } });
  t.notOk(events.some(event => event.includes('InterpretHealth')));
});

t.test('Events are recorded for what is new', async t => {
  const { reflect, put, work, reported, events } = await scene(t);
  await put(withReplicas('app', { replicas: 1, unavailableReplicas: 1 }), 'app');
  const of = await work('app', [deployment('app')]);
  const about = 'object(Deployment/default/app)';
  const [succeed, unhealthy] = [
    `Work ReflectStatusSucceed: Reflect status for ${about} succeed.`,
    `Work InterpretHealthSucceed: Interpret health of ${about} as unhealthy.`,
  ];
  const told = async (given: Work): Promise<string[]> => {
    events.splice(0);
    statusesOf(await reflect(given));
    return [...events];
  };
  const shown = statusesOf(await reflect(of));
  t.same(await told(of), [succeed, unhealthy], 'the first report');
  const table: { name: string; given: Work; expect: string[] }[] = [
    { name: 'just applied', given: reported(of, shown, 10_000), expect: [succeed, unhealthy] },
    { name: 'reported before', given: reported(of, shown, 120_000), expect: [] },
    {
      name: 'another health',
      given: reported(
        of,
        shown.map(status => ({ ...status, health: 'Healthy' })),
        120_000,
      ),
      expect: [unhealthy],
    },
    {
      name: 'another status',
      given: reported(
        of,
        shown.map(status => ({ ...status, status: { replicas: 2 } })),
        120_000,
      ),
      expect: [succeed, unhealthy],
    },
  ];
  for (const { name, given, expect } of table) t.same(await told(given), expect, name);
  t.ok(Number.isNaN(appliedAt(of)), 'a Work that was not applied has no time');
});
