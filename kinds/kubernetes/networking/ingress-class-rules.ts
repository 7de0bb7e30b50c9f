// as pkg/apis/networking/validation ValidateIngressClass, ValidateIngressClassUpdate
import { checkDns1123Label, domainPrefixedPathFaults } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { IngressClass, IngressClassParametersReference } from '../../../api/kubernetes/networking.js';
import { namedResource } from './ingress-spec-rules.js';

const maxControllerLength = 250;
const scopes = ['Cluster', 'Namespace'];

function parameters(reference: Field<IngressClassParametersReference>): void {
  if (!reference.isSet) return;
  namedResource(reference, () => '');
  const [scope, namespace] = [reference.at('scope'), reference.at('namespace')];
  if (!scope.isSet) scope.required();
  else if (!scopes.includes(scope.value ?? '')) scope.notSupported(scopes);
  else if (scope.value === 'Cluster') {
    if (namespace.isSet) namespace.forbidden("`parameters.scope` is set to 'Cluster'");
  } else if (!namespace.isSet) namespace.required("`parameters.scope` is set to 'Namespace'");
  else namespace.check(checkDns1123Label);
}

export const ingressClassRules: readonly Validate[] = [
  validate<IngressClass>(ingressClass => {
    const spec = ingressClass.at('spec');
    const controller = spec.at('controller');
    if ((controller.value ?? '').length > maxControllerLength) controller.tooLong(maxControllerLength);
    controller.add(...domainPrefixedPathFaults(controller.path, controller.value ?? ''));
    parameters(spec.at('parameters'));
  }),
];

export const ingressClassChangeRules: readonly Validate[] = [
  validateChange<IngressClass>((ingressClass, old) => {
    immutable(ingressClass.at('spec').at('controller'), old.spec?.controller);
  }),
  ...ingressClassRules,
];
