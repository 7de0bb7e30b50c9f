/**
 * The native types of autoscaling, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as meta from './meta.js';
import type { Quantity } from './scalars.js';

export interface ContainerResourceMetricSource {
  container?: string;
  name?: string;
  target?: MetricTarget;
}

export interface ContainerResourceMetricStatus {
  container?: string;
  current?: MetricValueStatus;
  name?: string;
}

export interface CrossVersionObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
}

export interface ExternalMetricSource {
  metric?: MetricIdentifier;
  target?: MetricTarget;
}

export interface ExternalMetricStatus {
  current?: MetricValueStatus;
  metric?: MetricIdentifier;
}

export interface HPAScalingPolicy {
  periodSeconds?: number;
  type?: string;
  value?: number;
}

export interface HPAScalingRules {
  policies?: HPAScalingPolicy[];
  selectPolicy?: string;
  stabilizationWindowSeconds?: number;
  tolerance?: Quantity;
}

export interface HorizontalPodAutoscaler extends KubeObject {
  spec?: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerBehavior {
  scaleDown?: HPAScalingRules;
  scaleUp?: HPAScalingRules;
}

export interface HorizontalPodAutoscalerCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface HorizontalPodAutoscalerSpec {
  behavior?: HorizontalPodAutoscalerBehavior;
  maxReplicas?: number;
  metrics?: MetricSpec[];
  minReplicas?: number;
  scaleTargetRef?: CrossVersionObjectReference;
}

export interface HorizontalPodAutoscalerStatus {
  conditions?: HorizontalPodAutoscalerCondition[];
  currentMetrics?: MetricStatus[];
  currentReplicas?: number;
  desiredReplicas?: number;
  lastScaleTime?: string;
  observedGeneration?: number;
}

export interface MetricIdentifier {
  name?: string;
  selector?: meta.LabelSelector;
}

export interface MetricSpec {
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  type?: string;
}

export interface MetricStatus {
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  type?: string;
}

export interface MetricTarget {
  averageUtilization?: number;
  averageValue?: Quantity;
  type?: string;
  value?: Quantity;
}

export interface MetricValueStatus {
  averageUtilization?: number;
  averageValue?: Quantity;
  value?: Quantity;
}

export interface ObjectMetricSource {
  describedObject?: CrossVersionObjectReference;
  metric?: MetricIdentifier;
  target?: MetricTarget;
}

export interface ObjectMetricStatus {
  current?: MetricValueStatus;
  describedObject?: CrossVersionObjectReference;
  metric?: MetricIdentifier;
}

export interface PodsMetricSource {
  metric?: MetricIdentifier;
  target?: MetricTarget;
}

export interface PodsMetricStatus {
  current?: MetricValueStatus;
  metric?: MetricIdentifier;
}

export interface ResourceMetricSource {
  name?: string;
  target?: MetricTarget;
}

export interface ResourceMetricStatus {
  current?: MetricValueStatus;
  name?: string;
}
