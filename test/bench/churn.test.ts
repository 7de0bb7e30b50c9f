/**
 * Deployments that are created and deleted leave little memory in use once the process is idle. Some rounds precede those that are measured, since they
 * make the process run and optimise all of its code.
 */
import t from 'tap';
import { type Churn, type ChurnPoint, startChurn } from '../../bench/churn/run-churn.js';

const skip = process.platform === 'linux' ? false : 'there is no /proc to read';
const count = 40;
const rounds = 5;
const timeoutMs = 240_000;
const pollMs = 500;
/** A heap whose pages are no larger than this many times its objects was compacted. */
const dense = 1.25;
const maxGrowth = 1.15;
const mebibyte = 2 ** 20;
/** Bytes of one thread's buffers when it is idle: what its journals and sockets write from, and little else. */
const maxIdleBufferBytes = 12 * mebibyte;
/**
 * Bytes of one thread's buffers after a round. Buffers that are kept for some seconds survive the collections of young objects, and are garbage until
 * the next full one; what they take of the C allocator's arenas is not given back. Mostly it is 7 to 17 MiB, beside busy processes more, since full
 * collections are then further apart.
 */
const maxBusyBufferBytes = 32 * mebibyte;

const isDense = ({ threads }: ChurnPoint): boolean =>
  threads.length === 2 && threads.every(heap => heap.residentBytes < dense * heap.usedBytes);

/** Waits until the memory of the idle process meets the condition. Returns the memory then, or after `timeoutMs`. */
async function settled(churn: Churn, when: string, condition: (point: ChurnPoint) => boolean): Promise<ChurnPoint> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const point = await churn.point(when);
    if (condition(point) || performance.now() > end) return point;
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
}

t.test('what came and went leaves little behind', { skip, timeout: 900_000 }, async t => {
  const churn = await startChurn(['--members=2'], count);
  t.teardown(() => churn.close());
  await churn.run(rounds);
  const before = await settled(churn, 'before', isDense);
  t.ok(isDense(before), `the heaps are compacted: ${JSON.stringify(before.threads)}`);
  const busy: ChurnPoint[] = [];
  await churn.run(rounds, async number => void busy.push(await churn.point(`round ${number}`)));
  const most = maxGrowth * before.residentBytes;
  const after = await settled(churn, 'after', point => isDense(point) && point.residentBytes < most);
  const shown = [before, ...busy, after].map(each => `${each.when} ${(each.residentBytes / mebibyte).toFixed(0)} MiB`);
  t.comment(shown.join(', '), JSON.stringify([before, after]));
  t.ok(after.revision > 1.5 * before.revision, 'much was written');
  t.ok(isDense(after), `the heaps are compacted: ${JSON.stringify(after.threads)}`);
  t.ok(after.residentBytes < most, `${shown.join(', ')}: at most ${maxGrowth} times as much as before`);
  for (const { thread, bufferBytes } of busy.flatMap(({ threads }) => threads))
    t.ok(bufferBytes < maxBusyBufferBytes, `thread ${thread}: buffers go with their use (${bufferBytes})`);
  for (const { thread, bufferBytes } of after.threads)
    t.ok(bufferBytes < maxIdleBufferBytes, `thread ${thread}: unused values have no buffers (${bufferBytes})`);
});
