/** `flagship up`: runs the control plane as one process until a signal ends it. */
import path from 'node:path';
import process from 'node:process';
import type { ServerConfig } from '../../server/config.js';
import type { AdjustableLogger } from '../../server/logger.js';
import { reclaimWhenIdle } from '../../lib/idle-collection.js';
import { type RunningServer, startServer } from '../../server/start-server.js';
import { kubeconfig } from '../../authn/pki/kubeconfig.js';
import { writePrivate } from '../../lib/write-private.js';
import { ReverseTunnels } from '../../aggregation/reverse-tunnel/reverse-tunnels.js';
import type { Part } from '../../server/parts.js';
import { pathMustBeFree } from '../../storage/embedded/path-lock.js';
import { aggregation } from '../parts/aggregation.js';
import { explanations } from '../parts/explanations.js';
import { MemberEstimators } from '../parts/member-estimators.js';
import { MemberMirrors } from '../parts/member-mirrors.js';
import { SimulatedMembers } from './simulated-members.js';
import { controllerParts } from './controller-parts.js';
import { unsupportedIn } from '../parts/names.js';
import { makeFolder } from '../make-folder.js';
import { mustBeFree } from './must-be-free.js';
import { explain } from '../explain-failure.js';
import { interruption } from '../interruption.js';
import { packageVersion, versionLine } from '../version.js';
import { directoryOf } from '../flags/data-directory.js';
import { ignoredAmong, ignoredFlags, ignoredSearchFlags } from '../flags/ignored.js';
import { type FlagValues, parseFlags, UsageError } from '../flags/flags.js';
import { parseUpSettings, upFlags, upHelp, type UpSettings } from './up-settings.js';

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

/** Serves requests as a worker process, which has no controllers and no scheduler. */
async function serveAsWorker({ config, karmada, scheduling, search, userLimits }: UpSettings): Promise<void> {
  const { runWorker } = await import('../workers/worker.js');
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
  const { probing, memberRate, memoryLimit } = karmada;
  const members =
    described.length > 0 ? new SimulatedMembers({ described, directory, ...listen, logging, probing }, log) : undefined;
  const tunnels = new ReverseTunnels();
  const forEstimates = scheduling.estimators?.inProcess ?? false;
  const mirrors = new MemberMirrors({ tunnels, forEstimates, rate: memberRate, memoryLimit });
  const estimators = scheduling.estimators && new MemberEstimators(scheduling.estimators, mirrors);
  const starting: Promise<RunningServer> = startServer({
    ...config,
    onAdminRenewed: async () => writePrivate(kubeconfigFile, kubeconfigOf(await starting)),
    ...(workers > 0 && {
      startFrontend: async (store, metrics) => {
        const { startSupervisor } = await import('../workers/supervisor.js');
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

async function run(values: FlagValues<typeof upFlags>, given: ReadonlySet<string>): Promise<void> {
  const settings = await parseUpSettings(values);
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
  const { values, given, rest } = parseFlags({ ...upFlags, ...ignoredFlags, ...ignoredSearchFlags }, args);
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
