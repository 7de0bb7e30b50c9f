// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type PriorityClass = Kind<S['io.k8s.api.scheduling.v1.PriorityClass']>;
export type PriorityClassList = S['io.k8s.api.scheduling.v1.PriorityClassList'];
