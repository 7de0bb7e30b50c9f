import process from 'node:process';
import { generalEstimator } from '../../scheduler/estimate/general.js';
import { attempt } from '../../scheduler/loop/attempt.js';
import { decided } from '../../scheduler/loop/decided.js';
import { DecisionClasses } from '../../scheduler/place/classes.js';
import { measure } from '../sample.js';
import { bindingsOf, clustersOf } from '../scheduling-world.js';
import type { Scenario } from './scenario.js';

const clusterCount = 1000;
const bindingsPerCount = 2.5;

const nobody = (): never => {
  throw new Error('no members are asked');
};

export const scheduling: Scenario = {
  name: 'scheduling',
  about:
    'the decision alone, in this process: bindings that were never scheduled, over 1,000 clusters, one after the other. The CPU is that of this process',
  isLong: true,
  async run(target, { count }) {
    const clusters = clustersOf(clusterCount);
    const bindings = bindingsOf(Math.round(count * bindingsPerCount));
    const estimators = [generalEstimator];
    const classes = new DecisionClasses({ estimators });
    const options = { enableEmptyWorkloadPropagation: false, estimators, classes };
    const before = process.cpuUsage();
    const sample = await measure(target, `${bindings.length} x ${clusterCount}`, async () => {
      const latencies: number[] = [];
      for (const binding of bindings) {
        const began = performance.now();
        await decided(attempt(binding, clusters, undefined, options), nobody);
        latencies.push(performance.now() - began);
      }
      return latencies;
    });
    const { user, system } = process.cpuUsage(before);
    return [{ ...sample, cpuSeconds: (user + system) / 1e6 }];
  },
};
