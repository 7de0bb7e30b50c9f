/**
 * The native types of autoscaling-v1, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';

export interface CrossVersionObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
}

export interface HorizontalPodAutoscaler extends KubeObject {
  spec?: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerSpec {
  maxReplicas?: number;
  minReplicas?: number;
  scaleTargetRef?: CrossVersionObjectReference;
  targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  currentCPUUtilizationPercentage?: number;
  currentReplicas?: number;
  desiredReplicas?: number;
  lastScaleTime?: string;
  observedGeneration?: number;
}

export interface Scale extends KubeObject {
  spec?: ScaleSpec;
  status?: ScaleStatus;
}

export interface ScaleSpec {
  replicas?: number;
}

export interface ScaleStatus {
  replicas?: number;
  selector?: string;
}
