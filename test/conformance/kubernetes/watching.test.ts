/** Watches of ConfigMaps by label. as test/e2e/apimachinery/watch.go */
import t, { type Test } from 'tap';
import { type Events, kit, type Thing, unique } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);
const maps = all.of('v1/configmaps', await all.namespace());

/** Watches the ConfigMaps with one of these values of the label. */
const watch = (values: readonly string[], from = ''): Promise<Events> =>
  maps.watch(
    `labelSelector=${encodeURIComponent(`test in (${values.join(',')})`)}${from && `&resourceVersion=${from}`}`,
  );
const create = (value: string): Promise<Thing> =>
  maps.create({ metadata: { name: unique('map'), labels: { test: value } } });
const mutate = (map: Thing, mutation: string): Promise<Thing> =>
  maps.update(map.metadata.name, thing => (thing['data'] = { mutation }));
const label = (map: Thing, value: string): Promise<Thing> =>
  maps.update(map.metadata.name, ({ metadata }) => (metadata.labels = { test: value }));

type Expected = readonly [type: string, thing: Thing];

/** Checks that exactly these events come next. Unexpected events would come before them, so no test waits for silence. */
async function expectEvents(t: Test, events: Events, ...expected: readonly Expected[]): Promise<void> {
  for (const [type, { metadata, data }] of expected) {
    const event = await events.next();
    t.equal(event.type, type);
    t.equal(event.object.metadata.name, metadata.name);
    if (type !== 'DELETED')
      t.match(event.object, { metadata: { resourceVersion: metadata.resourceVersion }, ...(data ? { data } : {}) });
  }
}

t.test('watches have the events of objects with their labels', async t => {
  const [a, b, both] = await Promise.all([watch(['a']), watch(['b']), watch(['a', 'b'])]);
  const first = await create('a');
  const changes: Expected[] = [['ADDED', first]];
  for (const mutation of ['1', '2']) changes.push(['MODIFIED', await mutate(first, mutation)]);
  await maps.remove(first.metadata.name);
  changes.push(['DELETED', first]);
  const second = await create('b');
  await maps.remove(second.metadata.name);
  const others: Expected[] = [
    ['ADDED', second],
    ['DELETED', second],
  ];
  const last = await create('a');
  await expectEvents(t, a, ...changes, ['ADDED', last]);
  await expectEvents(t, b, ...others);
  await expectEvents(t, both, ...changes, ...others, ['ADDED', last]);
});

t.test('a watch begins at a resource version', async t => {
  const map = await create('from');
  const [first, second] = [await mutate(map, '1'), await mutate(map, '2')];
  await maps.remove(map.metadata.name);
  await expectEvents(
    t,
    await watch(['from'], first.metadata.resourceVersion),
    ['MODIFIED', second],
    ['DELETED', second],
  );
});

t.test('a watch resumes at the end of another one', async t => {
  const broken = await watch(['broken']);
  const map = await create('broken');
  const first = await mutate(map, '1');
  await expectEvents(t, broken, ['ADDED', map], ['MODIFIED', first]);
  broken.stop();
  const second = await mutate(map, '2');
  const again = await watch(['broken'], first.metadata.resourceVersion);
  await maps.remove(map.metadata.name);
  await expectEvents(t, again, ['MODIFIED', second], ['DELETED', second]);
});

t.test('an object without the label is DELETED for the watch, and ADDED when it has it again', async t => {
  const events = await watch(['right']);
  const map = await create('right');
  const first = await mutate(map, '1');
  await label(map, 'wrong');
  await mutate(map, '2');
  const restored = await label(map, 'right');
  const third = await mutate(map, '3');
  await maps.remove(map.metadata.name);
  await expectEvents(t, events, ['ADDED', map], ['MODIFIED', first], ['DELETED', map]);
  await expectEvents(t, events, ['ADDED', restored], ['MODIFIED', third], ['DELETED', map]);
});

t.test('100 watches from 100 resource versions have the same order', async t => {
  const { metadata } = await maps.list();
  const written: string[] = [];
  const live: string[] = [];
  for (let i = 0; written.length < 100; i++) {
    const known = live[i % 5];
    if (known === undefined || i % 3 === 0) {
      const { metadata } = await create('ordered');
      live.unshift(metadata.name);
      written.push(metadata.resourceVersion);
    } else if (i % 3 === 1) {
      const { metadata } = await maps.update(known, thing => (thing['data'] = { turn: String(i) }));
      written.push(metadata.resourceVersion);
    } else await maps.remove(live.splice(live.indexOf(known), 1)[0] ?? '');
  }
  const last = written.at(-1) ?? '';
  const whole = await orderOf(await maps.watch(`resourceVersion=${metadata.resourceVersion}`), last);
  t.ok(whole.length >= written.length);
  t.same(
    written.filter(version => !whole.includes(version)),
    [],
    'the first watch has all versions',
  );
  const watches: Events[] = [];
  for (const from of whole.slice(0, -1)) watches.push(await maps.watch(`resourceVersion=${from}`));
  for (const [i, events] of watches.entries()) t.same(await orderOf(events, last), whole.slice(i + 1));
});

/** Returns the resource versions of the events of a watch, up to `last`. */
async function orderOf(events: Events, last: string): Promise<string[]> {
  const seen: string[] = [];
  await events.until(({ object: { metadata } }) => {
    seen.push(metadata.resourceVersion);
    return metadata.resourceVersion === last;
  });
  events.stop();
  return seen;
}
