// as pkg/apis/apps/validation ValidateDaemonSet*
import type { Validate } from '../../../registry/interface.js';
import { podTemplate, templateOptions } from '../core/pod-spec/pod-template-rules.js';
import { countsAreNatural, notDecremented } from '../../shared/rules/counts.js';
import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../apimachinery/selectors/label-selectors.js';
import type { Field } from '../../shared/rules/field.js';
import { amountOf, intOrPercent, notMoreThanAll } from '../../shared/rules/int-or-percent.js';
import { shownInternal, shownMap, shownSelector } from '../../shared/go-text/internal-json.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { DaemonSet, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from '../../../api/kubernetes/apps.js';
import { labelSelector } from '../../shared/rules/selector-rules.js';
import { keptSelector, compiled, isEmptySelector, alwaysRestarts } from './selector-rules.js';

function spec(set: Field<DaemonSet>, old: DaemonSet | undefined): void {
  const at = set.at('spec');
  const selector = at.at('selector');
  const options = templateOptions(old?.spec?.template);
  const oldSelector = old?.spec?.selector as LabelSelector | undefined;
  const badBefore = labelSelectorFaults(oldSelector, '').some(fault => fault.path.includes('values'));
  labelSelector(selector, options.allowBadAffinitySelectors || badBefore);
  const template = at.at('template');
  const labels = template.at('metadata').at('labels');
  const rule = compiled(selector.value);
  if (rule && !rule.matches(labels.value))
    labels.invalid('`selector` does not match template `labels`', shownMap(labels.value));
  if (selector.isSet && isEmptySelector(selector.value))
    selector.invalid('empty selector is invalid for daemonset', shownSelector(selector.value));
  podTemplate(template, options);
  alwaysRestarts(template, 'DaemonSet');
  nonNegative(at.at('minReadySeconds'));
  updateStrategy(at.at('updateStrategy'));
  nonNegative(at.at('revisionHistoryLimit'));
}

function updateStrategy(strategy: Field<DaemonSetUpdateStrategy>): void {
  const type = strategy.value?.type;
  if (type === 'OnDelete') return;
  const rolling = strategy.at('rollingUpdate');
  if (type !== 'RollingUpdate')
    strategy.notSupported(['RollingUpdate', 'OnDelete'], shownInternal('DaemonSetUpdateStrategy', strategy.value));
  else if (rolling.isSet) rollingUpdate(rolling);
  else rolling.required();
}

function rollingUpdate(rolling: Field<RollingUpdateDaemonSet>): void {
  const unavailable = rolling.at('maxUnavailable');
  const surge = rolling.at('maxSurge');
  intOrPercent(unavailable);
  intOrPercent(surge);
  notMoreThanAll(unavailable);
  notMoreThanAll(surge);
  const hasUnavailable = amountOf(unavailable.value) !== 0;
  const hasSurge = amountOf(surge.value) !== 0;
  if (hasUnavailable && hasSurge) surge.invalid('may not be set when maxUnavailable is non-zero');
  else if (!hasUnavailable && !hasSurge) unavailable.required('cannot be 0 when maxSurge is 0');
}

export const daemonSetRules: readonly Validate[] = [validate<DaemonSet>(spec)];

export const daemonSetChangeRules: readonly Validate[] = [
  validateChange<DaemonSet>((set, old) => keptSelector(set.at('spec').at('selector'), old.spec?.selector)),
  ...daemonSetRules,
];

export const daemonSetStatusRules: readonly Validate[] = [
  validateChange<DaemonSet>((set, old) => {
    const status = set.at('status');
    countsAreNatural(status, [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ]);
    notDecremented(status.at('collisionCount'), old.status?.collisionCount);
  }),
];
