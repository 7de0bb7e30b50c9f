/** The flags, feature gates and metrics of Karmada's scheduler, descheduler and scheduler estimator, by their names, defaults, labels and buckets. */
import t from 'tap';
import { acceptedFlags } from '../../cli/estimator/flags.js';
import type { FlagTable } from '../../cli/flags/flags.js';
import { ignoredFlags } from '../../cli/flags/ignored.js';
import { karmadaFlags } from '../../cli/flags/karmada/karmada.js';
import { leaderFlags } from '../../cli/flags/leader.js';
import { schedulerFlags } from '../../cli/flags/karmada/scheduler.js';
import { durationMs } from '../../lib/go/duration.js';
import { type Meter, noMeter } from '../../client/runtime/meter.js';
import { featureGates } from '../../kinds/karmada/feature-gates.js';
import { estimatorSeries } from '../../scheduler/estimators/member/series.js';
import { SchedulerSeries } from '../../scheduler/loop/series.js';

type Default = string | number | boolean;

// as cmd/*/app/options Options.AddFlags
const common = {
  'kube-api-qps': 40,
  'kube-api-burst': 60,
  'metrics-bind-address': ':8080',
  kubeconfig: '',
  master: '',
};
const election = {
  'leader-elect': true,
  'leader-elect-resource-namespace': 'karmada-system',
  'leader-elect-lease-duration': '15s',
  'leader-elect-renew-deadline': '10s',
  'leader-elect-retry-period': '2s',
};
const profiling = { 'enable-pprof': false, 'profiling-bind-address': ':6060' };
const estimating = {
  'scheduler-estimator-timeout': '3s',
  'scheduler-estimator-port': 10352,
  'scheduler-estimator-cert-file': '',
  'scheduler-estimator-key-file': '',
  'scheduler-estimator-ca-file': '',
  'insecure-skip-estimator-verify': false,
  'scheduler-estimator-service-namespace': 'karmada-system',
  'scheduler-estimator-service-prefix': 'karmada-scheduler-estimator',
};
const components: Readonly<
  Record<string, { readonly ours: FlagTable; readonly flags: Readonly<Record<string, Default>> }>
> = {
  'karmada-scheduler': {
    ours: { ...ignoredFlags, ...leaderFlags, ...karmadaFlags, ...schedulerFlags },
    flags: {
      ...{ ...common, ...election, ...profiling, ...estimating },
      'leader-elect-resource-name': 'karmada-scheduler',
      'health-probe-bind-address': ':10351',
      'enable-scheduler-estimator': false,
      'disable-scheduler-estimator-in-pull-mode': false,
      'enable-empty-workload-propagation': false,
      plugins: '*',
      'scheduler-name': 'default-scheduler',
      'rate-limiter-base-delay': '5ms',
      'rate-limiter-max-delay': '1000s',
      'rate-limiter-qps': 10,
      'rate-limiter-bucket-size': 100,
    },
  },
  'karmada-descheduler': {
    ours: { ...ignoredFlags, ...leaderFlags, ...karmadaFlags, ...schedulerFlags },
    flags: {
      ...{ ...common, ...election, ...profiling, ...estimating },
      'health-probe-bind-address': ':10358',
      'descheduling-interval': '2m',
      'unschedulable-threshold': '5m',
    },
  },
  'karmada-scheduler-estimator': {
    ours: acceptedFlags,
    flags: {
      ...{ ...common, ...profiling },
      'cluster-name': '',
      'server-port': 10352,
      'grpc-auth-cert-file': '',
      'grpc-auth-key-file': '',
      'grpc-client-ca-file': '',
      'insecure-skip-grpc-client-verify': false,
      'kube-api-qps': 20,
      'kube-api-burst': 30,
      parallelism: 16,
      'health-probe-bind-address': ':10351',
    },
  },
};

const noDefault: Readonly<Record<string, Default>> = { boolean: false, string: '', number: 0 };

/** Returns a default in one spelling: `2m` as `120000ms`. */
function spelled(value: Default): string {
  try {
    return `${durationMs(String(value))}ms`;
  } catch {
    return String(value);
  }
}

for (const [component, { ours, flags }] of Object.entries(components))
  t.test(`the flags of ${component}`, t => {
    for (const [name, expected] of Object.entries(flags)) {
      const flag = ours[name];
      t.ok(flag, `--${name} is accepted`);
      if (!flag || flag === ignoredFlags[name]) continue;
      const found = (flag as { readonly default?: unknown }).default ?? noDefault[flag.type] ?? '';
      t.equal(spelled(String(found)), spelled(String(expected)), `the default of --${name}`);
    }
    t.end();
  });

