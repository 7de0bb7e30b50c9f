import { changeLatency } from './change-latency.js';
import { lightMembers } from './light-members.js';
import { policies } from './policies.js';
import { propagate } from './propagate.js';
import { get, list500, list5000 } from './read.js';
import type { Scenario } from './scenario.js';
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
  policies,
  changeLatency,
  lightMembers,
];
