// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type Event = Kind<S['io.k8s.api.events.v1.Event']>;
export type EventList = S['io.k8s.api.events.v1.EventList'];
export type EventSeries = S['io.k8s.api.events.v1.EventSeries'];
