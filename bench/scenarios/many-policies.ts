import { allDeployments, deployment, deployments, policies, policy } from '../objects.js';
import { inNamespaces } from '../namespaces.js';
import { repeat } from '../repeat.js';
import { measure, type Sample } from '../sample.js';
import type { Target } from '../target.js';
import { watchReady } from './ready-deployments.js';
import { partOf, type Scenario } from './scenario.js';

const replicas = 2;
const namespaceCount = 10;
const width = 16;

export const manyPolicies: Scenario = {
  name: 'policies',
  about: `Deployments in ${namespaceCount} namespaces, each with a policy of its own: from the first create to the last status with the ready replicas of the members`,
  isLong: true,
  skip: ({ members }) => (members.length === 0 ? 'there are no member contexts' : undefined),
  async run(target, { namespace, count }) {
    const namespaces = Array.from({ length: namespaceCount }, (_, i) => `${namespace}-${i}`);
    return [await inNamespaces(target, namespaces, () => deployAll(target, namespaces, partOf(count, 2)))];
  },
};

/** Creates Deployments, each with its policy before it, and measures until the status of all counts their ready replicas. */
async function deployAll(target: Target, namespaces: readonly string[], count: number): Promise<Sample> {
  const own = new Set(namespaces);
  const includes = (namespace: string): boolean => own.has(namespace);
  const ready = await watchReady(target, allDeployments, { count, replicas, includes });
  const sample = await measure(target, `policies ${count}`, async () => {
    const began = new Map<string, number>();
    const writing = repeat({ count, width }, async index => {
      const namespace = namespaces[index % namespaces.length] ?? '';
      const name = `d-${index}`;
      began.set(`${namespace}/${name}`, performance.now());
      await target.send('POST', policies(namespace), policy(target.members, name));
      await target.send('POST', deployments(namespace), deployment(name, replicas));
    });
    await Promise.all([writing, ready.all]);
    return [...ready.at].map(([key, at]) => at - (began.get(key) ?? NaN));
  });
  ready.stop();
  return sample;
}
