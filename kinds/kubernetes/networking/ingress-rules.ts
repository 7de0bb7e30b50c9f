// as pkg/apis/networking/validation ValidateIngress*
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { balancerWarnings, loadBalancerHost } from '../core/services/load-balancer-rules.js';
import { annotationsOf } from '../../shared/rules/field.js';
import { legacyIp } from '../../shared/rules/ip-rules.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import { warningsOfNew } from '../../shared/rules/warnings.js';
import type { Ingress } from '../../../api/kubernetes/networking.js';
import { type IngressVersion, ingressSpecRules } from './ingress-spec-rules.js';
import { ingressClassAnnotation } from '../../../api/kubernetes/well-known.js';

const current: IngressVersion = { serviceName: checkDns1123Label, missing: () => '' };

export const ingressRules: readonly Validate[] = [
  validate<Ingress>((ingress, old) => {
    ingressSpecRules(ingress.at('spec'), old?.spec, current);
    const named = ingress.value?.spec?.ingressClassName;
    const annotation = annotationsOf(ingress).entry(ingressClassAnnotation);
    if (!old && annotation.isSet && named !== undefined && annotation.value !== named)
      annotation
        .as(`annotations.${ingressClassAnnotation}`)
        .invalid('must match `ingressClassName` when both are specified');
  }),
];

export const ingressStatusRules: readonly Validate[] = [
  validateChange<Ingress>((ingress, old, context) => {
    const list = ingress.at('status').at('loadBalancer').at('ingress');
    const before = (old.status?.loadBalancer?.ingress ?? []).map(entry => entry.ip ?? '');
    for (const entry of list.items()) {
      if (!entry.at('ip').isEmpty) legacyIp(entry.at('ip'), before);
      loadBalancerHost(entry.at('hostname'));
    }
    balancerWarnings(list, context);
  }),
];

export const ingressWarnings = warningsOfNew<Ingress>((ingress, warn) => {
  if (annotationsOf(ingress).entry(ingressClassAnnotation).isSet && ingress.value?.spec?.ingressClassName === undefined)
    warn(`annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`);
});
