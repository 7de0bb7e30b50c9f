/** The recordings of scenarios, and how they are played: with a control plane and two members in one process. */
import { isConditionTrue } from '../../../apimachinery/meta/conditions.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { recorded } from '../../data.js';
import { until } from '../../storage/until.js';
import { inParallel } from '../parallel.js';
import { play, type PlayOptions, type Scenario } from './play.js';
import type { Result } from '../replay.js';
import { openServers, type ScenarioServers } from './scenario-servers.js';
import { variations } from './scenario-variations.js';
import { withFlagship } from '../with-flagship.js';

/** The flags that Karmada ran with, by file. */
const flags = {
  scenarios: [],
  gates: [
    '--feature-gates=AllAlpha=true,AllBeta=true',
    '--allow-no-execute-taint-policy',
    '--enable-no-execute-taint-eviction',
    '--controllers=*,hpaScaleTargetMarker,deploymentReplicasSyncer',
  ],
} as const;

export type ScenarioFile = keyof typeof flags;

export const scenarioFiles = Object.keys(flags) as readonly ScenarioFile[];

/** Milliseconds within which each expected state must be reached, unless Karmada itself waits for a timer. */
export const defaultWithinMs = 5000;

export const scenariosIn = (file: ScenarioFile): readonly Scenario[] =>
  (recorded(`scenarios/${file}.json`) as { scenarios: Scenario[] }).scenarios;

/** The number of scenarios that are played at a time. They mostly wait. */
const width = 4;

/** Returns the number of clusters that are Ready. */
async function readyClusters(servers: ScenarioServers): Promise<number> {
  const { value } = await servers.call('karmada', 'GET', '/apis/cluster.karmada.io/v1alpha1/clusters');
  const { items = [] } = value as { readonly items?: readonly Cluster[] };
  return items.filter(({ status }) => isConditionTrue(status?.conditions, 'Ready')).length;
}

/** Plays scenarios of a file on a new control plane, and returns the results in order. Those that must run alone run after the others. */
export async function playFile(
  file: ScenarioFile,
  chosen: readonly Scenario[],
  options: Omit<PlayOptions, 'variation'>,
): Promise<readonly Result[]> {
  const timerSeconds = ({ name }: Scenario): number => variations[`${file}/${name}`]?.timerSeconds ?? 0;
  const alone = chosen.filter(scenario => scenario.alone);
  const together = chosen.filter(scenario => !scenario.alone).sort((a, b) => timerSeconds(b) - timerSeconds(a));
  return withFlagship(['--members', '2', ...flags[file]], async ({ kubeconfig }) => {
    const servers = openServers(kubeconfig);
    const run = async (scenario: Scenario): Promise<Result> => {
      const { name } = scenario;
      return {
        name,
        problems: await play(servers, scenario, { ...options, variation: variations[`${file}/${name}`] }),
      };
    };
    try {
      // A placement over both members needs both; what a scenario finds at its start counts.
      await until('both members are Ready', async () => (await readyClusters(servers)) === 2);
      const results = [...(await inParallel(together, width, run)), ...(await inParallel(alone, 1, run))];
      return chosen.flatMap(({ name }) => results.find(result => result.name === name) ?? []);
    } finally {
      servers.close();
    }
  });
}
