/**
 * The native types of node, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as core from './core.js';
import type { Quantity } from './scalars.js';

export interface Overhead {
  podFixed?: Record<string, Quantity>;
}

export interface RuntimeClass extends KubeObject {
  handler?: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: core.Toleration[];
}
