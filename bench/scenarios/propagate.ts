import { configMap, configMaps, deployment, deployments, policies, policy } from '../objects.js';
import { repeat } from '../repeat.js';
import { measure, type Sample } from '../sample.js';
import type { Target } from '../target.js';
import { watchReady } from './ready-deployments.js';
import { partOf, type Scenario } from './scenario.js';

const replicas = 2;

export const propagate: Scenario = {
  name: 'propagate',
  about:
    'Deployments and one policy: from the create of a template until its status counts the ready replicas of the members; CPU also in creates of a ConfigMap',
  skip: ({ members }) => (members.length === 0 ? 'there are no member contexts' : undefined),
  async run(target, { namespace, count }) {
    await target.send('POST', policies(namespace), policy(target.members));
    const first = await creates(target, namespace, 'before', count);
    const cold = await deploy(target, { namespace, prefix: 'd', count: partOf(count, 4) });
    const second = await creates(target, namespace, 'between', count);
    const warm = await deploy(target, { namespace, prefix: 'w', count: partOf(count, 4) });
    return [inCreates(cold, first), inCreates({ ...warm, name: `${warm.name} more` }, second)];
  },
};

const createWidth = 32;

const creates = (target: Target, namespace: string, prefix: string, count: number): Promise<Sample> =>
  measure(target, 'create', () =>
    repeat({ count, width: createWidth }, async index => {
      await target.send('POST', configMaps(namespace), configMap(`${prefix}-${index}`));
    }),
  );

const inCreates = (sample: Sample, { cpuSeconds, count }: Sample): Sample => ({
  ...sample,
  ...(cpuSeconds !== undefined && { createCpuSeconds: cpuSeconds / count }),
});

interface Burst {
  readonly namespace: string;
  /** The beginning of the names. */
  readonly prefix: string;
  readonly count: number;
}

/** Creates Deployments, 16 at a time, and measures until all of them are ready in the members. */
async function deploy(target: Target, { namespace, prefix, count }: Burst): Promise<Sample> {
  const path = deployments(namespace);
  const includes = (_: string, name: string): boolean => name.startsWith(`${prefix}-`);
  const ready = await watchReady(target, path, { count, replicas, includes });
  const sample = await measure(target, `propagate ${count}`, async () => {
    const began = new Map<string, number>();
    const writing = repeat({ count, width: 16 }, async index => {
      const name = `${prefix}-${index}`;
      began.set(`${namespace}/${name}`, performance.now());
      await target.send('POST', path, deployment(name, replicas));
    });
    await Promise.all([writing, ready.all]);
    return [...ready.at].map(([key, at]) => at - (began.get(key) ?? NaN));
  });
  ready.stop();
  return sample;
}
