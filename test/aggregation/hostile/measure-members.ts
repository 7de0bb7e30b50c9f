import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import { isTooLong, limits } from '../../stalls/limits.js';
import { assertStall, type Fixture, startFixture } from './fixture.js';
import type { Protocol } from './server.js';

const mebibyte = 1024 * 1024;
/** Limit for the growth of the process while one member misbehaves, in bytes: the mirrors of a member may take 512 MiB, the rest is garbage. */
const maxGrowth = 640 * mebibyte;
/** Limit for the growth of the process that remains some seconds after all members left, in bytes: free memory between blocks in use. */
const maxKept = 96 * mebibyte;
/** Limit for the time until the freed memory is returned to the system, in milliseconds. It takes an idle process some 10 seconds. */
const maxReturnMs = 60_000;
const pollMs = 500;
/** Limit for the growth of used heap and external memory that remains, in bytes. */
const maxInUse = 48 * mebibyte;
const mib = (bytes: number): number => Math.round(bytes / mebibyte);
const minRequests = 200;
/** Other requests that are made at most while a behaviour without end is measured. */
const maxRequests = 300;
/** A regular expression that selects behaviours by name. */
const only = process.env['HOSTILE'];

/** Waits until the process has returned the memory above a limit to the system. Returns its memory then, or after `maxReturnMs`. */
async function memoryWithout({ memory }: Fixture, maxBytes: number): Promise<NodeJS.MemoryUsage> {
  const end = performance.now() + maxReturnMs;
  for (;;) {
    const usage = await memory();
    if (usage.rss < maxBytes || performance.now() > end) return usage;
    await setTimeout(pollMs);
  }
}

/** Measures the control plane while one member after another misbehaves. `rows`: the behaviours of the hostile server. */
export async function measureMembers(
  t: Test,
  protocol: Protocol,
  rows: readonly { readonly name: string; readonly isSkipped?: boolean }[],
): Promise<void> {
  const fixture = await startFixture(t, protocol);
  const { server, hostile } = fixture;
  // The first member costs memory once, which is not part of the measurement.
  await fixture.join('quiet', hostile.quiet);
  for (let i = 0; i < minRequests; i++) await server.call('GET', '/version');
  await fixture.leave('quiet');
  const start = await fixture.memory();
  /** Measures the process while one member misbehaves. */
  async function measure(i: number, cluster: string) {
    await fixture.begin();
    const before = (await hostile.requestCounts())[i] ?? 0;
    await fixture.join(cluster, hostile.url(i));
    while (((await hostile.requestCounts())[i] ?? 0) === before) await server.call('GET', '/version');
    const earlier = (await hostile.laterRequestCounts())[i] ?? 0;
    const isDone = async (): Promise<boolean> => ((await hostile.laterRequestCounts())[i] ?? 0) > earlier;
    let answered = true;
    for (let n = 0; n < maxRequests && (n < minRequests || !(await isDone())); n++)
      answered &&= (await server.call('GET', '/version')).status === 200;
    const report = await fixture.report();
    await fixture.leave(cluster);
    return { answered, report };
  }

  for (const [i, { name, isSkipped = false }] of rows.entries()) {
    if (isSkipped) continue;
    if (only !== undefined && !new RegExp(only).test(name)) continue;
    const first = await measure(i, `m${i}`);
    // Other processes disturb a measurement now and then. A stall that the member causes shows up in the second run, too.
    const isRepeated = isTooLong(first.report.stall, limits.stallOfMany);
    const { answered, report } = isRepeated ? await measure(i, `m${i}-again`) : first;
    t.ok(answered, `${name}: every request is answered`);
    assertStall(t, report, name);
    t.ok(report.peak - start.rss < maxGrowth, `${name}: ${mib(report.peak - start.rss)} MiB of growth`);
  }
  for (let n = 0; n < 20; n++) await server.call('GET', '/version');
  const requestCounts = await hostile.requestCounts();
  for (let n = 0; n < minRequests; n++) await server.call('GET', '/version');
  t.strictSame(await hostile.requestCounts(), requestCounts, 'a cluster that has left gets no more requests');
  const end = await memoryWithout(fixture, start.rss + maxKept);
  const before = start.heapUsed + start.external;
  const after = end.heapUsed + end.external;
  t.ok(after - before < maxInUse, `memory in use went from ${mib(before)} to ${mib(after)} MiB`);
  // The allocator keeps some freed memory; that does not grow with the number of behaviours.
  const kept = end.rss - start.rss;
  t.ok(kept < maxKept, `the process grew from ${mib(start.rss)} to ${mib(end.rss)} MiB`);
}
