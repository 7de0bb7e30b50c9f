/** APIServices, flow control and events: defaults. */
import { servedElsewhere } from '../manifests.js';
import { testDefaults } from './defaults.js';

testDefaults('apiservices', [
  {
    name: 'an APIService',
    given: { metadata: { name: 'v1.a.b' }, spec: servedElsewhere },
    expect: { spec: { ...servedElsewhere, service: { ...servedElsewhere.service, port: 443 } }, status: {} },
  },
]);

testDefaults('flowschemas', [
  {
    name: 'flows',
    given: { spec: { priorityLevelConfiguration: { name: 'x' } } },
    expect: {
      metadata: { generation: 1 },
      spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence: 1000 },
      status: {},
    },
  },
]);

testDefaults('prioritylevelconfigurations', [
  {
    name: 'a priority level',
    given: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 30,
          limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
          lendablePercent: 0,
        },
      },
      status: {},
    },
  },
]);

testDefaults('events', [
  {
    name: 'an event',
    given: { involvedObject: { namespace: 'default' } },
    expect: {
      involvedObject: { namespace: 'default' },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  },
]);
