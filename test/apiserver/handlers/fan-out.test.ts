/** Watchers of one fan-out group: each receives the events it would receive alone, and one cursor reads for all. */
import { Writable } from 'node:stream';
import t from 'tap';
import { FanOutGroups } from '../../../apiserver/handlers/fan-out.js';
import { pump } from '../../../apiserver/handlers/pump.js';
import { ChunkCopies } from '../../../apiserver/http/chunk-copies.js';
import { WritableResponse } from '../../../apiserver/http/response-stream.js';
import { TurnQueue } from '../../../lib/turn-queue.js';
import type { ObjectEvent, Events } from '../../../registry/pipeline/interface.js';
import { StorageError } from '../../../storage/error.js';
import type { Change, Item, Revision } from '../../../storage/interface.js';
import type { Outgoing } from '../../../storage/event-log/log-stream.js';
import { History } from '../../../storage/event-log/history.js';
import { Watchers } from '../../../storage/event-log/watchers.js';
import { random } from '../../random.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Returns a queue whose slices end after their first task. */
function singleTaskTurns(): TurnQueue {
  let now = 0;
  return new TurnQueue({ budget: 1, clock: () => ++now });
}

/** Returns a queue whose slices never end, however slow the machine is. */
const endlessTurns = (): TurnQueue => new TurnQueue({ clock: () => 0 });

/** Waits until all pending events are sent, however many turns that takes. */
async function settled(): Promise<void> {
  for (let i = 0; i < 500; i++) await turn();
}

/** Creates a log of changes of one prefix, with pumps for its watchers. */
function createLog({
  windowBytes = 1 << 20,
  outgoing,
  turns = endlessTurns(),
}: { windowBytes?: number; outgoing?: Outgoing<string>; turns?: TurnQueue } = {}) {
  let head = 1 as Revision;
  let encoded = 0;
  const history = new History<string>(head, { windowMs: 60_000, windowBytes }, () => 1);
  const watchers = new Watchers(history, () => head, outgoing);
  const fanOutGroups = new FanOutGroups();

  function write(): void {
    head = (head + 1) as Revision;
    const item: Item<string> = { key: '/registry/configmaps/a', value: 'v', revision: head };
    watchers.add(history.append({ type: 'put', item, previous: undefined, revision: head }));
    history.mark(head, 0, undefined as never);
    watchers.publish();
  }

  /** Starts a watcher whose client buffers this many writes, and then takes no more until it reads. */
  function watch(from = head as number, bufferedWrites = Infinity) {
    const received: string[] = [];
    const held: (() => void)[] = [];
    const to = new Writable({
      highWaterMark: 4,
      write(chunk: Buffer, _encoding, done) {
        received.push(chunk.toString());
        if (held.length + 1 < bufferedWrites) done();
        else held.push(done);
      },
    });
    const stop = new AbortController();
    let ask = (): void => undefined;
    const events = watchers.watch('/registry/configmaps/', from as Revision, stop.signal, {
      asked: given => (ask = given),
    });
    const encode = (event: ObjectEvent): Buffer => {
      encoded++;
      const change = event as unknown as Change<string>;
      return Buffer.from(`${change.type === 'progress' ? 'b' : ''}${change.revision} `);
    };
    let takes = 0;
    const take = events.take.bind(events);
    events.take = () => (takes++, take());
    const done = pump({
      ...{ first: undefined, sent: () => undefined, encode, stream: new WritableResponse(to, new ChunkCopies()) },
      events: events as unknown as Events,
      lane: turns.lane(),
      join: subscriber => fanOutGroups.join('form', subscriber),
    });
    const read = (): void => held.shift()?.();
    return {
      ...{ done, from, read, stop: () => stop.abort(), ask: () => ask() },
      get takes() {
        return takes;
      },
      get received() {
        return received.join('').trim().split(' ').filter(Boolean);
      },
      get behind() {
        return held.length > 0;
      },
    };
  }
  return {
    ...{ write, watch, watchers, history },
    get head() {
      return head as number;
    },
    get encoded() {
      return encoded;
    },
  };
}

const revisions = (from: number, to: number): string[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => String(from + 1 + i));

t.test('after reading all changes one cursor reads for the group', async t => {
  const it = createLog();
  const all = Array.from({ length: 100 }, () => it.watch());
  it.write();
  await turn();
  const { encoded } = it;
  const takes = all.map(one => one.takes);
  for (let i = 0; i < 10; i++) {
    it.write();
    it.write();
    await turn();
  }
  t.equal(it.encoded - encoded, 20, 'each event is encoded once');
  t.same(
    all.map(one => one.takes),
    takes,
    'the streams of the members are not read',
  );
  for (const one of all) t.same(one.received, revisions(1, 22));
  for (const one of all) one.stop();
  await Promise.all(all.map(({ done }) => done));
  t.equal(it.watchers.count, 0, 'no watcher is left');
});

t.test('a single watcher has no group until a second one starts', async t => {
  const it = createLog();
  const one = it.watch();
  it.write();
  await turn();
  t.equal(it.watchers.count, 1);
  const two = it.watch();
  it.write();
  it.write();
  await turn();
  t.equal(it.watchers.count, 3, 'both watchers and the cursor of the group');
  const { takes } = one;
  it.write();
  await turn();
  t.equal(one.takes, takes);
  t.same([one.received, two.received], [revisions(1, 5), revisions(2, 5)]);
  one.stop();
  two.stop();
  await Promise.all([one.done, two.done]);
  t.equal(it.watchers.count, 0);
});

