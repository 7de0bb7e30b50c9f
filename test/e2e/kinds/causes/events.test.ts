/** Events of both groups: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

const event = {
  eventTime: '2026-01-01T00:00:00.000000Z',
  type: 'Normal',
  reportingController: 'a',
  reportingInstance: 'b',
  action: 'c',
  reason: 'd',
  regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
};

causes('events', [
  {
    name: 'another namespace',
    given: { involvedObject: { namespace: 'other' } },
    expect: ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  },
  {
    name: 'a cluster-scoped object, in the namespace default',
    given: { involvedObject: { kind: 'Node', name: 'n' } },
    expect: [],
  },
  {
    name: 'a cluster-scoped object, in another namespace',
    namespace: 'kube-system',
    given: { involvedObject: { kind: 'Node', name: 'n' } },
    expect: ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
  },
  {
    name: 'an event with an eventTime',
    given: {
      involvedObject: { namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      message: 'm'.repeat(1025),
      action: 'a'.repeat(129),
      reportingComponent: 'a b',
    },
    expect: [
      `reportingComponent: Invalid value: "a b": ${texts.namePart}`,
      'reportingInstance: Required value',
      'action: Invalid value: "": can have at most 128 characters',
      'reason: Required value',
      'message: Invalid value: "": can have at most 1024 characters',
    ],
  },
  {
    name: 'a core event with a fault: its metadata is not validated',
    given: { metadata: { name: 'a%b', labels: { 'a b': 'c' } }, involvedObject: { namespace: 'other' } },
    expect: ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  },
  {
    name: 'a core event without a fault: its metadata is validated',
    given: { metadata: { name: 'a%b', labels: { 'a b': 'c' } }, involvedObject: { namespace: 'default' } },
    expect: [
      'metadata.name: Invalid value: "a%b": may not contain \'%\'',
      `metadata.labels: Invalid value: "a b": ${texts.namePart}`,
    ],
  },
]);

causes('events.k8s.io/v1 events', [
  {
    name: 'fields of the core group only',
    given: {
      ...event,
      type: 'X',
      deprecatedCount: 1,
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedSource: { host: 'h' },
      series: { count: 1 },
    },
    expect: [
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'type: Invalid value: "": has invalid value: X',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ],
  },
  {
    name: 'changes of immutable fields',
    given: event,
    patch: {
      reason: 'z',
      note: 'n',
      type: 'Warning',
      action: 'q',
      regarding: { name: 'r' },
      related: { kind: 'x' },
      reportingController: 'y',
      reportingInstance: 'z',
      eventTime: '2026-01-01T00:00:01.000000Z',
    },
    expect: [
      'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"r","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
      'reason: Invalid value: "z": field is immutable',
      'message: Invalid value: "n": field is immutable',
      'reason: Invalid value: "z": field is immutable',
      'type: Invalid value: "Warning": field is immutable',
      'eventTime: Invalid value: "2026-01-01T00:00:01.000000Z": field is immutable',
      'action: Invalid value: "q": field is immutable',
      'related: Invalid value: {"Kind":"x","Namespace":"","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
      'reportingController: Invalid value: "y": field is immutable',
      'reportingInstance: Invalid value: "z": field is immutable',
    ],
  },
  {
    name: 'a series of one event',
    given: event,
    patch: { series: { count: 1, lastObservedTime: '2026-01-01T00:00:00.000000Z' } },
    expect: ['series.count: Invalid value: "": should be at least 2'],
  },
  {
    name: 'a series',
    given: event,
    patch: { series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' } },
    expect: [],
  },
  {
    name: 'no eventTime',
    given: { regarding: { kind: 'Pod', name: 'x', namespace: 'default' } },
    expect: ['eventTime: Required value', 'type: Invalid value: "": has invalid value: '],
  },
  {
    name: 'only an eventTime',
    given: {
      regarding: { kind: 'Pod', name: 'x', namespace: 'default' },
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000000Z',
    },
    expect: [
      'reportingController: Required value',
      'reportingController: Invalid value: "": name part must be non-empty',
      `reportingController: Invalid value: "": ${texts.namePart}`,
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ],
  },
  {
    name: 'a new event: the position of metadata faults',
    given: { metadata: { name: 'e', labels: { 'a b': 'c' } }, regarding: { namespace: 'other' } },
    expect: [
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
      `metadata.labels: Invalid value: "a b": ${texts.namePart}`,
      'eventTime: Required value',
      'type: Invalid value: "": has invalid value: ',
    ],
  },
]);
