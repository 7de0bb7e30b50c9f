/** Watchers of one fan-out group: each gets what it would get alone, and one stream reads for all. */
import { Writable } from 'node:stream';
import t from 'tap';
import { FanOutGroups } from '../../../apiserver/handlers/fan-out.js';
import { pump } from '../../../apiserver/handlers/pump.js';
import { WritableResponse } from '../../../apiserver/http/response-stream.js';
import { TurnQueue } from '../../../lib/turn-queue.js';
import type { Event, Events } from '../../../registry/pipeline/interface.js';
import { StorageError } from '../../../storage/error.js';
import type { Change, Item, Revision } from '../../../storage/interface.js';
import type { Outgoing } from '../../../storage/event-log/log-stream.js';
import { History } from '../../../storage/event-log/history.js';
import { createWatchers } from '../../../storage/event-log/watchers.js';
import { random } from '../../random.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Every turn is over once its first task has run. */
function hurried(): TurnQueue {
  let now = 0;
  return new TurnQueue({ budget: 1, clock: () => ++now });
}

/** What was to be told was told, in however many turns. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 500; i++) await turn();
}

/** Changes of one prefix, and pumps of those who watch it. */
function ground({
  windowBytes = 1 << 20,
  outgoing,
  turns = new TurnQueue(),
}: { windowBytes?: number; outgoing?: Outgoing<string>; turns?: TurnQueue } = {}) {
  let head = 1 as Revision;
  let encoded = 0;
  const history = new History<string>(head, { windowMs: 60_000, windowBytes }, () => 1);
  const watchers = createWatchers(history, () => head, outgoing);
  const fanOutGroups = new FanOutGroups();

  function write(): void {
    head = (head + 1) as Revision;
    const item: Item<string> = { key: '/registry/configmaps/a', value: 'v', revision: head };
    watchers.add(history.append({ type: 'put', item, previous: undefined, revision: head }));
    history.mark(head, 0, undefined as never);
    watchers.publish();
  }

  /** A watcher whose client holds so many writes and then takes no more until it reads. */
  function watch(from = head as number, patience = Infinity) {
    const heard: string[] = [];
    const held: (() => void)[] = [];
    const to = new Writable({
      highWaterMark: 4,
      write(chunk: Buffer, _encoding, done) {
        heard.push(chunk.toString());
        if (held.length + 1 < patience) done();
        else held.push(done);
      },
    });
    const stop = new AbortController();
    let ask = (): void => undefined;
    const events = watchers.watch('/registry/configmaps/', from as Revision, stop.signal, {
      asked: given => (ask = given),
    });
    const encode = (event: Event): Buffer => {
      encoded++;
      const change = event as unknown as Change<string>;
      return Buffer.from(`${change.type === 'progress' ? 'b' : ''}${change.revision} `);
    };
    let takes = 0;
    const take = events.take.bind(events);
    events.take = () => (takes++, take());
    const done = pump({
      ...{ first: undefined, sent: () => undefined, encode, stream: new WritableResponse(to) },
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
      get heard() {
        return heard.join('').trim().split(' ').filter(Boolean);
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

t.test('once they have taken all, one looks for all', async t => {
  const it = ground();
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
  t.equal(it.encoded - encoded, 20, 'each event once');
  t.same(
    all.map(one => one.takes),
    takes,
    'the others are not even asked',
  );
  for (const one of all) t.same(one.heard, revisions(1, 22));
  for (const one of all) one.stop();
  await Promise.all(all.map(({ done }) => done));
  t.equal(it.watchers.count, 0, 'nobody is left');
});

t.test('one alone has no company, and gets it when a second comes', async t => {
  const it = ground();
  const one = it.watch();
  it.write();
  await turn();
  t.equal(it.watchers.count, 1);
  const two = it.watch();
  it.write();
  it.write();
  await turn();
  t.equal(it.watchers.count, 3, 'they, and who looks for them');
  const { takes } = one;
  it.write();
  await turn();
  t.equal(one.takes, takes);
  t.same([one.heard, two.heard], [revisions(1, 5), revisions(2, 5)]);
  one.stop();
  two.stop();
  await Promise.all([one.done, two.done]);
  t.equal(it.watchers.count, 0);
});

t.test('whose client is behind holds nobody up, and misses nothing', async t => {
  const it = ground();
  const all = [it.watch(), it.watch(1, 1), it.watch()] as const;
  for (let i = 0; i < 20; i++) {
    it.write();
    await turn();
  }
  t.same([all[0].heard, all[2].heard], [revisions(1, 21), revisions(1, 21)]);
  t.ok(all[1].heard.length < 5);
  while (all[1].behind) {
    all[1].read();
    await turn();
  }
  t.same(all[1].heard, revisions(1, 21));
  for (const one of all) one.stop();
  await Promise.all(all.map(({ done }) => done));
});

t.test('whose client stays behind is ended once what it has not taken is forgotten', async t => {
  const it = ground({ windowBytes: 2000 });
  const all = [it.watch(), it.watch(1, 1), it.watch()] as const;
  for (let i = 0; i < 50; i++) {
    it.write();
    it.history.trim(0);
    it.watchers.endStale();
    await turn();
  }
  t.same([all[0].heard, all[2].heard], [revisions(1, 51), revisions(1, 51)]);
  for (const one of all) one.stop();
  const slow = t.rejects(all[1].done, { code: 'compacted' });
  while (all[1].behind) {
    all[1].read();
    await turn();
  }
  await Promise.all([slow, all[0].done, all[2].done]);
});

t.test('what ends all ends each', async t => {
  const gone = new StorageError('compacted', 'gone');
  const rows = [
    { name: 'the store', it: ground(), end: (it: ReturnType<typeof ground>) => it.watchers.end(gone) },
    {
      name: 'a change that nobody can read',
      it: ground({ outgoing: change => (change.revision < 4 ? change : gone) }),
      end: (it: ReturnType<typeof ground>) => it.write(),
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
    for (const one of all) t.same(one.heard, revisions(1, 3), name);
    t.equal(it.watchers.count, 0, name);
  }
});

t.test('what is written to many is written in several turns, to each in order', async t => {
  const it = ground({ turns: hurried() });
  const all = Array.from({ length: 100 }, () => it.watch());
  await quiet();
  it.write();
  await quiet();
  for (let i = 0; i < 3; i++) it.write();
  await turn();
  const reached = new Set(all.map(one => one.heard.length));
  t.ok(reached.size > 1, 'some have heard what others have not');
  const [first, last] = [all.at(0), all.at(-1)];
  first?.stop();
  last?.ask();
  const late = it.watch();
  it.write();
  await quiet();
  for (const one of all.slice(1, -1)) t.same(one.heard, revisions(1, 6));
  t.same(
    last?.heard.filter(word => !word.startsWith('b')),
    revisions(1, 6),
  );
  t.same(late.heard, revisions(5, 6));
  for (const one of [...all, late]) one.stop();
  await Promise.all([...all, late].map(({ done }) => done));
  t.equal(it.watchers.count, 0);
});

for (let seed = 1; seed <= 40; seed++)
  t.test(`nothing is lost, told twice or out of order, whatever they do: ${seed}`, async t => {
    const { below } = random(seed);
    const it = ground(seed % 2 === 0 ? {} : { turns: hurried() });
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
    await quiet();
    for (let left = true; left; left = all.some(one => one.behind)) {
      for (const one of all) one.read();
      await quiet();
    }
    for (const one of all) {
      const seen = one.heard.filter(word => !word.startsWith('b'));
      const expected = revisions(one.from, it.head);
      t.same(seen, stopped.has(one) ? expected.slice(0, seen.length) : expected);
      let told = 0;
      for (const word of one.heard) {
        const revision = Number(word.replace('b', ''));
        if (word.startsWith('b') ? revision < told : revision <= told) t.fail(`${word} after ${told}`);
        told = revision;
      }
      one.stop();
    }
    await Promise.all(all.map(({ done }) => done));
    t.equal(it.watchers.count, 0);
  });
