/** Metrics of priority and fairness with kube-apiserver's names. as apiserver/pkg/util/flowcontrol/metrics/metrics.go */
import type { Registry } from 'prom-client';
import { computed, counter, type CounterSeries, histogram, type HistogramSeries } from '../metrics/series.js';
import type { Flow, FlowControl } from './flow-control.js';
import type { PriorityLevel } from './level.js';
import type { Refusal } from './queue-set.js';

/** The series of one flow. */
export interface FlowSeries {
  readonly dispatched: CounterSeries;
  rejected(reason: Refusal): void;
  readonly waited: HistogramSeries;
  readonly gaveUp: HistogramSeries;
  readonly executed: HistogramSeries;
  readonly executedWatch: HistogramSeries;
  readonly seats: HistogramSeries;
  readonly queueLength: HistogramSeries;
  executing: number;
  executingSeats: number;
  waiting: number;
  waitingSeats: number;
}

export interface FlowMetrics {
  /** hot: returns the series of a flow. */
  of(flow: Flow): FlowSeries;
}

const seconds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const lengths = [0, 10, 25, 50, 100, 250, 500, 1000];
const prefix = 'apiserver_flowcontrol_';

/** Gauges of priority levels: name, help, value. */
const levelGauges: readonly (readonly [string, string, (level: PriorityLevel) => number])[] = [
  [
    'nominal_limit_seats',
    '[BETA] Nominal number of execution seats of each priority level',
    ({ plan }) => plan.nominal,
  ],
  [
    'lower_limit_seats',
    '[ALPHA] Lower bound on the execution seats of each priority level',
    ({ plan }) => plan.minSeats,
  ],
  [
    'upper_limit_seats',
    '[ALPHA] Upper bound on the execution seats of each priority level',
    ({ plan }) => plan.maxSeats,
  ],
  [
    'current_limit_seats',
    '[ALPHA] Execution seats of each priority level at present',
    ({ plan, set }) => (plan.exempt ? plan.minSeats : set.limit),
  ],
  ['demand_seats_high_watermark', '[ALPHA] Most seats wanted in the last period', ({ demand }) => demand.max],
  ['demand_seats_average', '[ALPHA] Seats wanted on average in the last period', ({ demand }) => demand.average],
  [
    'demand_seats_stdev',
    '[ALPHA] Standard deviation of the seats wanted in the last period',
    ({ demand }) => demand.deviation,
  ],
  ['demand_seats_smoothed', '[ALPHA] Smoothed demand of seats', ({ smoothed }) => smoothed],
  ['target_seats', '[ALPHA] Seats that each priority level should have', ({ target }) => target],
];

/** Gauges of flows: name, help, value. */
const flowGauges: readonly (readonly [string, string, (series: FlowSeries) => number])[] = [
  ['current_inqueue_requests', '[BETA] Requests that wait in queues', ({ waiting }) => waiting],
  ['current_inqueue_seats', '[ALPHA] Seats that are waited for in queues', ({ waitingSeats }) => waitingSeats],
  ['current_executing_requests', '[BETA] Requests that are executed', ({ executing }) => executing],
  ['current_executing_seats', '[BETA] Seats that are taken', ({ executingSeats }) => executingSeats],
];

/** The series of a flow with their labels. */
interface LabelledSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly series: FlowSeries;
}

/** Registers the gauges, which are read when metrics are collected. */
function registerGauges(registry: Registry, control: FlowControl, flows: ReadonlyMap<string, LabelledSeries>): void {
  for (const [name, help, value] of levelGauges)
    computed(registry, prefix + name, help, () =>
      [...control.levels].map(([level, state]) => ({ labels: { priority_level: level }, value: value(state) })),
    );
  for (const [name, help, value] of flowGauges)
    computed(registry, prefix + name, help, () =>
      [...flows.values()].map(({ labels, series }) => ({ labels, value: value(series) })),
    );
  const fairFraction = (): { labels: Record<string, string>; value: number }[] => [
    { labels: {}, value: control.fairFraction },
  ];
  computed(registry, `${prefix}seat_fair_frac`, '[ALPHA] Fair fraction of the seats of the server', fairFraction, {
    aggregator: 'average',
  });
}

/** Registers the counters and histograms. Returns a function that makes the series of a flow. */
function registerSeries(registry: Registry): (labels: LabelledSeries['labels']) => FlowSeries {
  const rejected = counter(registry, `${prefix}rejected_requests_total`, '[BETA] Requests that were turned away');
  const dispatched = counter(registry, `${prefix}dispatched_requests_total`, '[BETA] Requests that were executed');
  const wait = histogram(registry, `${prefix}request_wait_duration_seconds`, '[BETA] Time spent in queues', seconds);
  const execution = histogram(registry, `${prefix}request_execution_seconds`, '[ALPHA] Time of execution', seconds);
  const worth = '[ALPHA] Seats that requests are worth';
  const seats = histogram(registry, `${prefix}work_estimated_seats`, worth, [1, 2, 4, 10]);
  const length = '[ALPHA] Length of a queue once a request has entered it';
  const queueLength = histogram(registry, `${prefix}request_queue_length_after_enqueue`, length, lengths);

  return labels => {
    const refusals = new Map<Refusal, CounterSeries>();
    return {
      dispatched: dispatched(labels),
      rejected: reason => {
        let count = refusals.get(reason);
        if (!count) refusals.set(reason, (count = rejected({ ...labels, reason })));
        count.inc();
      },
      waited: wait({ ...labels, execute: 'true' }),
      gaveUp: wait({ ...labels, execute: 'false' }),
      executed: execution({ ...labels, type: 'regular' }),
      executedWatch: execution({ ...labels, type: 'watch' }),
      seats: seats(labels),
      queueLength: queueLength(labels),
      executing: 0,
      executingSeats: 0,
      waiting: 0,
      waitingSeats: 0,
    };
  };
}

/** Registers the metrics of priority and fairness. The series of a flow begin with its first request. as apiserver/pkg/util/flowcontrol/metrics */
export function flowMetrics(registry: Registry, control: FlowControl): FlowMetrics {
  const seriesOf = registerSeries(registry);
  const all = new Map<string, LabelledSeries>();
  const known = new WeakMap<Flow, FlowSeries>();
  registerGauges(registry, control, all);

  return {
    of(flow) {
      let series = known.get(flow);
      if (series) return series;
      const { level, name } = flow.schema;
      const key = `${level} ${name}`;
      const labels = { priority_level: level, flow_schema: name };
      series = all.get(key)?.series ?? seriesOf(labels);
      all.set(key, { labels, series });
      known.set(flow, series);
      return series;
    },
  };
}
