/** Flags of Karmada's components that have no effect in one process. They are accepted, so that the arguments of their manifests can be used. */
import type { FlagTable } from './flags.js';

const booleans = [
  'enable-pprof',
  // of klog and component-base/logs
  'logtostderr',
  'alsologtostderr',
  'legacy_stderr_threshold_behavior',
  'add_dir_header',
  'skip_headers',
  'one_output',
  'skip_log_headers',
  'log-text-split-stream',
  'log-json-split-stream',
];

const withValue = [
  'kubeconfig',
  'master',
  'leader-elect-resource-name',
  'kube-api-qps',
  'kube-api-burst',
  'resync-period',
  'metrics-bind-address',
  'health-probe-bind-address',
  'profiling-bind-address',
  'horizontal-pod-autoscaler-sync-period',
  'horizontal-pod-autoscaler-upscale-delay',
  'horizontal-pod-autoscaler-downscale-stabilization',
  'horizontal-pod-autoscaler-downscale-delay',
  'horizontal-pod-autoscaler-tolerance',
  'horizontal-pod-autoscaler-cpu-initialization-period',
  'horizontal-pod-autoscaler-initial-readiness-delay',
  // of klog and component-base/logs
  'v',
  'vmodule',
  'stderrthreshold',
  'alsologtostderrthreshold',
  'log_dir',
  'log_file',
  'log_file_max_size',
  'log_backtrace_at',
  'log-flush-frequency',
  'log-text-info-buffer-size',
  'log-json-info-buffer-size',
  'logging-format',
];

const searchBooleans = [
  // of its own connection to the API server, and of its own port
  'authentication-skip-lookup',
  'authentication-tolerate-lookup-failure',
  'disable-http2-serving',
  'permit-address-sharing',
  'permit-port-sharing',
  // of k8s.io/apiserver
  'contention-profiling',
  'emulation-forward-compatible',
  'enable-garbage-collector',
  'runtime-config-emulation-forward-compatible',
  'watch-cache',
];

const searchWithValue = [
  // of its own connection to the API server, and of its own port
  'advertise-address',
  'authentication-kubeconfig',
  'authentication-token-webhook-cache-ttl',
  'authorization-always-allow-paths',
  'authorization-kubeconfig',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
  'bind-address',
  'cert-dir',
  'client-ca-file',
  'external-hostname',
  'http2-max-streams-per-connection',
  'requestheader-allowed-names',
  'requestheader-client-ca-file',
  'requestheader-extra-headers-prefix',
  'requestheader-group-headers',
  'requestheader-uid-headers',
  'requestheader-username-headers',
  'secure-port',
  'tls-cert-file',
  'tls-min-version',
  'tls-private-key-file',
  // of k8s.io/apiserver
  'debug-socket-path',
  'default-watch-cache-size',
  'delete-collection-workers',
  'etcd-count-metric-poll-period',
  'etcd-db-metric-poll-interval',
  'etcd-healthcheck-timeout',
  'etcd-readycheck-timeout',
  'lease-reuse-duration-seconds',
  'livez-grace-period',
  'min-request-timeout',
  'request-timeout',
  'shutdown-watch-termination-grace-period',
  'storage-backend',
  'storage-initialization-timeout',
  'storage-media-type',
  'watch-cache-sizes',
];

const help = 'No effect';

const tableOf = (booleans: readonly string[], withValue: readonly string[]): FlagTable => ({
  ...Object.fromEntries(booleans.map(name => [name, { type: 'boolean', help }])),
  ...Object.fromEntries(withValue.map(name => [name, { type: 'string', help, ...(name === 'v' && { short: 'v' }) }])),
});

/** The flags of karmada-controller-manager that have no effect; the other components have many of them, too. */
export const ignoredFlags = tableOf(booleans, withValue);

/**
 * The others of karmada-search. What asks for a protection that would be missing here is refused instead: encryption of the storage, cipher suites,
 * audit webhooks.
 */
export const ignoredSearchFlags = tableOf(searchBooleans, searchWithValue);

/** Returns the flags in lines of at most 100 columns, for a help text. */
export function describeIgnoredFlags(table = ignoredFlags): string {
  const lines: string[] = [];
  for (const name of Object.keys(table).sort()) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 94) lines[lines.length - 1] = `${last}, --${name}`;
    else lines.push(`  --${name}`);
  }
  return lines.join(',\n');
}

/** Returns the flags among those given that have no effect, as they are written. */
export const ignoredAmong = (given: ReadonlySet<string>, table = ignoredFlags): readonly string[] =>
  [...given].filter(name => Object.hasOwn(table, name)).map(name => `--${name}`);
