/** The check of histories finds faults. The faulty histories are made up, since there is no faulty store. */
import t from 'tap';
import type { Event, History, Operation, Watched } from './history.js';
import { historyFaults } from './linearizability.js';

const event = (revision: number, type: Event['type'], value: string, key = 'a'): Event => ({
  ...{ revision, type, value, key },
});
const watched = (events: readonly Event[], rest: Partial<Watched> = {}): Watched => ({
  ...{ watcher: 'watcher', from: 0, to: 100, events },
  ...rest,
});

let clock = 0;
const now = (): { start: number; end: number } => ({ start: ++clock, end: ++clock });

type Write = Extract<Operation, { type: 'write' }>;
const write = (
  value: string | undefined,
  expect: number,
  revision: number | undefined,
  rest: Partial<Write> = {},
): Write => ({
  ...{ type: 'write', client: 'c', key: 'a', outcome: 'done', value, expect, revision, ...now() },
  ...rest,
});
const read = (revision: number, value: string): Operation => ({
  ...{ type: 'read', client: 'c', key: 'a', revision, value, ...now() },
});
const absent = (): Operation => ({ type: 'read', client: 'c', key: 'a', revision: 'absent', ...now() });
const list = (revision: number, ...items: (readonly [string, number, string])[]): Operation => ({
  ...{ type: 'list', client: 'c', key: '', revision, ...now() },
  items: new Map(items.map(([key, revision, value]) => [key, { revision, value }])),
});

const two = [event(1, 'ADDED', 'v1'), event(2, 'MODIFIED', 'v2')];
const wrote = (): Operation[] => [write('v1', 0, 1), write('v2', 1, 2)];

const right: Record<string, () => History> = {
  nothing: () => ({ operations: [], watches: [] }),
  'sequential writes and reads': () => ({
    operations: [absent(), write('v1', 0, 1), read(1, 'v1'), list(1, ['a', 1, 'v1']), write('v2', 1, 2), read(2, 'v2')],
    watches: [watched(two)],
  }),
  'a read concurrent to a write sees either value': () => ({
    operations: [...wrote(), { ...read(1, 'v1'), start: clock - 3 }],
    watches: [watched(two)],
  }),
  'a write whose answer was lost, done': () => ({
    operations: [write('v1', 0, undefined, { outcome: 'unknown' }), write('v2', 1, 2)],
    watches: [watched(two)],
  }),
  'a write whose answer was lost, not done': () => ({
    operations: [...wrote(), write('v3', 2, undefined, { outcome: 'unknown' })],
    watches: [watched(two)],
  }),
  'a removal, and nothing after it': () => ({
    operations: [...wrote(), write(undefined, 2, undefined), absent(), list(3)],
    watches: [watched([...two, event(3, 'DELETED', 'v2')])],
  }),
  'a watch that started late and ended early': () => ({
    operations: wrote(),
    watches: [watched(two), watched([event(2, 'MODIFIED', 'v2')], { from: 1 }), watched([two[0] as Event], { to: 1 })],
  }),
  'a write that came too late': () => ({
    operations: [...wrote(), write('v3', 1, undefined, { outcome: 'refused' })],
    watches: [watched(two)],
  }),
};

const wrong: Record<string, readonly [() => History, RegExp]> = {
  'a lost write': [() => ({ operations: wrote(), watches: [watched([event(1, 'ADDED', 'v1')])] }), /is lost/],
  'a stale read': [
    () => ({ operations: [...wrote(), read(1, 'v1')], watches: [watched(two)] }),
    /is stale: 2 was known/,
  ],
  'a read that goes back behind another read': [
    () => ({
      operations: [write('v1', 0, 1), write('v2', 1, undefined, { outcome: 'unknown' }), read(2, 'v2'), read(1, 'v1')],
      watches: [watched(two)],
    }),
    /is stale/,
  ],
  'a read of a value that was never written': [
    () => ({ operations: [...wrote(), read(2, 'v9')], watches: [watched(two)] }),
    /is of no change/,
  ],
  'absence of an existing key': [
    () => ({ operations: [...wrote(), absent()], watches: [watched(two)] }),
    /found nothing/,
  ],
  'a stale list': [
    () => ({ operations: [...wrote(), list(1, ['a', 1, 'v1'])], watches: [watched(two)] }),
    /is of revision 1, before 2/,
  ],
  'a list that matches no revision': [
    () => ({ operations: [...wrote(), list(2, ['a', 1, 'v1'])], watches: [watched(two)] }),
    /has a at 1, and not at 2/,
  ],
  'a gap': [
    () => ({ operations: wrote(), watches: [watched(two), watched([event(2, 'MODIFIED', 'v2')])] }),
    /came 2, and not 1/,
  ],
  'a watch that stops early': [
    () => ({ operations: wrote(), watches: [watched(two), watched([event(1, 'ADDED', 'v1')])] }),
    /came undefined, and not 2/,
  ],
  'a range of revisions without a watch': [
    () => ({ operations: wrote(), watches: [watched([], { to: 0 }), watched(two.slice(1), { from: 1 })] }),
    /no watcher received the changes from 0 to 1/,
  ],
  'a duplicate': [
    () => ({ operations: wrote(), watches: [watched([...two, event(2, 'MODIFIED', 'v2')])] }),
    /came 2, and not undefined/,
  ],
  'a reordering': [() => ({ operations: wrote(), watches: [watched([...two].reverse())] }), /came 2, and not 1/],
  'two values of one revision': [
    () => ({ operations: wrote(), watches: [watched(two), watched([event(1, 'ADDED', 'v7'), two[1] as Event])] }),
    /which others received as/,
  ],
  'a change that no client wrote': [
    () => ({ operations: wrote(), watches: [watched([...two, event(3, 'MODIFIED', 'v3')])] }),
    /nobody wrote/,
  ],
  'a write done twice': [
    () => ({ operations: wrote(), watches: [watched([...two, event(3, 'MODIFIED', 'v2')])] }),
    /nobody wrote/,
  ],
  'a refused write that was done': [
    () => ({
      operations: [write('v1', 0, 1), write('v2', 1, undefined, { outcome: 'refused' })],
      watches: [watched(two)],
    }),
    /was refused$/,
  ],
  'a write that was refused although it matches': [
    () => ({ operations: [...wrote(), write('v3', 2, undefined, { outcome: 'refused' })], watches: [watched(two)] }),
    /what it expected stands/,
  ],
  'a write over a version that it did not expect': [
    () => ({ operations: [write('v1', 0, 1), write('v2', 0, 2)], watches: [watched(two)] }),
    /replaced another version/,
  ],
  'a removal without a change': [
    () => ({ operations: [...wrote(), write(undefined, 2, undefined)], watches: [watched(two)] }),
    /removed nothing/,
  ],
  'a create that is reported as an update': [
    () => ({ operations: [write('v1', 0, 1)], watches: [watched([event(1, 'MODIFIED', 'v1')])] }),
    /after undefined/,
  ],
};

t.test('linearizable histories are accepted', async t => {
  for (const [name, given] of Object.entries(right)) t.same(historyFaults(given()), [], name);
});

t.test('faults of histories are found', async t => {
  for (const [name, [given, fault]] of Object.entries(wrong)) t.match(historyFaults(given()).join('\n'), fault, name);
});
