/** Reads the settings of karmada-controller-manager, from its flags. */
import type { Endpoint } from '../../../aggregation/interface.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { parseSkippedApis, type SkippedApis } from '../../../controllers/policy/skipped-apis.js';
import type { ControllerTuning } from '../../../client/runtime/context.js';
import { goRegexp } from '../../../lib/regexp/go-regexp.js';
import { clusterFlags, type ClusterSettings, parseClusterSettings } from './cluster.js';
import { parseDurationFlag, parseSignedDuration } from '../durations.js';
import { failoverFlags, type FailoverSettings, parseFailoverSettings } from './failover.js';
import { type FlagTable, type FlagValues, invalidFlag, UsageError } from '../flags.js';
import { parseWorkers, workersFlag } from './worker.js';

const concurrencyFlags = {
  'concurrent-cluster-syncs': workersFlag('Clusters'),
  'concurrent-resourcebinding-syncs': workersFlag('ResourceBindings'),
  'concurrent-clusterresourcebinding-syncs': workersFlag('ClusterResourceBindings'),
  'concurrent-work-syncs': workersFlag('Works'),
  'concurrent-namespace-syncs': workersFlag('Namespaces'),
  'concurrent-propagation-policy-syncs': workersFlag('PropagationPolicies'),
  'concurrent-cluster-propagation-policy-syncs': workersFlag('ClusterPropagationPolicies'),
  'concurrent-resource-template-syncs': workersFlag('resource templates'),
  'concurrent-dependent-resource-syncs': workersFlag('templates with dependencies'),
} as const satisfies FlagTable;

/** The controllers whose workers a flag sets. */
const controllersOf: Readonly<Record<keyof typeof concurrencyFlags, readonly string[]>> = {
  'concurrent-cluster-syncs': ['cluster-controller', 'cluster-status-controller', 'unified-auth-controller'],
  'concurrent-resourcebinding-syncs': [
    'binding-controller',
    'resource-binding-status-controller',
    'resource-binding-graceful-eviction-controller',
    'resource-binding-application-failover-controller',
  ],
  'concurrent-clusterresourcebinding-syncs': [
    'cluster-resource-binding-controller',
    'cluster-resource-binding-status-controller',
    'cluster-resource-binding-graceful-eviction-controller',
    'cluster-resource-binding-application-failover-controller',
  ],
  'concurrent-work-syncs': ['execution-controller', 'work-status-controller'],
  'concurrent-namespace-syncs': ['namespace-sync-controller'],
  'concurrent-propagation-policy-syncs': ['propagation-policy-detector'],
  'concurrent-cluster-propagation-policy-syncs': ['cluster-propagation-policy-detector'],
  'concurrent-resource-template-syncs': ['resource-detector'],
  'concurrent-dependent-resource-syncs': ['dependencies-distributor'],
};

/** Flags of all components of Karmada with controllers. */
export const rateFlags = {
  'rate-limiter-base-delay': {
    type: 'string',
    value: 'DURATION',
    default: '5ms',
    help: 'Delay of the first retry of an object; it doubles with every failure',
  },
  'rate-limiter-max-delay': {
    type: 'string',
    value: 'DURATION',
    default: '1000s',
    help: 'Maximum delay of a retry',
  },
  'rate-limiter-qps': { type: 'number', value: 'N', default: 10, help: 'Retries per second of one controller' },
  'rate-limiter-bucket-size': {
    type: 'number',
    value: 'N',
    default: 100,
    help: 'Retries of one controller that may come at once',
  },
} as const satisfies FlagTable;

