import { setTimeout as pause } from 'node:timers/promises';
import { lines } from '../../aggregation/remote/mirror/lines.js';
import { startMembers } from '../members/start-members.js';
import { clusters } from '../objects.js';
import { measure, type Sample } from '../sample.js';
import type { Target } from '../target.js';
import { idle, usageOf } from '../usage.js';
import { type ClusterEvent, Readiness } from './readiness.js';
import { removeClusters } from './remove-clusters.js';
import { partOf, type Scenario } from './scenario.js';

const defaultSeconds = 60;

/** Returns the scenario in which the members must stay Ready for this time. */
export const lightMembersFor = (seconds: number): Scenario => ({
  name: 'light-members',
  about: `members without nodes and workloads in one process: their joins, then the control plane while all of them stay Ready for ${seconds} s`,
  isLong: true,
  skip: ({ pids }) => (pids.length === 0 ? 'it cannot reach members on this machine' : undefined),
  async run(target, { count }) {
    const members = await startMembers(partOf(count, 20), { prefix: 'light', light: true });
    try {
      const measured = { ...target, memberUsage: () => usageOf([members.pid]) };
      const { length } = members.names;
      const joined = await measure(measured, `join ${length}`, () => members.join(target.endpoint));
      await idle(target.pids);
      return [joined, await stayReady(measured, members.names, seconds)];
    } finally {
      // The members still answer while their clusters are removed.
      await removeClusters(target, members.names).finally(() => members.stop());
    }
  },
});

export const lightMembers = lightMembersFor(defaultSeconds);

/** Observes the clusters while nothing changes. Throws when one of them is not Ready at any time. */
async function stayReady(target: Target, names: readonly string[], seconds: number): Promise<Sample> {
  const ending = new AbortController();
  const body = await target.stream(`${clusters}?watch=1&resourceVersion=0`, ending.signal);
  const readiness = new Readiness(names);
  const follow = async (): Promise<void> => {
    for await (const line of lines(body)) readiness.note(JSON.parse(line.toString('utf8')) as ClusterEvent);
    throw new Error('the watch of the clusters ended');
  };
  const following = follow().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  following.catch(() => undefined); // It is awaited after the time of observation.
  const sample = await measure(target, `${names.length} members, idle`, async () => {
    await pause(seconds * 1000);
    return names.map(() => NaN); // An idle member has no latency, but its part of the CPU time.
  });
  ending.abort();
  await following;
  readiness.check();
  return { ...sample, latencies: [] };
}
