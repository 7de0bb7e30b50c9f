/** Flags of karmada-controller-manager that have no effect in one process. They are accepted, so that the arguments of its manifests can be used. */
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

const help = 'No effect';

export const ignoredFlags: FlagTable = {
  ...Object.fromEntries(booleans.map(name => [name, { type: 'boolean', help }])),
  ...Object.fromEntries(withValue.map(name => [name, { type: 'string', help, ...(name === 'v' && { short: 'v' }) }])),
};

/** Returns the flags in lines of at most 100 columns, for a help text. */
export function describeIgnoredFlags(): string {
  const lines: string[] = [];
  for (const name of Object.keys(ignoredFlags).sort()) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 94) lines[lines.length - 1] = `${last}, --${name}`;
    else lines.push(`  --${name}`);
  }
  return lines.join(',\n');
}

/** Returns the flags among those given that have no effect, as they are written. */
export const ignoredAmong = (given: ReadonlySet<string>): readonly string[] =>
  [...given].filter(name => Object.hasOwn(ignoredFlags, name)).map(name => `--${name}`);
