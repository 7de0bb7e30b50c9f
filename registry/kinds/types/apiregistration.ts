/**
 * The native types of apiregistration, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';

export interface APIService extends KubeObject {
  spec?: APIServiceSpec;
  status?: APIServiceStatus;
}

export interface APIServiceCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface APIServiceSpec {
  caBundle?: string;
  group?: string;
  groupPriorityMinimum?: number;
  insecureSkipTLSVerify?: boolean;
  service?: ServiceReference;
  version?: string;
  versionPriority?: number;
}

export interface APIServiceStatus {
  conditions?: APIServiceCondition[];
}

export interface ServiceReference {
  name?: string;
  namespace?: string;
  port?: number;
}
