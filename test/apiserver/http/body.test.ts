/** Bodies that arrive in very many chunks. */
import { Readable } from 'node:stream';
import t from 'tap';
import { WholeBody, readBody } from '../../../apiserver/http/body.js';
import { cpuMs } from '../../cpu-cost.js';
import { undisturbed } from '../../undisturbed.js';

t.test('a body that arrives byte by byte is complete', async t => {
  for (const count of [1, 255, 256, 257, 512, 1000]) {
    const body = new WholeBody(undefined, 10_000);
    const expected = Buffer.from(Array.from({ length: count }, (_, i) => i % 251));
    for (const byte of expected) body.push(Buffer.from([byte]));
    body.end();
    t.same(await body.promise, expected, `${count} pieces`);
  }
});

t.test('the work at the end of a body does not grow with the number of chunks', async t => {
  const count = 3_000_000;
  const slab = Buffer.alloc(count, ' ');
  const ms = await undisturbed(
    ms => ms < 25,
    async () => {
      const body = new WholeBody(undefined, count);
      for (let i = 0; i < count; i++) body.push(slab.subarray(i, i + 1));
      const ms = cpuMs(() => body.end());
      t.equal((await body.promise).length, count);
      return ms;
    },
  );
  t.ok(ms < 25, `${ms} ms`);
});

t.test('a body that is too large is refused, in any number of chunks', async t => {
  const body = new WholeBody(undefined, 300);
  for (let i = 0; i < 301; i++) body.push(Buffer.alloc(1));
  await t.rejects(body.promise, { code: 413 });
});

t.test('the event loop turns while a body of many pieces is read', async t => {
  const count = 20_000;
  const source = Readable.from(
    Array.from({ length: count }, () => Buffer.from('x')),
    { highWaterMark: 2 * count },
  );
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const body = await readBody(source, undefined, count);
  isOver = true;
  t.equal(body.length, count);
  t.ok(turns >= 15, `${turns} turns`);
});
