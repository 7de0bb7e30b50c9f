import type { KubeObject } from '../../../../apimachinery/interface.js';
import { addQuantities, quantityText, zeroQuantity } from '../../../../apimachinery/quantity/quantity.js';
import { ExpectedError } from '../../../../lib/logging/cause.js';
import { luaNumberText } from '../../lua/number-text.js';
import { hasTrueCondition } from '../conditions.js';
import { greatestOf } from '../extremes.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter } from '../kind.js';
import { quantityIn } from '../quantities.js';
import { fieldAt } from '../read.js';
import { toNumber } from '../values.js';
import { rayComponents } from './ray-groups.js';
import { aggregateRay, type RayStatuses } from './ray-status.js';

const sums = [
  ...['readyWorkerReplicas', 'availableWorkerReplicas', 'desiredWorkerReplicas'],
  ...['maxWorkerReplicas', 'minWorkerReplicas'],
];

/** Returns the sum of a quantity. */
function quantitySum(statuses: RayStatuses, field: string): string {
  const texts = statuses.values(field).filter(value => value !== '');
  return quantityText(
    texts.reduce(
      (sum: typeof zeroQuantity, text) => addQuantities(sum, quantityIn(text, `status.${field}`)),
      zeroQuantity,
    ),
  );
}

/** Returns the sum of a number that is written as a string. */
function textSum(statuses: RayStatuses, field: string): string {
  let sum = 0;
  for (const value of statuses.values(field)) {
    if (value === '') continue;
    const number = toNumber(value);
    if (number === undefined) throw new ExpectedError(`status.${field} is not a number`);
    sum += number;
  }
  return luaNumberText(sum);
}

function isHealthy(object: KubeObject): boolean {
  const has = (type: string): boolean => hasTrueCondition(object, type);
  return has('HeadPodReady') && has('RayClusterProvisioned') && !has('RayClusterReplicaFailure');
}

/** Interprets a RayCluster. */
export const rayCluster: KindInterpreter = {
  components: object => rayComponents(fieldAt(object, 'spec')),
  aggregateStatus: aggregateRay(statuses => {
    const first = statuses.with('state')[0];
    return {
      conditions: statuses.conditions(),
      ...Object.fromEntries(sums.map(field => [field, statuses.sum(field)])),
      desiredCPU: quantitySum(statuses, 'desiredCPU'),
      desiredMemory: quantitySum(statuses, 'desiredMemory'),
      desiredGPU: textSum(statuses, 'desiredGPU'),
      desiredTPU: textSum(statuses, 'desiredTPU'),
      lastUpdateTime: greatestOf(statuses.values('lastUpdateTime'), 'status.lastUpdateTime'),
      endpoints: statuses.first('endpoints'),
      head: statuses.first('head'),
      state: first?.['state'],
      stateTransitionTimes: first?.['stateTransitionTimes'],
    };
  }),
  health: healthyIf(isHealthy),
};
