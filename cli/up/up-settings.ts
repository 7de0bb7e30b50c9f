/** The flags of `flagship up`, and the settings that they make. */
import path from 'node:path';
import process from 'node:process';
import type { ServerConfig } from '../../server/config.js';
import { type AdjustableLogger, createLogger } from '../../server/logger.js';
import { gatesWithoutEffect } from '../../kinds/karmada/feature-gates.js';
import { tenantBoundaryModes } from '../../kinds/karmada/tenant-boundaries.js';
import { parseMembers } from '../members-file.js';
import { parseControllers } from '../parts/names.js';
import { packageVersion } from '../version.js';
import { dataDirectory, directoryOf } from '../flags/data-directory.js';
import { parseDurationFlag } from '../flags/durations.js';
import { admissionFlags, parseAdmission } from '../flags/admission.js';
import { auditFlags, parseAudit } from '../flags/audit.js';
import { edgeFlags, parseEdge } from '../flags/edge.js';
import { kubeletFlags, parseKubelets } from '../flags/kubelet.js';
import { describeIgnoredFlags, ignoredSearchFlags } from '../flags/ignored.js';
import { leaderFlags, parseElection } from '../flags/leader.js';
import { limitFlags, parseLimits } from '../flags/limit.js';
import { parseListenAddress } from '../flags/listen-address.js';
import { logFlags, parseLogging } from '../flags/log.js';
import { parseChoice } from '../flags/parse-choice.js';
import { gateFlag, parseGates } from '../flags/karmada/gates.js';
import { parseStorage, storageFlags } from '../flags/storage.js';
import { karmadaFlags, type KarmadaSettings, parseKarmadaSettings } from '../flags/karmada/karmada.js';
import { parseSigning, signingFlags } from '../flags/signing.js';
import { parseSchedulerSettings, schedulerFlags } from '../flags/karmada/scheduler.js';
import { clusterProxyFlags, parseClusterProxyLimits } from '../flags/karmada/cluster-proxy.js';
import { parseSearchSettings, searchFlags } from '../flags/karmada/search.js';
import { describeFlags, type FlagTable, type FlagValues, invalidFlag } from '../flags/flags.js';

export const upFlags = {
  'data-dir': dataDirectory,
  bind: { type: 'string', value: 'HOST:PORT', default: '127.0.0.1:5443', help: 'Address to listen on' },
  ...storageFlags,
  ...leaderFlags,
  'shutdown-delay-duration': {
    type: 'string',
    value: 'DURATION',
    default: '0s',
    help: 'How long requests are served after /readyz has reported the shutdown',
  },
  workers: {
    type: 'number',
    value: 'N',
    default: 0,
    help: 'Number of further processes that serve requests; 0: this process serves them',
  },
  ...karmadaFlags,
  ...schedulerFlags,
  ...searchFlags,
  ...clusterProxyFlags,
  members: {
    type: 'string',
    value: 'MEMBERS',
    default: '0',
    help: 'Number of simulated member clusters to start and join, or a file that describes them',
  },
  controllers: {
    type: 'list',
    value: 'LIST',
    default: ['*'],
    help: 'Controllers to run: "*" all, "name" that one, "-name" not that one, "-*" none',
  },
  'feature-gates': gateFlag(`, or AllAlpha, AllBeta. Without effect yet: ${gatesWithoutEffect.join(', ')}`),
  'allow-no-execute-taint-policy': {
    type: 'boolean',
    help: 'Allow ClusterTaintPolicies with the effect NoExecute',
  },
  'tenant-boundaries': {
    type: 'string',
    value: 'MODE',
    default: 'enforce',
    help: `Whether users with rights to one namespace are confined to it in members: ${tenantBoundaryModes.join(', ')}`,
  },
  ...admissionFlags,
  ...limitFlags,
  ...edgeFlags,
  ...kubeletFlags,
  ...signingFlags,
  ...auditFlags,
  ...logFlags,
  version: { type: 'boolean', help: 'Show the version' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

/** Returns the text of `flagship up --help`. */
export const upHelp = (): string => `Starts the control plane and keeps it running until it is interrupted.

Usage:
  flagship up [flags]

Flags:
${describeFlags(upFlags)}

Further flags of karmada-search that are accepted and have no effect here:
${describeIgnoredFlags(ignoredSearchFlags)}

Flags of karmada-controller-manager that are accepted and have no effect here:
${describeIgnoredFlags()}
`;

/** Checks a number of processes against what one machine can run. */
function parseCount(flag: string, count: number): number {
  if (!Number.isInteger(count) || count < 0 || count > 100)
    throw invalidFlag(flag, count, 'want a whole number up to 100');
  return count;
}

/** Returns the configuration of the server from the flags, without the parts that run on it. */
async function configOf(
  values: FlagValues<typeof upFlags>,
  { failover }: KarmadaSettings,
  log: AdjustableLogger,
): Promise<ServerConfig> {
  const directory = directoryOf(values);
  const audit = await parseAudit(values);
  const featureGates = parseGates(values['feature-gates']);
  return {
    profile: 'karmada',
    listen: { host: '0.0.0.0', ...parseListenAddress('bind', values.bind) },
    pkiDirectory: path.join(directory, 'pki'),
    storage: await parseStorage(values, directory, process.env),
    featureGates,
    evictsByTaints: featureGates.Failover && failover.taintManager !== undefined,
    allowNoExecuteTaintPolicy: values['allow-no-execute-taint-policy'],
    tenantBoundaries: parseChoice('tenant-boundaries', values['tenant-boundaries'], tenantBoundaryModes),
    admissionPlugins: parseAdmission(values),
    limits: parseLimits(values),
    edge: parseEdge(values),
    kubelets: await parseKubelets(values),
    profiling: values.profiling,
    version: packageVersion(),
    flags: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    ...(audit && { audit }),
    shutdownDelayMs: parseDurationFlag('shutdown-delay-duration', values['shutdown-delay-duration']),
    logRequests: values['log-level'] === 'debug' || values.profiling,
    log,
  };
}

/** Parses the flags of `flagship up`. Rejects with a UsageError, or if a file that a flag names cannot be read. */
export async function parseUpSettings(values: FlagValues<typeof upFlags>) {
  const logging = parseLogging(values);
  const log = await createLogger(logging);
  const karmada = parseKarmadaSettings(values);
  return {
    directory: directoryOf(values),
    ...{ logging, log, karmada },
    election: parseElection(values),
    controllers: parseControllers(values.controllers),
    described: parseMembers(values.members),
    workers: parseCount('workers', values.workers),
    scheduling: parseSchedulerSettings(values),
    signing: await parseSigning(values),
    search: parseSearchSettings(values),
    userLimits: parseClusterProxyLimits(values),
    config: await configOf(values, karmada, log),
  };
}

export type UpSettings = Awaited<ReturnType<typeof parseUpSettings>>;
