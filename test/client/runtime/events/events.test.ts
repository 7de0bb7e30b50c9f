/** Events are written in batches, merged, and never awaited by their authors. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { events } from '../../../../api/kubernetes/resources.js';
import type { Client } from '../../../../client/interface.js';
import { EventRecorders } from '../../../../client/runtime/events/events.js';
import { systemClock } from '../../../../lib/clock.js';
import { silent } from '../../../../server/logger.js';
import { runningServer } from '../../../apiserver/running.js';
import { until } from '../../../storage/until.js';

const namespace = 'default';
const about = (i: number): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { namespace, name: `c-${i}`, uid: `uid-${i}` },
});

interface Scene {
  readonly client: Client;
  readonly recorders: EventRecorders;
  /** The number of Events whose creation was begun and has not ended, after each beginning. */
  readonly active: readonly number[];
  /** The Events whose creation was begun. */
  readonly sent: readonly KubeObject[];
}

/** Starts a server and recorders whose client counts concurrent writes; `refuse` makes a write fail. */
async function scene(
  t: Test,
  refuse: (event: KubeObject) => boolean = () => false,
  waits: { readonly mergeMs?: () => number; readonly countMs?: () => number } = {},
): Promise<Scene> {
  const { client } = await runningServer(t);
  const active: number[] = [];
  const sent: KubeObject[] = [];
  let busy = 0;
  const create: Client['create'] = async (resource, event, options) => {
    active.push(++busy);
    sent.push(event);
    try {
      if (refuse(event)) throw new Error('refused');
      return await client.create(resource, event, options);
    } finally {
      busy--;
    }
  };
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const deps = { client: { ...client, create }, signal: stopping.signal, clock: systemClock, log: silent, ...waits };
  return { client, recorders: new EventRecorders(deps), active, sent };
}

const listed = async (client: Client): Promise<readonly KubeObject[]> =>
  (await client.list(events, { namespace, fieldSelector: 'source=test' })).items;

t.test('many events are written in batches of at most 64', async t => {
  const { client, recorders, active, sent } = await scene(t);
  const recorder = recorders.recorder('test');
  for (let i = 0; i < 100; i++) recorder.event(about(i), 'Normal', 'Done', 'It is done.');
  t.equal(active.length, 0, 'no event is written while it may be merged');
  await until('all are written', async () => (await listed(client)).length === 100);
  const most = Math.max(...active);
  t.ok(most > 16 && most <= 64, `${most} at once`);
  const found = await listed(client);
  t.equal(new Set(found.map(({ metadata }) => metadata.name)).size, 100);
  t.match(found[0], { reason: 'Done', message: 'It is done.', count: 1, source: { component: 'test' } });
  const fields = Object.keys(sent[0] ?? {});
  const stored = Object.keys(found[0] ?? {}).filter(field => fields.includes(field));
  t.strictSame(fields, stored, 'the fields are in the order in which they are stored');
});

t.test('equal events are one Event, also when the first one was written before', async t => {
  const { client, recorders } = await scene(t);
  const recorder = recorders.recorder('test');
  const counts = async (): Promise<unknown[]> => (await listed(client)).map(({ count }) => count);
  for (let i = 0; i < 3; i++) recorder.event(about(1), 'Normal', 'Done', 'It is done.');
  await until('the Event is written', async () => (await counts()).length > 0);
  t.same(await counts(), [3]);
  recorder.event(about(1), 'Normal', 'Done', 'It is done.');
  await until('the Event has counted the last one', async () => (await counts())[0] === 4);
  t.same(await counts(), [4]);
});

