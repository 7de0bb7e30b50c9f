import t from 'tap';
import { clusterMatches } from '../../registry/kinds/karmada/cluster-affinity.js';
import type { Cluster, ClusterAffinity } from '../../registry/kinds/karmada/types.js';
import { golden } from '../data.js';

t.test('affinities select clusters as in Karmada', async t => {
  const cases = golden<{ cluster?: Cluster; affinity?: ClusterAffinity }, { matches: boolean }>('matching').cases;
  for (const { name, input, output } of cases) {
    if (!input.cluster || !input.affinity) continue;
    t.equal(clusterMatches(input.cluster, input.affinity), output.matches, name);
  }
});
