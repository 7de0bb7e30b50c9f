/**
 * The native types of coordination, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';

export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

export interface LeaseSpec {
  acquireTime?: string;
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  leaseTransitions?: number;
  preferredHolder?: string;
  renewTime?: string;
  strategy?: string;
}
