import type { BindingSpec, BindingStatus, Cluster, TargetCluster } from '../../../api/karmada/types.js';
import { generalEstimator } from '../../../scheduler/estimate/general.js';
import { atOnce } from '../../../lib/time-slice.js';
import { schedule } from '../../../scheduler/place/schedule.js';
import { check } from './check.js';

interface Input {
  readonly clusters: Cluster[];
  readonly spec: BindingSpec;
  readonly status: BindingStatus;
  readonly enableEmptyWorkloadPropagation: boolean;
}

interface Output {
  readonly clusters?: TargetCluster[];
  readonly kind?: string;
  readonly error?: string;
}

const byName = (targets: readonly TargetCluster[] = []): TargetCluster[] =>
  [...targets].sort((a, b) => (a.name < b.name ? -1 : 1));

export const scheduling = check<Input, Output>({
  area: 'scheduling',
  part: 'places and replicas',
  // differs: Karmada sums up available replicas in 32 bits. If the sum overflows, it fails to reschedule what is scaled to zero.
  covers: (_, { error }) => !/available replicas -\d+ are not enough/.test(error ?? ''),
  compare({ clusters, spec, status, enableEmptyWorkloadPropagation }, { clusters: targets, kind, error }) {
    const options = { enableEmptyWorkloadPropagation, estimators: [generalEstimator] };
    const decision = atOnce(schedule({ spec, status }, clusters, options));
    return decision.type === 'placed'
      ? { want: { clusters: byName(targets), error }, got: { clusters: byName(decision.clusters) } }
      : { want: { kind, error }, got: { kind: decision.type, error: decision.message } };
  },
});
