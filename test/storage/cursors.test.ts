/** Cursors that are made of others. */
import t from 'tap';
import { cursorOf, late } from '../../storage/cursor-of.js';
import type { Cursor } from '../../storage/interface.js';
import { iterate } from '../../storage/iterate.js';
import { startingWith } from '../../storage/starting-with.js';

const end = { value: undefined, done: true };

/** Takes until it ends, waking with it. */
async function all<T>(cursor: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const value of cursor) taken.push(value);
  return taken;
}

/** A generator that tells how far it was asked. */
function steps(log: string[], last?: Cursor<number>) {
  return (async function* () {
    try {
      for (const value of [1, 2]) {
        log.push(`asked for ${value}`);
        yield await Promise.resolve(value);
      }
      return last;
    } finally {
      log.push('closed');
    }
  })();
}

t.test('steps are asked for one at a time, and the cursor that comes last goes on', async t => {
  const log: string[] = [];
  const cursor = cursorOf(steps(log, cursorOf(steps([]))));
  let wakes = 0;
  const woken = (): Promise<void> =>
    new Promise(resolve => {
      cursor.onReady(() => {
        wakes++;
        resolve();
      });
    });
  t.same(log, [], 'nothing begins before it is taken');
  let ready = woken();
  t.equal(cursor.take(), undefined);
  t.equal(cursor.take(), undefined, 'which is not there yet');
  await ready;
  t.equal(wakes, 1);
  t.same(log, ['asked for 1'], 'no step ahead');
  t.same(cursor.take(), { value: 1, done: false });
  ready = woken();
  t.equal(cursor.take(), undefined);
  await ready;
  t.same(await all(cursor), [2, 1, 2]);
  t.same(log, ['asked for 1', 'asked for 2', 'closed']);
  t.same(cursor.take(), end);
});

t.test('an error is thrown once, in its place', async t => {
  const cursor = cursorOf<number>(
    (async function* () {
      yield await Promise.resolve(1);
      throw new Error('broken');
    })(),
  );
  const reader = iterate(cursor);
  t.same(await reader.next(), { value: 1, done: false });
  await t.rejects(reader.next(), { message: 'broken' });
  t.same(await reader.next(), end);
  const refused = iterate(late<number>(() => Promise.reject(new Error('refused'))));
  await t.rejects(refused.next(), { message: 'refused' });
});

t.test('what is closed ends, also what comes too late', async t => {
  const log: string[] = [];
  for await (const value of cursorOf(steps(log))) if (value === 1) break;
  t.same(log, ['asked for 1', 'closed']);

  const last: string[] = [];
  const going = cursorOf(steps([], cursorOf(steps(last))));
  for await (const value of startingWith([0].values(), going)) if (value === 1 && last.length > 0) break;
  t.same(last, ['asked for 1', 'closed'], 'also what goes on in its place');

  let open = (_: Cursor<number>): void => undefined;
  const cursor = late<number>(() => new Promise(resolve => (open = resolve)));
  const waiting = cursor[Symbol.asyncIterator]().next();
  cursor.close();
  t.same(await waiting, end, 'who waits is told');
  const lateComer = cursorOf(steps(log));
  open(lateComer);
  await new Promise(setImmediate);
  t.same(lateComer.take(), end, 'and nobody is left open');
});

t.test('what there is comes before what happens', async t => {
  t.same(await all(startingWith([7, 8].values(), cursorOf(steps([])))), [7, 8, 1, 2]);
  const closed = startingWith([7, 8].values(), cursorOf(steps([])));
  t.same(closed.take(), { value: 7, done: false });
  closed.close();
  t.same(closed.take(), end);
});

t.test('a watch has one reader', async t => {
  const reader = iterate(late<number>(() => new Promise(() => undefined)));
  void reader.next();
  await t.rejects(reader.next(), { message: 'a watch has one reader' });
  await reader.return?.();
});