t.test('a slow client does not delay others, and misses nothing', async t => {
  const it = createLog();
  const all = [it.watch(), it.watch(1, 1), it.watch()] as const;
  for (let i = 0; i < 20; i++) {
    it.write();
    await turn();
  }
  t.same([all[0].received, all[2].received], [revisions(1, 21), revisions(1, 21)]);
  t.ok(all[1].received.length < 5);
  while (all[1].behind) {
    all[1].read();
    await turn();
  }
  t.same(all[1].received, revisions(1, 21));
  for (const one of all) one.stop();
  await Promise.all(all.map(({ done }) => done));
});

t.test('a client that stays slow gets an error once its next event is compacted', async t => {
  const it = createLog({ windowBytes: 2000 });
  const all = [it.watch(), it.watch(1, 1), it.watch()] as const;
  for (let i = 0; i < 50; i++) {
    it.write();
    it.history.trim(0);
    it.watchers.endStale();
    await turn();
  }
  t.same([all[0].received, all[2].received], [revisions(1, 51), revisions(1, 51)]);
  for (const one of all) one.stop();
  const slow = t.rejects(all[1].done, { code: 'compacted' });
  while (all[1].behind) {
    all[1].read();
    await turn();
  }
  await Promise.all([slow, all[0].done, all[2].done]);
});

t.test('an error of the group ends all its watchers', async t => {
  const gone = new StorageError('compacted', 'gone');
  const rows = [
    { name: 'the store ends', it: createLog(), end: (it: ReturnType<typeof createLog>) => it.watchers.end(gone) },
    {
      name: 'a change that cannot be decoded',
      it: createLog({ outgoing: change => (change.revision < 4 ? change : gone) }),
      end: (it: ReturnType<typeof createLog>) => it.write(),
    },
  ];
  for (const { name, it, end } of rows) {
    const all = Array.from({ length: 5 }, () => it.watch());
    it.write();
    await turn();
    it.write();
    await turn();
    const ends = all.map(({ done }) => t.rejects(done, { message: 'gone' }, name));
    end(it);
    await Promise.all(ends);
    for (const one of all) t.same(one.received, revisions(1, 3), name);
    t.equal(it.watchers.count, 0, name);
  }
});

t.test('an event for many watchers is written in several turns, to each in order', async t => {
  const it = createLog({ turns: singleTaskTurns() });
  const all = Array.from({ length: 100 }, () => it.watch());
  await settled();
  it.write();
  await settled();
  for (let i = 0; i < 3; i++) it.write();
  await turn();
  const reached = new Set(all.map(one => one.received.length));
  t.ok(reached.size > 1, 'some have received events that others have not');
  const [first, last] = [all.at(0), all.at(-1)];
  first?.stop();
  last?.ask();
  const late = it.watch();
  it.write();
  await settled();
  for (const one of all.slice(1, -1)) t.same(one.received, revisions(1, 6));
  t.same(
    last?.received.filter(word => !word.startsWith('b')),
    revisions(1, 6),
  );
  t.same(late.received, revisions(5, 6));
  for (const one of [...all, late]) one.stop();
  await Promise.all([...all, late].map(({ done }) => done));
  t.equal(it.watchers.count, 0);
});

for (let seed = 1; seed <= 40; seed++)
  t.test(`no event is lost, repeated or out of order in random sequences: ${seed}`, async t => {
    const { below } = random(seed);
    const it = createLog(seed % 2 === 0 ? {} : { turns: singleTaskTurns() });
    const all: ReturnType<typeof it.watch>[] = [];
    const stopped = new Map<ReturnType<typeof it.watch>, number>();
    for (let step = 0; step < 300; step++) {
      const one = all[below(Math.max(1, all.length))];
      const what = below(10);
      if (what < 4) it.write();
      else if (what === 4 && all.length < 25)
        all.push(it.watch(1 + below(it.head + 2), below(2) ? Infinity : 1 + below(3)));
      else if (what === 5) one?.ask();
      else if (what === 6) for (const each of all) if (below(2)) each.read();
      if (what === 7 && one && below(4) === 0) {
        one.stop();
        stopped.set(one, it.head);
      } else if (what > 7) await turn();
    }
    await settled();
    for (let left = true; left; left = all.some(one => one.behind)) {
      for (const one of all) one.read();
      await settled();
    }
    for (const one of all) {
      const seen = one.received.filter(word => !word.startsWith('b'));
      const expected = revisions(one.from, it.head);
      t.same(seen, stopped.has(one) ? expected.slice(0, seen.length) : expected);
      let latest = 0;
      for (const word of one.received) {
        const revision = Number(word.replace('b', ''));
        if (word.startsWith('b') ? revision < latest : revision <= latest) t.fail(`${word} after ${latest}`);
        latest = revision;
      }
      one.stop();
    }
    await Promise.all(all.map(({ done }) => done));
    t.equal(it.watchers.count, 0);
  });
