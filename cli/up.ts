/** `flagship up`: runs the control plane as one process until a signal ends it. */
import path from 'node:path';
import process from 'node:process';
import type { ServerConfig } from '../server/config.js';
import { type AdjustableLogger, createLogger } from '../server/logger.js';
import { reclaimWhenIdle } from '../lib/idle-collection.js';
import { type RunningServer, startServer } from '../server/start-server.js';
import { kubeconfig } from '../authn/pki/kubeconfig.js';
import { writePrivate } from '../authn/pki/write-private.js';
import { gatesWithoutEffect } from '../kinds/karmada/feature-gates.js';
import { tenantBoundaryModes } from '../kinds/karmada/tenant-boundaries.js';
import { ReverseTunnels } from '../aggregation/reverse-tunnel/reverse-tunnels.js';
import type { Part } from '../server/parts.js';
import { pathMustBeFree } from '../storage/embedded/path-lock.js';
import { aggregation } from './parts/aggregation.js';
import { explanations } from './parts/explanations.js';
import { parseMembers } from './members-file.js';
import { MemberEstimators } from './parts/member-estimators.js';
import { MemberMirrors } from './parts/member-mirrors.js';
import { SimulatedMembers } from './simulated-members.js';
import { controllerParts } from './controller-parts.js';
import { parseControllers, unsupportedIn } from './parts/names.js';
import { makeFolder } from './make-folder.js';
import { mustBeFree } from './must-be-free.js';
import { explain } from './explain-failure.js';
import { interruption } from './interruption.js';
import { packageVersion, versionLine } from './version.js';
import { dataDirectory, directoryOf } from './flags/data-directory.js';
import { parseDurationFlag } from './flags/durations.js';
import { admissionFlags, parseAdmission } from './flags/admission.js';
import { auditFlags, parseAudit } from './flags/audit.js';
import { edgeFlags, parseEdge } from './flags/edge.js';
import { kubeletFlags, parseKubelets } from './flags/kubelet.js';
import { describeIgnoredFlags, ignoredAmong, ignoredFlags, ignoredSearchFlags } from './flags/ignored.js';
import { leaderFlags, parseElection } from './flags/leader.js';
import { limitFlags, parseLimits } from './flags/limit.js';
import { parseListenAddress } from './flags/listen-address.js';
import { logFlags, parseLogging } from './flags/log.js';
import { parseChoice } from './flags/parse-choice.js';
import { gateFlag, parseGates } from './flags/gates.js';
import { parseStorage, storageFlags } from './flags/storage.js';
import { karmadaFlags, type KarmadaSettings, parseKarmadaSettings } from './flags/karmada.js';
import { parseSigning, signingFlags } from './flags/signing.js';
import { parseSchedulerSettings, schedulerFlags } from './flags/scheduler.js';
import { clusterProxyFlags, parseClusterProxyLimits } from './flags/cluster-proxy.js';
import { parseSearchSettings, searchFlags } from './flags/search.js';
import { describeFlags, type FlagTable, type FlagValues, invalidFlag, parseFlags, UsageError } from './flags/flags.js';

