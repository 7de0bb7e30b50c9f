import { UsageError } from '../../cli/flags/flags.js';
import { changeLatency } from './change-latency.js';
import { idleAgents } from './idle-agents.js';
import { lightMembers } from './light-members.js';
import { manyPolicies } from './many-policies.js';
import { propagate } from './propagate.js';
import { get, list500, list5000 } from './read.js';
import type { Scenario } from './scenario.js';
import { scheduling } from './scheduling.js';
import { watch } from './watch.js';
import { change, create } from './write.js';

/** The scenarios in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  get,
  list500,
  list5000,
  create,
  change,
  watch,
  propagate,
  manyPolicies,
  changeLatency,
  lightMembers,
  idleAgents,
  scheduling,
];

/** Returns the scenarios with these names; without names, those that are not long. Throws UsageError for an unknown name. */
export function chosenScenarios(names: readonly string[]): readonly Scenario[] {
  for (const name of names)
    if (!scenarios.some(each => each.name === name)) throw new UsageError(`there is no scenario ${name}`);
  return scenarios.filter(({ name, isLong = false }) => (names.length === 0 ? !isLong : names.includes(name)));
}
