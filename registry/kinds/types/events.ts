/**
 * The native types of events, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as core from './core.js';

export interface Event extends KubeObject {
  action?: string;
  deprecatedCount?: number;
  deprecatedFirstTimestamp?: string;
  deprecatedLastTimestamp?: string;
  deprecatedSource?: core.EventSource;
  eventTime?: string;
  note?: string;
  reason?: string;
  regarding?: core.ObjectReference;
  related?: core.ObjectReference;
  reportingController?: string;
  reportingInstance?: string;
  series?: EventSeries;
  type?: string;
}

export interface EventSeries {
  count?: number;
  lastObservedTime?: string;
}
