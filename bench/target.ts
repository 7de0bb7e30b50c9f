/** A measured server. */
import type { Endpoint } from '../aggregation/interface.js';
import { connect, type Connection } from '../aggregation/remote/connection.js';
import { kubeconfigContexts, kubeconfigEndpoint } from '../aggregation/remote/kubeconfig.js';
import { startFlagship } from '../tools/flagship.js';
import { startMembers } from './members/start-members.js';
import { idle, type Usage, usageOf } from './usage.js';

export interface Target {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** The names of its member clusters, which are also contexts of its kubeconfig. */
  readonly members: readonly string[];
  /** The API servers of the members, in the order of the names. */
  readonly memberEndpoints: readonly Endpoint[];
  /** Sends a request. Resolves with the body; rejects with the path and the answer if that is an error. */
  send(method: string, path: string, body?: string, type?: string): Promise<Buffer>;
  /** Sends a GET. Resolves with the stream of the body. */
  stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
  /** Its processes, if they run on this machine. */
  readonly pids: readonly number[];
  /** Returns the usage of its processes and their children. */
  usage(): Usage | undefined;
  /** Returns the usage of the etcd behind it, if that was started for it. */
  storeUsage?(): Usage | undefined;
  /** Returns the usage of the members, if they run in a process of their own. */
  memberUsage?(): Usage | undefined;
  /** Start time in milliseconds, if it was started for the measurement. */
  readonly readyMs?: number;
  /** Usage of the idle server before the first request of a scenario. */
  readonly idle?: Usage;
  close(): Promise<void>;
}

interface TargetOptions {
  readonly name: string;
  readonly kubeconfig: string;
  readonly context?: string;
  /** Contexts of the members; the default is all other contexts. */
  readonly members?: readonly string[];
  readonly pids?: readonly number[];
  /** Minimum seconds until the process counts as idle (5). */
  readonly idleSeconds?: number;
}

const karmadaContext = 'karmada-apiserver';

class Refused extends Error {}

async function send(connection: Connection, method: string, path: string, body?: string, type = 'application/json') {
  const answer = await connection.request({
    method,
    path,
    ...(body !== undefined && { headers: { 'content-type': type }, body: Buffer.from(body) }),
  });
  if (answer.status >= 300)
    throw new Refused(`${method} ${path}: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`);
  return answer.body;
}

export async function openTarget(options: TargetOptions): Promise<Target> {
  const { name, kubeconfig, pids = [] } = options;
  const contexts = kubeconfigContexts(kubeconfig);
  const context = options.context ?? (contexts.includes(karmadaContext) ? karmadaContext : undefined);
  const endpoint = kubeconfigEndpoint(kubeconfig, context);
  const connection = connect(endpoint, { userAgent: 'bench/1.0', connections: 64, onlyHttp1: true });
  const before = await idle(pids, options.idleSeconds);
  const members = options.members ?? (context === undefined ? [] : contexts.filter(each => each !== context));
  return {
    name,
    endpoint,
    pids,
    members,
    memberEndpoints: members.map(each => kubeconfigEndpoint(kubeconfig, each)),
    send: (...request) => send(connection, ...request),
    async stream(path, signal) {
      const { status, body } = await connection.stream({ method: 'GET', path, signal });
      if (status !== 200) throw new Refused(`GET ${path}: ${status}`);
      return body;
    },
    usage: () => usageOf(pids),
    ...(before && { idle: before }),
    close: () => connection.close(),
  };
}

/** Starts Flagship with simulated members in another process. */
export async function startWithMembers(name: string, count: number): Promise<Target> {
  const members = await startMembers(count);
  try {
    const target = await startTarget(name, []);
    const close = async (): Promise<void> => {
      await target.close();
      await members.stop();
    };
    const started = {
      ...target,
      members: members.names,
      memberEndpoints: members.endpoints,
      memberUsage: () => usageOf([members.pid]),
      close,
    };
    try {
      await members.join(target.endpoint);
      return started;
    } catch (error) {
      await target.close();
      throw error;
    }
  } catch (error) {
    await members.stop();
    throw error;
  }
}

interface StartOptions {
  readonly idleSeconds?: number;
  /** The command that runs Node.js. */
  readonly command?: readonly [string, ...string[]];
  /** The folder with its data, which is kept after the stop (default: a temporary one). */
  readonly keptDirectory?: string;
}

/** Starts Flagship as a separate process. */
export async function startTarget(
  name: string,
  flags: readonly string[],
  { idleSeconds, command, keptDirectory }: StartOptions = {},
): Promise<Target> {
  const child = await startFlagship(flags, command, keptDirectory);
  try {
    const pids = [child.pid];
    const target = await openTarget({
      ...{ name, kubeconfig: child.kubeconfig, pids },
      ...(idleSeconds !== undefined && { idleSeconds }),
    });
    const close = async (): Promise<void> => {
      await target.close();
      await child.stop();
    };
    return { ...target, readyMs: child.readyMs, close };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
