/** Reads the settings of karmada-scheduler, from its flags. */
import type { RateLimits } from '../../../client/runtime/rate-limiter.js';
import type { EstimatorSettings } from '../../../scheduler/interface.js';
import { disabledBy, plugins } from '../../../scheduler/plugins/plugins.js';
import { parseDurationFlag } from '../durations.js';
import { type FlagTable, type FlagValues, invalidFlag } from '../flags.js';
import { parsePort } from '../listen-address.js';

/** Flags of karmada-scheduler, with its names and defaults. */
export const schedulerFlags = {
  'scheduler-name': {
    type: 'string',
    value: 'NAME',
    default: 'default-scheduler',
    help: 'Name of the scheduler: bindings that name another one are left alone',
  },
  plugins: {
    type: 'list',
    value: 'LIST',
    default: ['*'],
    help: `Plugins of the scheduler: "*" all, "name" that one, "*,-name" not that one: ${plugins.map(p => p.name).join(', ')}`,
  },
  'enable-empty-workload-propagation': {
    type: 'boolean',
    help: 'Propagate workloads also to selected clusters that get no replicas',
  },
  'enable-scheduler-estimator': {
    type: 'boolean',
    help: 'Estimate by the nodes of members how many replicas fit',
  },
  'in-process-scheduler-estimator': {
    type: 'boolean',
    default: true,
    help: 'Estimate in this process for members whose estimator has no Service; false: look for it by DNS',
  },
  'disable-scheduler-estimator-in-pull-mode': {
    type: 'boolean',
    help: 'Do not ask the estimators of members in pull mode',
  },
  'scheduler-estimator-timeout': {
    type: 'string',
    value: 'DURATION',
    default: '3s',
    help: 'How long the scheduler waits for estimators',
  },
  'scheduler-estimator-service-namespace': {
    type: 'string',
    value: 'NAMESPACE',
    default: 'karmada-system',
    help: 'Namespace of the Services of estimators',
  },
  'scheduler-estimator-service-prefix': {
    type: 'string',
    value: 'PREFIX',
    default: 'karmada-scheduler-estimator',
    help: 'The Service of an estimator is PREFIX-CLUSTER',
  },
  'scheduler-estimator-port': { type: 'number', value: 'N', default: 10352, help: 'Port of estimators' },
  'scheduler-estimator-cert-file': {
    type: 'string',
    value: 'FILE',
    help: 'Certificate with which the scheduler authenticates to estimators',
  },
  'scheduler-estimator-key-file': { type: 'string', value: 'FILE', help: 'Private key of that certificate' },
  'scheduler-estimator-ca-file': {
    type: 'string',
    value: 'FILE',
    help: 'Certificate authority of the certificates of estimators',
  },
  'insecure-skip-estimator-verify': { type: 'boolean', help: 'Accept any certificate of an estimator' },
} as const satisfies FlagTable;

export interface SchedulerSettings {
  readonly schedulerName: string;
  readonly disabledPlugins: ReadonlySet<string>;
  readonly enableEmptyWorkloadPropagation: boolean;
  /** The limits of retries with one queue for all priorities. */
  readonly rateLimits?: RateLimits | undefined;
  /** Absent: no estimators of members are asked. */
  readonly estimators?: EstimatorSettings;
}

type Values = FlagValues<typeof schedulerFlags>;

/** Throws UsageError. as cmd/scheduler/app/options Options.Validate */
export function parseSchedulerSettings(values: Values): SchedulerSettings {
  const schedulerName = values['scheduler-name'];
  if (schedulerName === '') throw invalidFlag('scheduler-name', '', 'should not be empty');
  const estimators = parseEstimators(values);
  return {
    schedulerName,
    disabledPlugins: disabledBy(values.plugins),
    enableEmptyWorkloadPropagation: values['enable-empty-workload-propagation'],
    ...(values['enable-scheduler-estimator'] && { estimators }),
  };
}

function parseEstimators(values: Values): EstimatorSettings {
  const port = parsePort('scheduler-estimator-port', values['scheduler-estimator-port']);
  return {
    timeoutMs: parseDurationFlag('scheduler-estimator-timeout', values['scheduler-estimator-timeout']),
    serviceNamespace: values['scheduler-estimator-service-namespace'],
    servicePrefix: values['scheduler-estimator-service-prefix'],
    port,
    certFile: values['scheduler-estimator-cert-file'],
    keyFile: values['scheduler-estimator-key-file'],
    caFile: values['scheduler-estimator-ca-file'],
    skipsVerification: values['insecure-skip-estimator-verify'],
    skipsPullMode: values['disable-scheduler-estimator-in-pull-mode'],
    inProcess: values['in-process-scheduler-estimator'],
  };
}
