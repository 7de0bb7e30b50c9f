import t from 'tap';
import { tick, ticking } from '../../../registry/pipeline/ticking.js';

// Ticks alone keep no process alive.
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

/** A source that gives what is put in, and says whether it was closed. */
function source(): {
  items: AsyncIterable<number>;
  give(value: number): void;
  fail(error: Error): void;
  end(): void;
  closed: boolean;
} {
  const queue: (() => IteratorResult<number, undefined>)[] = [];
  let waiting: (() => void) | undefined;
  const put = (answer: () => IteratorResult<number, undefined>): void => {
    queue.push(answer);
    waiting?.();
  };
  const self = {
    items: {
      [Symbol.asyncIterator]: () => ({
        async next() {
          while (queue.length === 0) await new Promise<void>(resolve => (waiting = resolve));
          return (queue.shift() as () => IteratorResult<number, undefined>)();
        },
        return() {
          self.closed = true;
          return Promise.resolve({ value: undefined, done: true as const });
        },
      }),
    },
    give: (value: number) => put(() => ({ value, done: false })),
    fail: (error: Error) =>
      put(() => {
        throw error;
      }),
    end: () => put(() => ({ value: undefined, done: true })),
    closed: false,
  };
  return self;
}

async function nextItem(all: AsyncIterator<unknown, unknown>): Promise<IteratorResult<unknown, unknown>> {
  for (;;) {
    const next = await all.next();
    if (next.value !== tick) return next;
  }
}

t.test('items come at once, ticks while nothing comes', async t => {
  const from = source();
  const all = ticking(from.items, () => 1)[Symbol.asyncIterator]();
  from.give(1);
  t.same(await all.next(), { value: 1, done: false });
  t.equal((await all.next()).value, tick);
  t.equal((await all.next()).value, tick);
  from.give(2);
  t.equal((await nextItem(all)).value, 2, 'an item asked for before a tick is not lost');
  from.end();
  t.ok((await nextItem(all)).done);
});

t.test('without a tick due it is the source', async t => {
  const from = source();
  for (const value of [1, 2, 3]) from.give(value);
  from.end();
  const seen: unknown[] = [];
  for await (const item of ticking(from.items, () => undefined)) seen.push(item);
  t.same(seen, [1, 2, 3]);
});

t.test('ticks come when they are due, and no more', async t => {
  const from = source();
  const due = [1, 5, undefined];
  const began = performance.now();
  let least = 0;
  const all = ticking(from.items, () => due.shift())[Symbol.asyncIterator]();
  for (const ms of [1, 5]) {
    t.equal((await all.next()).value, tick);
    least += ms;
    t.ok(performance.now() - began > least - 1.5, `not before ${least} ms`);
  }
  const next = all.next();
  from.give(1);
  t.equal((await next).value, 1);
  t.equal(due.length, 0);
});

t.test('failures come through, and leaving closes the source', async t => {
  const failing = source();
  failing.fail(new Error('broken'));
  await t.rejects(
    ticking(failing.items, () => undefined)
      [Symbol.asyncIterator]()
      .next(),
    { message: 'broken' },
  );
  const left = source();
  left.give(1);
  for await (const item of ticking(left.items, () => undefined)) if (item === 1) break;
  t.ok(left.closed);
});
