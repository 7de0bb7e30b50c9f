// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type Overhead = S['io.k8s.api.node.v1.Overhead'];
export type RuntimeClass = Kind<S['io.k8s.api.node.v1.RuntimeClass']>;
export type RuntimeClassList = S['io.k8s.api.node.v1.RuntimeClassList'];
export type Scheduling = S['io.k8s.api.node.v1.Scheduling'];
