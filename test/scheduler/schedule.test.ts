import t from 'tap';
import type { BindingSpec, BindingStatus, Cluster, TargetCluster } from '../../registry/kinds/karmada/types.js';
import { generalEstimator } from '../../scheduler/estimate/general.js';
import { schedule } from '../../scheduler/place/schedule.js';
import { golden } from '../data.js';

interface Input {
  clusters: Cluster[];
  spec: BindingSpec;
  status: BindingStatus;
  enableEmptyWorkloadPropagation: boolean;
}

interface Output {
  clusters?: TargetCluster[];
  kind?: string;
  error?: string;
}

const byName = (targets: readonly TargetCluster[]): TargetCluster[] =>
  [...targets].sort((a, b) => (a.name < b.name ? -1 : 1));

t.test('places bindings as Karmada does', async t => {
  for (const { name, input, output } of golden<Input, Output>('scheduling').cases) {
    // differs: Karmada sums up room in 32 bits, and fails to reschedule what is scaled to zero when the sum overflows.
    if (/available replicas -\d+ are not enough/.test(output.error ?? '')) continue;
    const { enableEmptyWorkloadPropagation, spec, status, clusters } = input;
    const options = { enableEmptyWorkloadPropagation, estimators: [generalEstimator] };
    const decision = schedule({ spec, status }, clusters, options);
    if (decision.type === 'placed')
      t.same(
        { clusters: byName(decision.clusters) },
        { clusters: byName(output.clusters ?? []), ...(output.error ? { error: output.error } : {}) },
        name,
      );
    else t.same({ kind: decision.type, error: decision.message }, { kind: output.kind, error: output.error }, name);
  }
});
