/** `flagship agent`: brings what the control plane wants to a cluster in pull mode, as karmada-agent does. */
import process from 'node:process';
import { Registry } from 'prom-client';
import { meter } from '../../apiserver/metrics/meter.js';
import { queueMetrics } from '../../apiserver/metrics/queue-metrics.js';
import { reclaimWhenIdle } from '../../lib/idle-collection.js';
import { isExpected, causeText } from '../../lib/logging/cause.js';
import { createLogger } from '../../server/logger.js';
import { serveProbes } from '../serve-probes.js';
import { describeFlags, parseFlags, UsageError } from '../flags/flags.js';
import { interruption } from '../interruption.js';
import { describeIgnoredFlags, ignoredAmong } from '../flags/ignored.js';
import { packageVersion } from '../version.js';
import { acceptedAgentFlags, agentFlags } from './flags.js';
import { runAgent } from './run-agent.js';
import { type AgentProcessSettings, parseAgentProcess } from './settings.js';

const help =
  (): string => `Registers a cluster in pull mode, brings its Works to it, and reports its status, as karmada-agent does. It accepts the
flags of karmada-agent.

Usage:
  flagship agent --karmada-kubeconfig FILE --cluster-name NAME [flags]

Flags:
${describeFlags(agentFlags)}

Flags of Karmada that are accepted and have no effect here:
${describeIgnoredFlags()}
`;

async function run(settings: AgentProcessSettings, ignored: readonly string[]): Promise<void> {
  const { cluster, unsupported } = settings;
  const log = await createLogger(settings.logging);
  const { version: node, pid } = process;
  log.info({ version: packageVersion(), node, pid, cluster }, 'agent starts');
  if (ignored.length > 0) log.warn({ flags: ignored }, 'flags of karmada-agent were given that have no effect here');
  if (unsupported.length > 0)
    log.warn({ controllers: unsupported }, 'controllers in --controllers are not supported yet and do not run');
  reclaimWhenIdle();
  const stop = new AbortController();
  void interruption().then(signal => {
    log.info({ signal }, 'stopping');
    stop.abort();
  });
  const registry = new Registry();
  const endProbes = await serveProbes(settings.probes, registry);
  try {
    await runAgent(settings, {
      ...{ log, meter: meter(registry), observeQueue: queueMetrics(registry), signal: stop.signal },
    });
  } finally {
    endProbes();
  }
}

/** Returns the exit status. */
export async function agent(args: readonly string[]): Promise<number> {
  const { values, given, rest } = parseFlags(acceptedAgentFlags, args);
  if (values.help) {
    process.stdout.write(help());
    return 0;
  }
  if (rest.length > 0) throw new UsageError(`unknown argument: ${rest[0]}`);
  const ignored = ignoredAmong(given).filter(name => !Object.hasOwn(agentFlags, name.slice(2)));
  try {
    await run(parseAgentProcess(values), ignored);
  } catch (error) {
    throw isExpected(error) && !(error instanceof UsageError) ? new UsageError(causeText(error)) : error;
  }
  return 0;
}