const flags = {
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

export const upHelp = (): string => `Starts the control plane and keeps it running until it is interrupted.

Usage:
  flagship up [flags]

Flags:
${describeFlags(flags)}

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

/** Returns a kubeconfig with a context for the control plane, which is the current one, and those of parts. */
function kubeconfigOf({ pki, url, contexts }: RunningServer): string {
  const authority = pki.authority.certificate;
  const own = { name: 'karmada-apiserver', server: url, authority, user: { credential: pki.admin } };
  return kubeconfig([own, ...contexts]);
}

/** Returns whether this is a worker process of `--workers`. Other processes do not load `node:cluster`. */
async function isWorker(): Promise<boolean> {
  return process.send !== undefined && (await import('node:cluster')).default.isWorker;
}

/** Returns the configuration of the server from the flags, without the parts that run on it. */
async function configOf(
  values: FlagValues<typeof flags>,
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

/** Returns the text for the user: the address, and how to use it. */
function greeting({ url }: RunningServer, milliseconds: number, file: string): string {
  const shown = path.relative(process.cwd(), file);
  return [
    `Flagship listens on ${url} (ready after ${Math.round(milliseconds)} ms).`,
    `Kubeconfig: ${shown.startsWith('..') ? file : shown}`,
    '',
    `  export KUBECONFIG=${quoted(file)}`,
    '  kubectl get clusters',
    '',
  ].join('\n');
}

/** Logs that the server listens, before other parts log anything. */
const announcement = (fields: object): Part => ({
  name: 'announcement',
  start({ log, url }) {
    const { version: node, pid } = process;
    log.info({ version: packageVersion(), node, pid, address: url, ...fields }, 'listening');
    return Promise.resolve();
  },
});

/** Returns the storage fields of the first log line, without credentials. */
const storageFields = (storage: ServerConfig['storage']): object =>
  storage.type === 'etcd'
    ? { storage: 'etcd', endpoints: storage.etcd.endpoints }
    : { storage: 'embedded', ...(storage.type === 'embedded' && { directory: storage.directory }) };

/** Returns the milliseconds since `began`, a value of `performance.now()`. */
const since = (began: number): number => Math.round(performance.now() - began);

interface Start {
  readonly log: AdjustableLogger;
  /** When the program began, by performance.now(). */
  readonly began: number;
}

/** Writes the kubeconfig of a server to a file, and reports that it is ready. Stops the server when the file cannot be written. */
async function announceReady(server: RunningServer, file: string, { log, began }: Start): Promise<void> {
  try {
    await writePrivate(file, kubeconfigOf(server));
  } catch (error) {
    await server.stop(); // it is not reachable without a kubeconfig
    throw error;
  }
  log.info({ kubeconfig: file, milliseconds: since(began) }, 'ready');
  process.stdout.write(greeting(server, performance.now() - began, file));
}

/** Reports what was asked for and is not done. */
function warnOfIgnored(log: AdjustableLogger, given: ReadonlySet<string>, controllers: readonly string[]): void {
  const flags = ignoredAmong(given, { ...ignoredFlags, ...ignoredSearchFlags });
  if (flags.length > 0) log.warn({ flags }, 'flags of Karmada components were given that have no effect here');
  const unsupported = unsupportedIn(controllers);
  if (unsupported.length > 0)
    log.warn({ controllers: unsupported }, 'controllers in --controllers are not supported yet and do not run');
}

/** Parses all flags. Rejects with a UsageError, or if a file that a flag names cannot be read. */
async function parseSettings(values: FlagValues<typeof flags>) {
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

type UpSettings = Awaited<ReturnType<typeof parseSettings>>;

/** Serves requests as a worker process, which has no controllers and no scheduler. */
async function serveAsWorker({ config, karmada, scheduling, search, userLimits }: UpSettings): Promise<void> {
  const { runWorker } = await import('./workers/worker.js');
  await runWorker(answer => ({
    ...config,
    parts: [
      aggregation({ ...karmada, userLimits, search: { ...search, backends: false } }),
      explanations(scheduling, scheduling.estimators && answer),
    ],
  }));
}

/** Checks that the port and the storage are free, and makes the folders. */
async function prepareFolders({ directory, config: { listen, storage, audit } }: UpSettings): Promise<void> {
  await mustBeFree(listen);
  if (storage.type === 'embedded') await pathMustBeFree(storage.directory);
  await makeFolder(directory);
  if (audit && audit.log.path !== '-') await makeFolder(path.dirname(audit.log.path));
}

/** Starts the control plane, and simulated members beside it, which are stopped when it fails. */
function startControlPlane(settings: UpSettings, kubeconfigFile: string): Promise<RunningServer> {
  const { config, log, described, workers, karmada, scheduling, search, userLimits } = settings;
  const { election, controllers, signing, directory, logging } = settings;
  const { listen, storage } = config;
  const { probing, memberRate } = karmada;
  const members =
    described.length > 0 ? new SimulatedMembers({ described, directory, ...listen, logging, probing }, log) : undefined;
  const tunnels = new ReverseTunnels();
  const forEstimates = scheduling.estimators?.inProcess ?? false;
  const mirrors = new MemberMirrors({ tunnels, forEstimates, rate: memberRate });
  const estimators = scheduling.estimators && new MemberEstimators(scheduling.estimators, mirrors);
  const starting: Promise<RunningServer> = startServer({
    ...config,
    onAdminRenewed: async () => writePrivate(kubeconfigFile, kubeconfigOf(await starting)),
    ...(workers > 0 && {
      startFrontend: async (store, metrics) => {
        const { startSupervisor } = await import('./workers/supervisor.js');
        return startSupervisor({ count: workers, listen, log, answer: estimators?.answer }, store, metrics);
      },
    }),
    // Members come first: controllers that see a cluster before it answers mark it as not ready, and wait half a minute before they mark it as ready.
    parts: [
      announcement({ ...storageFields(storage), members: described.length, workers }),
      aggregation({ ...karmada, userLimits, search, tunnels }),
      ...(estimators ? [estimators.part] : []),
      explanations(scheduling, estimators?.answer),
      ...(members ? [members.part] : []),
      ...controllerParts(
        { election, controllers, settings: karmada, scheduling, signing, mirrors, estimators },
        config,
      ),
    ],
  });
  starting.catch(() => members?.abandon()); // the caller reports the error
  return starting;
}

async function run(values: FlagValues<typeof flags>, given: ReadonlySet<string>): Promise<void> {
  const settings = await parseSettings(values);
  const { log, directory } = settings;
  const began = performance.now();
  reclaimWhenIdle();
  if (await isWorker()) return serveAsWorker(settings);
  warnOfIgnored(log, given, values.controllers);
  const interrupted = interruption();
  await prepareFolders(settings);
  const kubeconfigFile = path.join(directory, 'kubeconfig');
  const server = await Promise.race([startControlPlane(settings, kubeconfigFile), interrupted]);
  if (typeof server === 'string') {
    log.info({ signal: server }, 'stopped during the start');
    process.exit(0); // no request was answered yet: the store is as safe as after a crash
  }
  await announceReady(server, kubeconfigFile, { log, began });
  const signal = await interrupted;
  const stoppingAt = performance.now();
  log.info({ signal }, 'stopping');
  await server.stop();
  log.info({ milliseconds: since(stoppingAt) }, 'stopped');
}

/** Returns a file name quoted for a shell. */
const quoted = (file: string): string => (/^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`);

/** Returns the exit status. */
export async function up(args: readonly string[]): Promise<number> {
  const { values, given, rest } = parseFlags({ ...flags, ...ignoredFlags, ...ignoredSearchFlags }, args);
  if (values.help) {
    process.stdout.write(upHelp());
    return 0;
  }
  if (values.version) {
    process.stdout.write(versionLine());
    return 0;
  }
  if (rest.length > 0) throw new UsageError(`unknown argument: ${rest[0]}`);
  try {
    await run(values, given);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw explain(error, { directory: directoryOf(values), bind: values.bind });
  }
}
