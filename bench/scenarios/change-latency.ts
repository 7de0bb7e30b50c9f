import { configMapOf2KiB, configMapPolicy, configMaps, policies } from '../objects.js';
import { repeat } from '../repeat.js';
import { measure, type Sample } from '../sample.js';
import type { Target } from '../target.js';
import { idle } from '../usage.js';
import { watchApplied } from '../works/applied.js';
import { ArrivalTimes } from '../works/arrivals.js';
import { partOf, type Scenario } from './scenario.js';

const width = 16;
const bindingsPerCount = 5;
const timeoutMs = 600_000;

export const changeLatency: Scenario = {
  name: 'change-latency',
  about:
    'ConfigMaps with a binding each in all members; one is changed at a time: from sending the change until the watch of a member shows it, for each member',
  isLong: true,
  skip: ({ members }) => (members.length === 0 ? 'there are no member contexts' : undefined),
  async run(target, { namespace, count }) {
    const bindings = count * bindingsPerCount;
    await target.send('POST', policies(namespace), configMapPolicy(target.members));
    const { applied } = await watchApplied(target, namespace, bindings);
    await repeat({ count: bindings, width }, async index => {
      await target.send('POST', configMaps(namespace), configMapOf2KiB(index));
    });
    await applied;
    await idle(target.pids);
    return [await changes(target, { namespace, bindings, count: partOf(count, 4) })];
  },
};

interface Changes {
  readonly namespace: string;
  readonly bindings: number;
  /** The number of changes, each of another ConfigMap while there are enough. */
  readonly count: number;
}

/** Changes one ConfigMap after the other, when the one before has arrived in all members. */
async function changes(target: Target, { namespace, bindings, count }: Changes): Promise<Sample> {
  const signal = AbortSignal.timeout(timeoutMs);
  const members = await Promise.all(
    target.memberEndpoints.map(endpoint => ArrivalTimes.open(endpoint, namespace, signal)),
  );
  try {
    return await measure(target, `change of ${bindings}`, async () => {
      const latencies: number[] = [];
      for (let round = 1; round <= count; round++) {
        const name = `c-${Math.floor(((round - 1) * bindings) / count)}`;
        const patch = JSON.stringify({ data: { round: String(round) } });
        const arrivals = members.map(member => member.next(name, round));
        const began = performance.now();
        const sent = target.send(
          ...(['PATCH', `${configMaps(namespace)}/${name}`, patch, 'application/merge-patch+json'] as const),
        );
        const [, ...times] = await Promise.all([sent, ...arrivals]);
        latencies.push(...times.map(at => at - began));
      }
      return latencies;
    });
  } finally {
    for (const member of members) await member.stop();
  }
}
