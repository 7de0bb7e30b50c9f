// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type CrossVersionObjectReference = S['io.k8s.api.autoscaling.v1.CrossVersionObjectReference'];
export type HorizontalPodAutoscaler = Kind<S['io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler']>;
export type HorizontalPodAutoscalerList = S['io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerList'];
export type HorizontalPodAutoscalerSpec = S['io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec'];
export type HorizontalPodAutoscalerStatus = S['io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus'];
export type Scale = Kind<S['io.k8s.api.autoscaling.v1.Scale']>;
export type ScaleSpec = S['io.k8s.api.autoscaling.v1.ScaleSpec'];
export type ScaleStatus = S['io.k8s.api.autoscaling.v1.ScaleStatus'];
