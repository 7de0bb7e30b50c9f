/** Events: rows of Tables. */
import { rows, years } from './rows.js';

const event = {
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'default', fieldPath: 'spec.containers{c}' },
  type: 'Normal',
  reason: 'r',
  message: 'm  \n',
};
const seen = { lastTimestamp: '2020-01-01T00:00:00Z', firstTimestamp: '2019-01-01T00:00:00Z', count: 3 };
const about = ['Normal', 'r', 'pod/p', 'spec.containers{c}'];

rows('events', [
  {
    name: 'event of a series',
    given: {
      ...event,
      ...seen,
      series: { count: 7, lastObservedTime: '2021-01-01T00:00:00.000000Z' },
      source: { component: 'a', host: 'h' },
    },
    expect: [years, ...about, 'a, h', 'm', years, 7],
  },
  {
    name: 'event with first and last time',
    given: { ...event, ...seen, source: { component: 'a' } },
    expect: [years, ...about, 'a', 'm', years, 3],
  },
  {
    name: 'event with an eventTime',
    given: {
      ...event,
      eventTime: '2020-01-01T00:00:00.000000Z',
      reportingComponent: 'k.l/m',
      reportingInstance: 'i',
      action: 'a',
    },
    expect: [years, ...about, 'k.l/m, i', 'm', years, 1],
  },
  {
    name: 'event without a time',
    given: event,
    expect: ['<unknown>', ...about, '', 'm', '<unknown>', 1],
  },
]);
