import t from 'tap';
import type { Cluster, ReplicaRequirements } from '../../registry/kinds/karmada/types.js';
import { estimateReplicas } from '../../scheduler/estimate/general.js';
import { golden } from '../data.js';

interface Input {
  mode: string;
  cluster: Cluster;
  requirements?: ReplicaRequirements;
}

t.test('the general estimator agrees with Karmada', async t => {
  for (const { name, input, output } of golden<Input, { replicas: number }>('estimators').cases) {
    if (input.mode !== 'general') continue;
    t.equal(estimateReplicas(input.cluster, input.requirements), output.replicas, name);
  }
});
