// as pkg/apis/policy/validation ValidatePodDisruptionBudget, ValidatePodDisruptionBudgetStatusUpdate
import type { Validate } from '../../../registry/interface.js';
import { conditions } from '../../shared/rules/condition-rules.js';
import { countsAreNatural } from '../../shared/rules/counts.js';
import { intOrPercent, notMoreThanAll } from '../../shared/rules/int-or-percent.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { hasBadValues, labelSelector } from '../../shared/rules/selector-rules.js';
import { validate } from '../../shared/rules/validate.js';
import type { PodDisruptionBudget } from '../../../api/kubernetes/policy.js';

const evictions = ['AlwaysAllow', 'IfHealthyBudget'];

export const podDisruptionBudgetRules: readonly Validate[] = [
  validate<PodDisruptionBudget>((budget, old) => {
    const spec = budget.at('spec');
    const limits = [spec.at('minAvailable'), spec.at('maxUnavailable')];
    if (limits.every(limit => limit.isSet))
      spec.invalid(
        'minAvailable and maxUnavailable cannot be both set',
        shownInternal('PodDisruptionBudgetSpec', spec.value),
      );
    for (const limit of limits) {
      if (!limit.isSet) continue;
      intOrPercent(limit);
      notMoreThanAll(limit);
    }
    labelSelector(spec.at('selector'), hasBadValues(old?.spec?.selector));
    const policy = spec.at('unhealthyPodEvictionPolicy');
    if (policy.isSet && !evictions.includes(policy.value ?? '')) policy.notSupported(evictions);
  }),
];

export const podDisruptionBudgetStatusRules: readonly Validate[] = [
  validate<PodDisruptionBudget>(budget => {
    const status = budget.at('status');
    conditions(status.at('conditions'));
    countsAreNatural(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']);
  }),
];
