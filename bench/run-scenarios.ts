import process from 'node:process';
import { inNamespaces } from './namespaces.js';
import type { Line } from './print.js';
import { merge, type Sample } from './sample.js';
import type { Scenario } from './scenarios/scenario.js';
import type { Target } from './target.js';

interface Rounds {
  /** As in `Scenario.run`. */
  readonly count: number;
  readonly rounds: number;
}

interface Measured {
  /** The lines of the scenarios that have ended. */
  readonly lines: ReadonlyMap<Target, readonly Line[]>;
  /** The failure of a scenario, after which none was run. */
  readonly failure?: Error;
}

/** Runs all rounds of all scenarios. Servers alternate, and so does the first one. A failure does not lose the results of earlier scenarios. */
export async function runScenarios(
  targets: readonly Target[],
  scenarios: readonly Scenario[],
  rounds: Rounds,
): Promise<Measured> {
  const lines = new Map(targets.map(target => [target, [] as Line[]]));
  for (const scenario of scenarios) {
    console.error(`${scenario.name}: ${scenario.about}`);
    try {
      for (const [target, samples] of await samplesOf(targets, scenario, rounds))
        for (const sample of samples) lines.get(target)?.push({ server: target.name, sample });
    } catch (cause) {
      return { lines, failure: new Error(`${scenario.name} failed`, { cause }) };
    }
  }
  return { lines };
}

/** Runs all rounds of a scenario. Resolves with its samples, each merged over the rounds. */
async function samplesOf(
  targets: readonly Target[],
  scenario: Scenario,
  { count, rounds }: Rounds,
): Promise<[Target, Sample[]][]> {
  const samples = new Map(targets.map(target => [target, [] as (readonly Sample[])[]]));
  for (let round = 0; round < rounds; round++)
    for (const target of round % 2 === 0 ? targets : [...targets].reverse()) {
      const skipped = scenario.skip?.(target);
      if (skipped === undefined) samples.get(target)?.push(await once(target, scenario, count, round));
      else console.error(`  not on ${target.name}: ${skipped}`);
    }
  return [...samples].map(([target, all]) => [
    target,
    (all[0] ?? []).map((_, index) => merge(all.flatMap(round => round[index] ?? []))),
  ]);
}

/** Runs a scenario once, in a namespace that is created before and deleted after. */
async function once(target: Target, scenario: Scenario, count: number, round: number): Promise<readonly Sample[]> {
  const namespace = `bench-${scenario.name}-${process.pid}-${round}`;
  return inNamespaces(target, [namespace], () => scenario.run(target, { namespace, count }));
}