/** Flags of karmada-controller-manager, with its names. */
export const karmadaFlags = {
  ...clusterFlags,
  'enable-cluster-resource-modeling': {
    type: 'boolean',
    default: true,
    help: 'Mirror the Nodes and Pods of members and report their resources in the status of the Cluster',
  },
  'skipped-propagating-apis': {
    type: 'string',
    value: 'LIST',
    help: 'APIs that are not propagated, separated by semicolons: GROUP, GROUP/VERSION or GROUP/VERSION/KIND,KIND',
  },
  'skipped-propagating-namespaces': {
    type: 'list',
    value: 'REGEXP,...',
    default: ['kube-.*'],
    help: 'Namespaces that are not propagated: regular expressions that match the whole name',
  },
  'graceful-eviction-timeout': {
    type: 'string',
    value: 'DURATION',
    default: '10m',
    help: 'How long an evicted workload stays while its replacement is not healthy',
  },
  'federated-resource-quota-sync-period': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'Interval at which the usage of FederatedResourceQuotas is computed again; 0: never',
  },
  'cluster-api-kubeconfig': {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig of a management cluster of Cluster API, whose clusters join when they are provisioned',
  },
  'cluster-api-context': {
    type: 'string',
    value: 'NAME',
    help: 'Context of the management cluster (default: the current one)',
  },
  ...failoverFlags,
  ...concurrencyFlags,
  ...rateFlags,
} as const satisfies FlagTable;

/** Matches names. */
interface NamePattern {
  test(name: string): boolean;
}

export interface KarmadaSettings extends ClusterSettings {
  /** Mirror the nodes and pods of members. */
  readonly modelsResources: boolean;
  readonly skippedApis: SkippedApis;
  readonly skippedNamespaces: readonly NamePattern[];
  readonly gracefulEvictionMs: number;
  readonly failover: FailoverSettings;
  readonly quotaSyncMs: number;
  readonly tuning: ControllerTuning;
  /** The management cluster of Cluster API; absent for none. */
  readonly clusterApi?: Endpoint;
}

type Values = FlagValues<typeof karmadaFlags>;

/** Throws UsageError. */
export function parseKarmadaSettings(values: Values): KarmadaSettings {
  const clusterApi = parseClusterApi(values);
  return {
    ...parseClusterSettings(values),
    modelsResources: values['enable-cluster-resource-modeling'],
    skippedApis: parseApis(values['skipped-propagating-apis']),
    skippedNamespaces: values['skipped-propagating-namespaces'].map(parsePattern),
    gracefulEvictionMs: parseDurationFlag('graceful-eviction-timeout', values['graceful-eviction-timeout']),
    failover: parseFailoverSettings(values),
    quotaSyncMs: parseDurationFlag(
      'federated-resource-quota-sync-period',
      values['federated-resource-quota-sync-period'],
    ),
    tuning: { workers: parseWorkers(values, controllersOf), rateLimits: parseRates(values) },
    ...(clusterApi && { clusterApi }),
  };
}

function parseClusterApi(values: Values): Endpoint | undefined {
  const file = values['cluster-api-kubeconfig'];
  if (file === '') {
    if (values['cluster-api-context'] === '') return undefined;
    throw new UsageError('--cluster-api-context needs --cluster-api-kubeconfig');
  }
  try {
    return kubeconfigEndpoint(file, values['cluster-api-context'] || undefined);
  } catch (error) {
    throw invalidFlag('cluster-api-kubeconfig', file, (error as Error).message);
  }
}

function parseApis(text: string): SkippedApis {
  try {
    return parseSkippedApis(text);
  } catch (error) {
    throw invalidFlag('skipped-propagating-apis', text, (error as Error).message);
  }
}

function parsePattern(text: string): NamePattern {
  const pattern = goRegexp(`^${text}$`);
  if ('error' in pattern) throw invalidFlag('skipped-propagating-namespaces', text, pattern.error);
  return pattern;
}

/** Values that are not positive are replaced by the defaults. as pkg/sharedcli/ratelimiterflag Options.SetDefaults */
export function parseRates(values: FlagValues<typeof rateFlags>): NonNullable<ControllerTuning['rateLimits']> {
  const numberOf = (flag: 'rate-limiter-qps' | 'rate-limiter-bucket-size'): number =>
    values[flag] > 0 ? values[flag] : rateFlags[flag].default;
  const delayOf = (flag: 'rate-limiter-base-delay' | 'rate-limiter-max-delay'): number => {
    const ms = parseSignedDuration(flag, values[flag]);
    return ms > 0 ? ms : parseDurationFlag(flag, rateFlags[flag].default);
  };
  return {
    baseMs: delayOf('rate-limiter-base-delay'),
    maxMs: delayOf('rate-limiter-max-delay'),
    perSecond: numberOf('rate-limiter-qps'),
    burst: numberOf('rate-limiter-bucket-size'),
  };
}
