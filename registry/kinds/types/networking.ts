/**
 * The native types of networking, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as core from './core.js';
import type * as meta from './meta.js';
import type { IntOrString } from './scalars.js';

export interface HTTPIngressPath {
  backend?: IngressBackend;
  path?: string;
  pathType?: string;
}

export interface HTTPIngressRuleValue {
  paths?: HTTPIngressPath[];
}

export interface IPAddress extends KubeObject {
  spec?: IPAddressSpec;
}

export interface IPAddressSpec {
  parentRef?: ParentReference;
}

export interface IPBlock {
  cidr?: string;
  except?: string[];
}

export interface Ingress extends KubeObject {
  spec?: IngressSpec;
  status?: IngressStatus;
}

export interface IngressBackend {
  resource?: core.TypedLocalObjectReference;
  service?: IngressServiceBackend;
}

export interface IngressClass extends KubeObject {
  spec?: IngressClassSpec;
}

export interface IngressClassParametersReference {
  apiGroup?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  scope?: string;
}

export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
}

export interface IngressLoadBalancerIngress {
  hostname?: string;
  ip?: string;
  ports?: IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  error?: string;
  port?: number;
  protocol?: string;
}

export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  name?: string;
  port?: ServiceBackendPort;
}

export interface IngressSpec {
  defaultBackend?: IngressBackend;
  ingressClassName?: string;
  rules?: IngressRule[];
  tls?: IngressTLS[];
}

export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

export interface NetworkPolicy extends KubeObject {
  spec?: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  from?: NetworkPolicyPeer[];
  ports?: NetworkPolicyPort[];
}

export interface NetworkPolicyPeer {
  ipBlock?: IPBlock;
  namespaceSelector?: meta.LabelSelector;
  podSelector?: meta.LabelSelector;
}

export interface NetworkPolicyPort {
  endPort?: number;
  port?: IntOrString;
  protocol?: string;
}

export interface NetworkPolicySpec {
  egress?: NetworkPolicyEgressRule[];
  ingress?: NetworkPolicyIngressRule[];
  podSelector?: meta.LabelSelector;
  policyTypes?: string[];
}

export interface ParentReference {
  group?: string;
  name?: string;
  namespace?: string;
  resource?: string;
}

export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

export interface ServiceCIDR extends KubeObject {
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
}

export interface ServiceCIDRSpec {
  cidrs?: string[];
}

export interface ServiceCIDRStatus {
  conditions?: meta.Condition[];
}
