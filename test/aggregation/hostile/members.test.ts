import process from 'node:process';
import t from 'tap';
import { isTooLong } from '../../stalls/limits.js';
import { memberBehaviours } from './behaviours.js';
import { assertStall, startScene } from './scene.js';

const mebibyte = 1024 * 1024;
/** Bytes that the process may grow by while one member misbehaves. */
const maxGrowth = 400 * mebibyte;
/** Bytes that it may be larger than before when all are gone. */
const maxKept = 256 * mebibyte;
/** Bytes of the heap and beside it that may still be in use then. */
const maxInUse = 48 * mebibyte;
const mib = (bytes: number): number => Math.round(bytes / mebibyte);
const minRequests = 200;
/** A body or a watch that never ends is looked at for so many requests of others. */
const maxRequests = 1500;
/** A regular expression: only these behaviours. */
const only = process.env['HOSTILE'];

t.test('members that misbehave neither hold the event loop nor take memory', { timeout: 600_000 }, async t => {
  const scene = await startScene(t);
  const { server, hostile } = scene;
  // What the first member takes, every process takes.
  await scene.join('quiet', hostile.quiet);
  for (let i = 0; i < minRequests; i++) await server.call('GET', '/version');
  await scene.leave('quiet');
  const start = await scene.memory();
  /** What is measured while one member misbehaves. */
  async function play(i: number, cluster: string) {
    await scene.begin();
    const before = (await hostile.asked())[i] ?? 0;
    await scene.join(cluster, hostile.url(i));
    while (((await hostile.asked())[i] ?? 0) === before) await server.call('GET', '/version');
    const earlier = (await hostile.askedLater())[i] ?? 0;
    const isDone = async (): Promise<boolean> => ((await hostile.askedLater())[i] ?? 0) > earlier;
    let answered = true;
    for (let n = 0; n < maxRequests && (n < minRequests || !(await isDone())); n++)
      answered &&= (await server.call('GET', '/version')).status === 200;
    const report = await scene.report();
    await scene.leave(cluster);
    return { answered, report };
  }

  for (const [i, { name }] of memberBehaviours.entries()) {
    if (only !== undefined && !new RegExp(only).test(name)) continue;
    const first = await play(i, `m${i}`);
    // Other processes disturb a measurement now and then; a stall that is the member's comes again.
    const isAgain = isTooLong(first.report.stall);
    const { answered, report } = isAgain ? await play(i, `m${i}-again`) : first;
    t.ok(answered, `${name}: every request is answered`);
    assertStall(t, report, name);
    t.ok(report.peak - start.rss < maxGrowth, `${name}: ${mib(report.peak - start.rss)} MiB were taken`);
  }
  for (let n = 0; n < 20; n++) await server.call('GET', '/version');
  const asked = await hostile.asked();
  for (let n = 0; n < minRequests; n++) await server.call('GET', '/version');
  t.strictSame(await hostile.asked(), asked, 'a cluster that has left is asked nothing any more');
  const end = await scene.memory();
  const before = start.heapUsed + start.external;
  const after = end.heapUsed + end.external;
  t.ok(after - before < maxInUse, `what is in use went from ${mib(before)} to ${mib(after)} MiB`);
  // The allocator and the engine keep some of what they once had; it does not grow with the number of attacks.
  const kept = end.rss - start.rss;
  t.ok(kept < maxKept, `the process grew from ${mib(start.rss)} to ${mib(end.rss)} MiB`);
});
