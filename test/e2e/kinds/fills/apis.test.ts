/** What is served, to whom, and what was seen: all that is filled in. */
import { fills } from './fills.js';

fills('apiservices', [
  {
    name: 'KND-101 a service of an API',
    given: {
      metadata: { name: 'v1.a.b' },
      spec: {
        group: 'a.b',
        version: 'v1',
        service: { name: 's', namespace: 'n' },
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
      },
    },
    expect: {
      spec: {
        service: { namespace: 'n', name: 's', port: 443 },
        group: 'a.b',
        version: 'v1',
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 1,
        versionPriority: 1,
      },
      status: {},
    },
  },
]);

fills('flowschemas', [
  {
    name: 'KND-101 flows',
    given: { spec: { priorityLevelConfiguration: { name: 'x' } } },
    expect: {
      metadata: { generation: 1 },
      spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence: 1000 },
      status: {},
    },
  },
]);

fills('prioritylevelconfigurations', [
  {
    name: 'KND-101 a level',
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

fills('events', [
  {
    name: 'KND-102 an event',
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
