// as pkg/apis/coordination/validation ValidateLeaseSpec
import { checkQualifiedName } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { validate } from '../../shared/rules/validate.js';
import type { Lease } from '../../../api/kubernetes/coordination.js';

const strategies = ['OldestEmulationVersion'];

function strategyOf(strategy: Field<string>): void {
  const name = strategy.value ?? '';
  // The repeated name in the path is upstream's.
  const field = strategy.as(`${strategy.path}.strategy`);
  if (name.includes('/')) field.check(checkQualifiedName);
  else if (!strategies.includes(name)) field.notSupported(strategies);
}

export const leaseRules: readonly Validate[] = [
  validate<Lease>(lease => {
    const spec = lease.at('spec');
    const [duration, transitions] = [spec.at('leaseDurationSeconds'), spec.at('leaseTransitions')];
    if (duration.isSet && (duration.value ?? 0) <= 0) duration.invalid('must be greater than 0');
    if (transitions.isSet && (transitions.value ?? 0) < 0) transitions.invalid('must be greater than or equal to 0');
    const strategy = spec.at('strategy');
    if (strategy.isSet) strategyOf(strategy);
    const holder = spec.at('preferredHolder');
    if (!holder.isEmpty && strategy.isEmpty) holder.forbidden('may only be specified if `strategy` is defined');
  }),
];
