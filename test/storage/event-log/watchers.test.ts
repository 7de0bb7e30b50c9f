/** Cost of a change for watchers of other keys, counted in visits and not in time. */
import t from 'tap';
import type { Change, Item, Revision } from '../../../storage/interface.js';
import { History } from '../../../storage/event-log/history.js';
import { Watchers } from '../../../storage/event-log/watchers.js';

/** Counts the visits of watchers, each of which reads the start of the history. */
class Counted extends History<string> {
  visits = 0;
  override get firstPlace(): number {
    this.visits++;
    return super.firstPlace;
  }
}

const count = 10_000;
const keyOf = (index: number): string => `/registry/configmaps/ns${index % 100}/o${index}`;

function setup() {
  let head = 1 as Revision;
  const history = new Counted(head, { windowMs: 60_000, windowBytes: 1 << 20 }, () => 1);
  const watchers = new Watchers(history, () => head);
  const write = (key: string): void => {
    head = (head + 1) as Revision;
    const item: Item<string> = { key, value: 'v', revision: head };
    watchers.add(history.append({ type: 'put', item, previous: undefined, revision: head }));
    watchers.publish();
  };
  return { history, watchers, write };
}

const shapes = [
  { name: 'of one object each', of: (i: number) => ({ prefix: '/registry/configmaps/', key: keyOf(i) }), concerned: 1 },
  {
    name: 'of one of 100 namespaces each',
    of: (i: number) => ({ prefix: `/registry/configmaps/ns${i % 100}/` }),
    concerned: 100,
  },
  { name: 'of another resource', of: () => ({ prefix: '/registry/secrets/' }), concerned: 0 },
] as const;

for (const { name, of, concerned } of shapes)
  t.test(`${count} watchers ${name}`, async t => {
    const { history, watchers, write } = setup();
    const stops = Array.from({ length: count }, () => new AbortController());
    const told = new Map<number, Change<string>>();
    const waiting = stops.map(({ signal }, index) => {
      const { prefix, key } = { key: undefined, ...of(index) };
      const watch = watchers.watch(prefix, 1 as Revision, signal, key === undefined ? {} : { key });
      return watch[Symbol.asyncIterator]()
        .next()
        .then(result => void (result.done !== true && told.set(index, result.value)));
    });
    t.equal(watchers.count, count);
    history.visits = 0;
    write(keyOf(4711));
    t.equal(history.visits, concerned, 'watchers of other keys are not woken');
    for (const stop of stops) stop.abort();
    await Promise.all(waiting);
    t.equal(told.size, concerned);
    t.equal(told.has(4711), concerned > 0);
    t.equal(watchers.count, 0);
  });

t.test('progress is reported after all earlier changes', async t => {
  const { history, watchers, write } = setup();
  const stop = new AbortController();
  let ask = (): void => void t.fail('not begun');
  const watch = watchers.watch('/registry/', 1 as Revision, stop.signal, { asked: given => (ask = given) });
  const changes = watch[Symbol.asyncIterator]();
  const first = changes.next();
  history.visits = 0;
  watchers.requestAllProgress();
  t.equal(history.visits, 0, 'it is not woken for progress that it has not requested');
  ask();
  t.same(await first, { value: { type: 'progress', revision: 1 }, done: false }, 'although nothing happened');
  write('/registry/a');
  ask();
  write('/elsewhere/b');
  const { value } = (await changes.next()) as { value: Change<string> };
  t.match(value, { type: 'put', revision: 2 });
  t.same(await changes.next(), { value: { type: 'progress', revision: 3 }, done: false });
  const waiting = changes.next();
  stop.abort();
  t.match(await waiting, { done: true }, 'once');
});
