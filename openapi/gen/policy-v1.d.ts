// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type Eviction = Kind<S['io.k8s.api.policy.v1.Eviction']>;
export type PodDisruptionBudget = Kind<S['io.k8s.api.policy.v1.PodDisruptionBudget']>;
export type PodDisruptionBudgetList = S['io.k8s.api.policy.v1.PodDisruptionBudgetList'];
export type PodDisruptionBudgetSpec = S['io.k8s.api.policy.v1.PodDisruptionBudgetSpec'];
export type PodDisruptionBudgetStatus = S['io.k8s.api.policy.v1.PodDisruptionBudgetStatus'];
