/** Streams whose initial values are computed asynchronously. */
import t from 'tap';
import { type Initial, PhasedStream, streamOf } from '../../storage/phased-stream.js';
import type { WatchStream } from '../../storage/watch-stream.js';

const end = { value: undefined, done: true };

/** Takes all values until the stream ends. */
async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const value of stream) taken.push(value);
  return taken;
}

/** Yields 1 and 2, and records when it is started and closed. */
async function* steps(log: string[], live?: WatchStream<number>): Initial<number> {
  try {
    for (const value of [1, 2]) {
      log.push(`asked for ${value}`);
      yield await Promise.resolve([value]);
    }
    return live;
  } finally {
    log.push('closed');
  }
}

const numbers = (log: string[] = [], live?: WatchStream<number>) => new PhasedStream(steps(log, live));

/** Returns a stream that starts with 7 and 8. */
async function* beginning(live: WatchStream<number>): Initial<number> {
  yield await Promise.resolve([7, 8]);
  return live;
}

async function* opened(open: () => Promise<WatchStream<number>>): Initial<number> {
  return await open();
}

t.test('batches are requested one at a time, followed by the live stream', async t => {
  const log: string[] = [];
  const stream = numbers(log, numbers());
  let wakes = 0;
  const woken = (): Promise<void> =>
    new Promise(resolve => {
      stream.onReady(() => {
        wakes++;
        resolve();
      });
    });
  t.same(log, [], 'nothing begins before it is taken');
  let ready = woken();
  t.equal(stream.take(), undefined);
  t.equal(stream.take(), undefined, 'which is not there yet');
  await ready;
  t.equal(wakes, 1);
  t.same(log, ['asked for 1'], 'no step ahead');
  t.same(stream.take(), { value: 1, done: false });
  ready = woken();
  t.equal(stream.take(), undefined);
  await ready;
  t.same(await all(stream), [2, 1, 2]);
  t.same(log, ['asked for 1', 'asked for 2', 'closed']);
  t.same(stream.take(), end);
});

t.test('the values of a batch are computed when they are taken', async t => {
  const made: number[] = [];
  const stream = new PhasedStream(
    (async function* (): Initial<number> {
      yield await Promise.resolve(
        (function* () {
          for (const value of [1, 2, 3]) {
            made.push(value);
            yield value;
          }
        })(),
      );
    })(),
  );
  const reader = stream[Symbol.asyncIterator]();
  t.same(await reader.next(), { value: 1, done: false });
  t.same(made, [1]);
  t.same(stream.take(), { value: 2, done: false }, 'without waiting');
  t.same(await all(stream), [3]);
});

t.test('an error is thrown once, in order', async t => {
  const stream = streamOf<number>(
    (async function* () {
      yield await Promise.resolve(1);
      throw new Error('broken');
    })(),
  );
  const reader = stream[Symbol.asyncIterator]();
  t.same(await reader.next(), { value: 1, done: false });
  await t.rejects(reader.next(), { message: 'broken' });
  t.same(await reader.next(), end);
  const refused = new PhasedStream(opened(() => Promise.reject(new Error('refused'))))[Symbol.asyncIterator]();
  await t.rejects(refused.next(), { message: 'refused' });
});

t.test('a closed stream ends, and so does a live stream that is returned too late', async t => {
  const log: string[] = [];
  for await (const value of numbers(log)) if (value === 1) break;
  t.same(log, ['asked for 1', 'closed']);

  const last: string[] = [];
  for await (const value of new PhasedStream(beginning(numbers([], numbers(last)))))
    if (value === 1 && last.length > 0) break;
  t.same(last, ['asked for 1', 'closed'], 'the live stream is closed');

  let open = (_: WatchStream<number>): void => undefined;
  let closes = 0;
  const stream = new PhasedStream(
    opened(() => new Promise(resolve => (open = resolve))),
    () => closes++,
  );
  const waiting = stream[Symbol.asyncIterator]().next();
  stream.close();
  t.equal(closes, 1);
  t.same(await waiting, end, 'the waiting reader gets the end');
  const tooLate = numbers(log);
  open(tooLate);
  await new Promise(setImmediate);
  t.same(tooLate.take(), end, 'it is closed');
});

t.test('initial values come before live ones', async t => {
  t.same(await all(new PhasedStream(beginning(numbers()))), [7, 8, 1, 2]);
  const closed = new PhasedStream(beginning(numbers()));
  t.same(await closed[Symbol.asyncIterator]().next(), { value: 7, done: false });
  closed.close();
  t.same(closed.take(), end);
});

t.test('a generator of values is closed with its stream', async t => {
  const log: string[] = [];
  const values = (async function* () {
    try {
      yield await Promise.resolve(1);
      yield 2;
    } finally {
      log.push('closed');
    }
  })();
  for await (const value of streamOf<number>(values)) if (value === 1) break;
  await new Promise(setImmediate);
  t.same(log, ['closed']);
});

t.test('a watch has one reader', async t => {
  const reader = new PhasedStream(opened(() => new Promise(() => undefined)))[Symbol.asyncIterator]();
  void reader.next();
  await t.rejects(reader.next(), { message: 'a watch has one reader' });
  await reader.return?.();
});