t.test('further occurrences of an Event are one write, for which other events do not wait', async t => {
  let countMs = 3_600_000;
  const { client, recorders } = await scene(t, undefined, { mergeMs: () => 1, countMs: () => countMs });
  const recorder = recorders.recorder('test');
  const repeat = (): void => recorder.event(about(0), 'Normal', 'Done', 'It is done.');
  const first = async (): Promise<KubeObject | undefined> =>
    (await listed(client)).find(({ involvedObject }) => (involvedObject as { name: string }).name === 'c-0');
  repeat();
  await until('the Event is written', async () => (await first()) !== undefined);
  const written = await first();
  for (let i = 1; i < 4; i++) {
    repeat();
    recorder.event(about(i), 'Normal', 'Done', 'It is done.');
    await until('the other one is written', async () => (await listed(client)).length === i + 1);
  }
  t.same(await first(), written, 'the count waits');
  countMs = 0;
  await until('all occurrences are counted', async () => (await first())?.['count'] === 4);
  const versions = Number((await first())?.metadata.resourceVersion) - Number(written?.metadata.resourceVersion);
  t.equal(versions, 4, 'there were three other Events and one write of the count');
});

t.test('an event that is refused does not stop the others', async t => {
  const { client, recorders } = await scene(
    t,
    ({ involvedObject }) => (involvedObject as { name: string }).name === 'c-1',
  );
  const recorder = recorders.recorder('test');
  for (let i = 0; i < 3; i++) recorder.event(about(i), 'Warning', 'Failed', 'It failed.');
  await until('the others are written', async () => (await listed(client)).length === 2);
  recorder.event(about(3), 'Warning', 'Failed', 'It failed.');
  await until('a later one is written', async () => (await listed(client)).length === 3);
  t.pass('they are written');
});

/** Returns recorders that wait for `mergeMs` and `countMs`, and whose writes are noted and succeed at once. */
function noting(t: Test, client: Client, { mergeMs = 0, countMs = 0 }, onCreate: (created: number) => void = () => {}) {
  const written = { created: [] as string[], counted: 0, createdBeforeCounts: -1 };
  const create: Client['create'] = (_, event) => {
    written.created.push((event['involvedObject'] as { name: string }).name);
    onCreate(written.created.length);
    return Promise.resolve(event);
  };
  const patch: Client['patch'] = (_, key) => {
    if (written.counted++ === 0) written.createdBeforeCounts = written.created.length;
    return Promise.resolve({ apiVersion: 'v1', kind: 'Event', metadata: { ...key } });
  };
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const waits = { mergeMs: () => mergeMs, countMs: () => countMs };
  const deps = { client: { ...client, create, patch }, signal: stopping.signal, clock: systemClock, log: silent };
  return { written, recorder: new EventRecorders({ ...deps, ...waits }).recorder('test') };
}

t.test('occurrences that wait to be counted take no room of new events', async t => {
  const { client } = await runningServer(t);
  const { written, recorder } = noting(t, client, { countMs: 3_600_000 });
  const [rounds, size] = [4, 4096];
  for (let round = 0; round < rounds; round++) {
    const ids = Array.from({ length: size }, (_, i) => round * size + i);
    for (const i of ids) recorder.event(about(i), 'Normal', 'Done', 'It is done.');
    await until('they are written', () => new Set(written.created).size === (round + 1) * size);
    for (const i of ids) recorder.event(about(i), 'Normal', 'Done', 'It is done.');
  }
  recorder.event(about(-1), 'Normal', 'Done', 'It is done.');
  await until('a new one is written', () => written.created.includes('c--1'), 10_000);
  await until('the oldest ones are counted early', () => written.counted > 0, 10_000);
  t.pass('the new one is not dropped');
});

t.test('a flood of new events does not keep others from being counted', async t => {
  const { client } = await runningServer(t);
  const flood = 4000;
  const { written, recorder } = noting(t, client, {}, created => {
    if (created > 1 && created < flood) repeat(created + 32);
  });
  const repeat = (i: number): void => recorder.event(about(i), 'Normal', 'Done', 'It is done.');
  repeat(0);
  await until('the first one is written', () => written.created.length === 1);
  for (let i = 1; i <= 32; i++) repeat(i);
  repeat(0);
  await until('the first one is counted', () => written.counted === 1);
  await until('the flood is over', () => written.created.length >= flood);
  t.ok(written.createdBeforeCounts < 100, `${written.createdBeforeCounts} new ones were written before it`);
});
