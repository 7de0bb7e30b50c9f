/**
 * The native types of discovery, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as core from './core.js';

export interface Endpoint {
  addresses?: string[];
  conditions?: EndpointConditions;
  deprecatedTopology?: Record<string, string>;
  hints?: EndpointHints;
  hostname?: string;
  nodeName?: string;
  targetRef?: core.ObjectReference;
  zone?: string;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forNodes?: ForNode[];
  forZones?: ForZone[];
}

export interface EndpointPort {
  appProtocol?: string;
  name?: string;
  port?: number;
  protocol?: string;
}

export interface EndpointSlice extends KubeObject {
  addressType?: string;
  endpoints?: Endpoint[];
  ports?: EndpointPort[];
}

export interface ForNode {
  name?: string;
}

export interface ForZone {
  name?: string;
}
