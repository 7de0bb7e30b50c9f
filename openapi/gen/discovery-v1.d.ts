// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type Endpoint = S['io.k8s.api.discovery.v1.Endpoint'];
export type EndpointConditions = S['io.k8s.api.discovery.v1.EndpointConditions'];
export type EndpointHints = S['io.k8s.api.discovery.v1.EndpointHints'];
export type EndpointPort = S['io.k8s.api.discovery.v1.EndpointPort'];
export type EndpointSlice = Kind<S['io.k8s.api.discovery.v1.EndpointSlice']>;
export type EndpointSliceList = S['io.k8s.api.discovery.v1.EndpointSliceList'];
export type ForNode = S['io.k8s.api.discovery.v1.ForNode'];
export type ForZone = S['io.k8s.api.discovery.v1.ForZone'];
