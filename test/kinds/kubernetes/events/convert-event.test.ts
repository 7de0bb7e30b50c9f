import t from 'tap';
import { convertEvent } from '../../../../kinds/kubernetes/events/convert-event.js';

const core = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'a' },
  involvedObject: { kind: 'Pod', name: 'p' },
  message: 'm',
  source: { component: 'c' },
  firstTimestamp: 't1',
  lastTimestamp: 't2',
  count: 3,
  reason: 'r',
  reportingComponent: 'x',
  reportingInstance: 'y',
};
const renamed = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'a' },
  regarding: { kind: 'Pod', name: 'p' },
  note: 'm',
  deprecatedSource: { component: 'c' },
  deprecatedFirstTimestamp: 't1',
  deprecatedLastTimestamp: 't2',
  deprecatedCount: 3,
  reason: 'r',
  reportingController: 'x',
  reportingInstance: 'y',
};

t.strictSame(convertEvent(core, 'v1'), renamed, 'to a client of events.k8s.io');
t.strictSame(convertEvent(renamed, 'v1', ''), core, 'to the store');
t.equal(convertEvent(core, 'v1', ''), core, 'what is of the version already is left alone');
