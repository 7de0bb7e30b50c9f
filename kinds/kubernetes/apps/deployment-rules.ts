// as pkg/apis/apps/validation ValidateDeployment*
import type { Validate } from '../../../registry/interface.js';
import { templateOptions } from '../core/pod-spec/pod-template-rules.js';
import { countsAmongPods, countsAreNatural, notDecremented } from '../../shared/rules/counts.js';
import { type Field, annotationsOf } from '../../shared/rules/field.js';
import { amountOf, intOrPercent, notMoreThanAll } from '../../shared/rules/int-or-percent.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { keptSelector } from './selector-rules.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { Deployment, DeploymentStrategy, RollingUpdateDeployment } from '../../../api/kubernetes/apps.js';
import { rollbackTo } from './field-annotations.js';
import { selectedTemplate } from './replica-set-rules.js';

function spec(deployment: Field<Deployment>, old: Deployment | undefined): void {
  const at = deployment.at('spec');
  nonNegative(at.at('replicas'));
  selectedTemplate(at, templateOptions(old?.spec?.template));
  strategy(at.at('strategy'));
  nonNegative(at.at('minReadySeconds'));
  nonNegative(at.at('revisionHistoryLimit'));
  const back = annotationsOf(deployment).entry(rollbackTo);
  if (back.isSet) nonNegative(back.as('spec.rollback.version').holding(Number(back.value)));
  const deadline = at.at('progressDeadlineSeconds');
  nonNegative(deadline);
  if (deadline.isSet && (deadline.value ?? 0) <= (at.value?.minReadySeconds ?? 0))
    deadline.invalid('must be greater than minReadySeconds');
}

function strategy(field: Field<DeploymentStrategy>): void {
  const rolling = field.at('rollingUpdate');
  switch (field.value?.type) {
    case 'Recreate':
      if (rolling.isSet) rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
      break;
    case 'RollingUpdate':
      if (rolling.isSet) rollingUpdate(rolling);
      else rolling.required('this should be defaulted and never be nil');
      break;
    default:
      field.notSupported(['Recreate', 'RollingUpdate'], shownInternal('DeploymentStrategy', field.value));
  }
}

function rollingUpdate(rolling: Field<RollingUpdateDeployment>): void {
  const unavailable = rolling.at('maxUnavailable');
  intOrPercent(unavailable);
  intOrPercent(rolling.at('maxSurge'));
  if (amountOf(unavailable.value) === 0 && amountOf(rolling.value?.maxSurge) === 0)
    unavailable.invalid('may not be 0 when `maxSurge` is 0', unavailable.value ?? 0);
  notMoreThanAll(unavailable);
}

export const deploymentRules: readonly Validate[] = [validate<Deployment>(spec)];

export const deploymentChangeRules: readonly Validate[] = [
  ...deploymentRules,
  validateChange<Deployment>((deployment, old) =>
    keptSelector(deployment.at('spec').at('selector'), old.spec?.selector),
  ),
];

export const deploymentStatusRules: readonly Validate[] = [
  validateChange<Deployment>((deployment, old) => {
    const status = deployment.at('status');
    countsAreNatural(status, [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ]);
    countsAmongPods(status, ['updatedReplicas']);
    notDecremented(status.at('collisionCount'), old.status?.collisionCount);
  }),
];
