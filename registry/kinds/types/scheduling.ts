/**
 * The native types of scheduling, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';

export interface PriorityClass extends KubeObject {
  description?: string;
  globalDefault?: boolean;
  preemptionPolicy?: string;
  value?: number;
}
