/** Validates MultiClusterIngresses. The rules are those of Ingresses of Kubernetes 1.27. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { checkDns1035Label, checkDns1123Subdomain } from '../../../apimachinery/meta/names.js';
import { metadataFaults, metadataUpdateFaults } from '../../../registry/strategy/metadata.js';
import { nameRuleOf } from '../../../registry/strategy/strategy.js';
import { type IngressVersion, ingressSpecRules } from '../../kubernetes/networking/ingress-spec-rules.js';
import type { IngressSpec, IngressStatus } from '../../../api/kubernetes/networking.js';
import { loadBalancer } from './load-balancer-rules.js';
import { ruleRefusal } from '../refusal.js';
import type { WebhookRule } from '../rules.js';

interface MultiClusterIngress extends KubeObject {
  spec?: IngressSpec;
  status?: IngressStatus;
}

// as pkg/util/lifted ValidateIngressSpec
const lifted: IngressVersion = { serviceName: checkDns1035Label, missing: part => `${part} is required` };

/** Refuses what an Ingress of Kubernetes may not have either. as pkg/webhook/multiclusteringress ValidatingAdmission.Handle */
export const validateMultiClusterIngress: WebhookRule<MultiClusterIngress> = (object, old) =>
  ruleRefusal<MultiClusterIngress>(object, root => {
    if (old) root.add(...metadataUpdateFaults(object.metadata, old.metadata));
    root.add(...metadataFaults(object.metadata, { namespaced: true, nameFaults: nameRuleOf(checkDns1123Subdomain) }));
    ingressSpecRules(root.at('spec'), undefined, lifted);
    if (old) loadBalancer(root.at('status').at('loadBalancer'));
  });
