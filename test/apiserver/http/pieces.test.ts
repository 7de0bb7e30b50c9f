/** Bodies are joined in the time of requests, of which background work takes only a part. */
import { performance } from 'node:perf_hooks';
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { collectedInTurns, joinedInTurns } from '../../../apiserver/http/pieces.js';
import { takeBuffer } from '../../../apiserver/negotiate/buffer-pool.js';
import { yieldToEventLoop } from '../../../lib/time-slice.js';

const piece = Buffer.from('ab');

/** Milliseconds after which background work yields, and requests do not. */
const usedMs = 5;

/** Begins a turn of the event loop, of which other work uses some milliseconds. */
async function usedTurn(): Promise<void> {
  await immediate();
  await yieldToEventLoop();
  const until = performance.now() + usedMs;
  while (performance.now() < until);
}

const joins: Readonly<Record<string, (pieces: Iterable<Buffer>) => Promise<unknown>>> = {
  collectedInTurns,
  joinedInTurns: pieces => joinedInTurns(pieces, 8),
};

for (const [name, join] of Object.entries(joins))
  t.test(`${name}: a turn that other work has used for ${usedMs} ms has time for more than one piece`, async t => {
    let atOnce = 0;
    // On a busy machine, this thread may wait for a CPU until the turn is over.
    for (let attempts = 0; attempts < 50 && atOnce < 4; attempts++) {
      await usedTurn();
      let made = 0;
      const joining = join(
        (function* () {
          for (; made < 4; made++) yield piece;
        })(),
      );
      atOnce = made;
      await joining;
    }
    t.equal(atOnce, 4);
  });

t.test('all pieces, in their order', async t => {
  const pieces = ['a', 'bc', '', 'd'].map(text => Buffer.from(text));
  t.same(await collectedInTurns(pieces), pieces);
  t.same((await joinedInTurns(pieces, 6)).toString(), 'abcd');
});

t.test('a pooled buffer is given back when its bytes were copied', async t => {
  const pooled = takeBuffer();
  pooled.fill('a');
  const whole = await joinedInTurns([pooled], pooled.length);
  t.equal(takeBuffer().buffer, pooled.buffer);
  t.ok(whole.equals(Buffer.alloc(pooled.length, 'a')));
});