// as pkg/features
t.test('the feature gates', t => {
  const on = ['GracefulEviction', 'PropagateDeps', 'CustomizedClusterResourceModeling', 'PriorityBasedScheduling'];
  const logging = ['LoggingBetaOptions', 'ContextualLogging'];
  const off = [
    ...['Failover', 'PropagationPolicyPreemption', 'MultiClusterService', 'ResourceQuotaEstimate'],
    ...['StatefulFailoverInjection', 'FederatedQuotaEnforcement', 'LoggingAlphaOptions'],
    ...['MultiplePodTemplatesScheduling', 'WorkloadAffinity', 'SchedulingOvercommitProtection'],
  ];
  const expected = [
    ...[...on, ...logging, 'ControllerPriorityQueue'].map(name => [name, true] as const),
    ...off.map(name => [name, false] as const),
  ];
  t.same(featureGates(), Object.fromEntries(expected));
  t.end();
});

interface Series {
  readonly type: 'counter' | 'histogram';
  readonly labels: readonly string[];
  /** The first and the last bucket, and their number. */
  readonly buckets?: readonly [first: number, last: number, count: number];
}

/** Returns the series that are registered, without the gauges, which are ours. */
function registered(register: (meter: Meter) => unknown): Readonly<Record<string, Series>> {
  const found: Record<string, Series> = {};
  register({
    ...noMeter,
    counter: (name, help, labels = []) => {
      found[name] = { type: 'counter', labels };
      return noMeter.counter(name, help, labels);
    },
    histogram: (name, help, labels, bounds) => {
      found[name] = { type: 'histogram', labels, buckets: [bounds[0] ?? NaN, bounds.at(-1) ?? NaN, bounds.length] };
      return noMeter.histogram(name, help, labels, bounds);
    },
  });
  return found;
}

const plugins = [0.00001, 0.0221683782, 20] as const;
const points = [0.0001, 0.2048, 12] as const;

const counter = (...labels: readonly string[]): Series => ({ type: 'counter', labels });
const histogram = (buckets: NonNullable<Series['buckets']>, ...labels: readonly string[]): Series => ({
  ...{ type: 'histogram', labels, buckets },
});
const rounded = (series: Readonly<Record<string, Series>>): unknown =>
  JSON.parse(JSON.stringify(series), (_key, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(6)) : value,
  );

// as pkg/scheduler/metrics
t.test('the metrics of karmada-scheduler', t => {
  const found = registered(
    meter => new SchedulerSeries(meter, { pending: () => ({ active: 0, backoff: 0, unschedulable: 0 }) }),
  );
  const latency = [0.001, 16.384, 15] as const;
  t.same(
    rounded(found),
    rounded({
      karmada_scheduler_schedule_attempts_total: counter('result', 'schedule_type'),
      karmada_scheduler_e2e_scheduling_duration_seconds: histogram(latency, 'result', 'schedule_type'),
      karmada_scheduler_scheduling_algorithm_duration_seconds: histogram(latency, 'schedule_step'),
      karmada_scheduler_queue_incoming_bindings_total: counter('event'),
      karmada_scheduler_framework_extension_point_duration_seconds: histogram(points, 'extension_point', 'result'),
      karmada_scheduler_plugin_execution_duration_seconds: histogram(plugins, 'plugin', 'extension_point', 'result'),
    }),
  );
  t.end();
});

// as pkg/estimator/server/metrics
t.test('the metrics of karmada-scheduler-estimator', t => {
  const prefix = 'karmada_scheduler_estimator_estimating_';
  const [plugin, point] = ['estimating_plugin', 'estimating_plugin_extension_point'];
  t.same(
    rounded(registered(estimatorSeries)),
    rounded({
      [`${prefix}request_total`]: counter('result', 'type'),
      [`${prefix}algorithm_duration_seconds`]: histogram([0.001, 0.512, 10], 'result', 'type', 'step'),
      [`${prefix}plugin_extension_point_duration_seconds`]: histogram(points, point),
      [`${prefix}plugin_execution_duration_seconds`]: histogram(plugins, plugin, point),
    }),
  );
  t.end();
});
