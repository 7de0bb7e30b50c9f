// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type Lease = Kind<S['io.k8s.api.coordination.v1.Lease']>;
export type LeaseList = S['io.k8s.api.coordination.v1.LeaseList'];
export type LeaseSpec = S['io.k8s.api.coordination.v1.LeaseSpec'];
