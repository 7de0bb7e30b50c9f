/** Events of both APIs, which are the same objects. as test/e2e/instrumentation core_events.go, events.go */
import t from 'tap';
import { kit, unique, version } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);

const shared = { type: 'Normal' };
const flavours = [
  {
    of: 'v1/events',
    draft: (namespace: string) => ({
      ...{ ...shared, message: 'This is a test event', reason: 'Test', count: 1, involvedObject: { namespace } },
    }),
    change: { message: 'This is a test event - patched' },
  },
  {
    of: 'events.k8s.io/v1/events',
    draft: (namespace: string) => ({
      ...{ ...shared, regarding: { namespace }, note: 'This is a test event', reason: 'Test', action: 'Do' },
      eventTime: '2017-09-19T13:49:16.000000Z',
      reportingController: 'test-controller',
      reportingInstance: 'test-node',
    }),
    change: { series: { count: 2, lastObservedTime: '2017-09-19T13:49:11.000000Z' } },
  },
];

for (const { of, draft, change } of flavours) {
  t.test(`an event is created, patched, updated and deleted (${of})`, async t => {
    const namespace = await all.namespace();
    const [here, everywhere] = [all.of(of, namespace), all.of(of)];
    const label = unique('constant');
    const chosen = `labelSelector=test=${label}`;
    const made = await here.create({ metadata: { name: 'event-test', labels: { test: label } }, ...draft(namespace) });
    t.match(made, draft(namespace));
    t.match((await everywhere.list(chosen)).items, [{ metadata: { name: 'event-test', namespace } }]);
    t.equal((await here.list(chosen)).items.length, 1);
    const patched = await here.patch('event-test', change, 'strategic');
    t.ok(version(patched) > version(made));
    t.match(await here.get('event-test'), { ...draft(namespace), ...change });
    const series = { count: 100, lastObservedTime: '2017-09-19T13:49:16.000000Z' };
    // Without a resource version the update is unconditional.
    await here.replace({ ...patched, series, metadata: { ...patched.metadata, resourceVersion: '' } });
    t.match(await here.get('event-test'), { ...draft(namespace), ...change, series });
    await here.remove('event-test');
    for (const list of [here, everywhere]) t.same((await list.list(chosen)).items, []);
  });

  t.test(`events are deleted as a collection (${of})`, async t => {
    const namespace = await all.namespace();
    const here = all.of(of, namespace);
    for (const name of ['test-1', 'test-2', 'test-3'])
      await here.create({ metadata: { name, labels: { set: 'true' } }, ...draft(namespace) });
    await here.create({ metadata: { name: 'other' }, ...draft(namespace) });
    t.equal((await here.list('labelSelector=set=true')).items.length, 3);
    await here.removeAll('labelSelector=set=true');
    t.match((await here.list()).items, [{ metadata: { name: 'other' } }]);
  });
}

t.test('the reporting controller of an event is its source in the core API', async t => {
  const namespace = await all.namespace();
  const [, newer] = flavours;
  await all.of('events.k8s.io/v1/events', namespace).create({ metadata: { name: 'one' }, ...newer?.draft(namespace) });
  await all.of('v1/events', namespace).create({ metadata: { name: 'two' }, ...flavours[0]?.draft(namespace) });
  for (const [of, selector] of [
    ['v1/events', 'source=test-controller'],
    ['events.k8s.io/v1/events', 'reportingController=test-controller'],
  ] as const)
    t.match((await all.of(of, namespace).list(`fieldSelector=${selector}`)).items, [{ metadata: { name: 'one' } }], of);
});
