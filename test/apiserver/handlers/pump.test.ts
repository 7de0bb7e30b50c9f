/** How events become writes: which events are written together, and how many are read while the client is behind. */
import { Writable } from 'node:stream';
import t from 'tap';
import { pump } from '../../../apiserver/handlers/pump.js';
import { ChunkCopies } from '../../../apiserver/http/chunk-copies.js';
import { WritableResponse } from '../../../apiserver/http/response-stream.js';
import { TurnQueue } from '../../../lib/turn-queue.js';
import type { ObjectEvent } from '../../../registry/pipeline/interface.js';
import type { Revision } from '../../../storage/interface.js';
import { WatchStream } from '../../../storage/watch-stream.js';

const event = (revision: number): ObjectEvent => ({
  type: 'BOOKMARK',
  revision: revision as Revision,
  initialEventsEnd: false,
});
const encode = ({ revision }: ObjectEvent): Buffer => Buffer.from(`${revision} `);

class Events extends WatchStream<ObjectEvent> {
  readonly left: (ObjectEvent | Error | 'end')[] = [];

  push(value: ObjectEvent | Error | 'end'): void {
    this.left.push(value);
    this.listener();
  }

  take(): IteratorResult<ObjectEvent, undefined> | undefined {
    const next = this.left.shift();
    if (next instanceof Error) throw next;
    if (next === 'end') return { value: undefined, done: true };
    return next && { value: next, done: false };
  }

  close(): void {
    this.left.length = 0;
  }
}

/** Returns events that the test triggers. */
function manualEvents() {
  const events = new Events();
  const happen = (...what: (number | Error | 'end')[]): void => {
    for (const each of what) events.push(typeof each === 'number' ? event(each) : each);
  };
  return { events, happen, left: events.left };
}

/** Returns a client that buffers this many writes, and takes no more until `read` is called. */
function client(bufferedWrites = Infinity) {
  const writes: string[] = [];
  const held: (() => void)[] = [];
  const to = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      if (writes.length < bufferedWrites) done();
      else held.push(done);
    },
  });
  return { writes, to, stream: new WritableResponse(to, new ChunkCopies()), read: () => held.shift()?.() };
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const rest = { first: undefined, sent: () => undefined, lane: new TurnQueue().lane() };

t.test('events of one turn are one write, after the writer has continued', async t => {
  const { events, happen } = manualEvents();
  const { writes, stream } = client();
  const sizes: number[] = [];
  const done = pump({ ...rest, events, encode, stream, sent: bytes => sizes.push(bytes) });
  happen(1);
  t.same(writes, [], 'not during the write');
  await turn();
  happen(2, 3);
  await Promise.resolve();
  happen(4);
  await turn();
  t.same(writes, ['1 ', '2 3 4 ']);
  happen(5, 'end');
  await done;
  t.same(writes, ['1 ', '2 3 4 ', '5 ']);
  t.same(sizes, [2, 2, 2, 2, 2]);
});

t.test('no events are read while the client is behind', async t => {
  const { events, happen, left } = manualEvents();
  const { writes, stream, read } = client(1);
  const done = pump({ ...rest, events, encode, stream });
  happen(1);
  await turn();
  for (let revision = 2; revision < 100; revision++) happen(revision);
  await turn();
  t.same(writes, ['1 ']);
  t.equal(left.length, 98);
  read();
  await turn();
  await turn();
  t.equal(left.length, 0, 'after it has caught up');
  t.match(writes[1], /^2 3 .* 99 $/);
  read();
  await turn();
  happen('end');
  await done;
});

t.test('writes are not joined beyond the size limit', async t => {
  const { events, happen } = manualEvents();
  const { writes, stream } = client();
  const big = Buffer.alloc(40_000);
  happen(1, 2, 3, 'end');
  await pump({ ...rest, events, encode: () => big, stream });
  t.same(
    writes.map(({ length }) => length),
    [80_000, 40_000],
  );
});

t.test('frames that are encoded asynchronously keep their order', async t => {
  const { events, happen } = manualEvents();
  const { writes, stream } = client();
  const slowly = (given: ObjectEvent) => (given.revision === 2 ? turn().then(() => encode(given)) : encode(given));
  happen(1, 2, 3, 'end');
  await pump({ ...rest, events, encode: slowly, stream });
  t.equal(writes.join(''), '1 2 3 ');
});

t.test('an error is reported after the earlier events', async t => {
  const rows = [
    { name: 'an error of the watch', encode, what: [1, 2, new Error('gone')], expect: '1 2 ' },
    {
      name: 'a frame that cannot be encoded',
      encode: (given: ObjectEvent) => (given.revision === 2 ? Promise.reject(new Error('gone')) : encode(given)),
      what: [1, 2, 3],
      expect: '1 ',
    },
  ] as const;
  for (const { name, encode, what, expect } of rows) {
    const { events, happen } = manualEvents();
    const { writes, stream } = client();
    const done = pump({ ...rest, events, encode, stream });
    happen(...what);
    await t.rejects(done, { message: 'gone' }, name);
    t.equal(writes.join(''), expect, name);
  }
});

t.test('the first event may be read before; nothing is kept for a client that has left', async t => {
  const { events, happen, left } = manualEvents();
  const { writes, stream, to } = client();
  const done = pump({ ...rest, first: () => ({ value: event(1), done: false }), events, encode, stream });
  happen(2);
  await turn();
  t.equal(writes.join(''), '1 2 ');
  to.destroy();
  happen(3, 4, 'end');
  await done;
  t.equal(left.length, 0);
  t.equal(writes.join(''), '1 2 ');
});
