/** A server that is measured. */
import type { Endpoint } from '../aggregation/interface.js';
import { connect, type Connection } from '../aggregation/remote/connection.js';
import { kubeconfigContexts, kubeconfigEndpoint } from '../aggregation/remote/kubeconfig.js';
import { startFlagship } from '../tools/flagship.js';
import { idle, type Usage, usageOf } from './usage.js';

export interface Target {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** The names of its member clusters, which are contexts of its kubeconfig, too. */
  readonly members: readonly string[];
  /** Rejects with the path and the answer when that is not a success. Resolves with the body. */
  ask(method: string, path: string, body?: string, type?: string): Promise<Buffer>;
  /** A body as it comes. */
  stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
  /** Its processes, when they run on this machine. */
  readonly pids: readonly number[];
  /** Of its processes and those that they started. */
  usage(): Usage | undefined;
  /** Of the etcd behind it, where that was started for it. */
  storeUsage?(): Usage | undefined;
  /** Milliseconds that it took to start; only when it was started here. */
  readonly readyMs?: number;
  /** What it holds when nothing happens, before the first request of a scenario. */
  readonly idle?: Usage;
  close(): Promise<void>;
}

export interface TargetOptions {
  readonly name: string;
  readonly kubeconfig: string;
  readonly context?: string;
  /** Absent: every other context. */
  readonly members?: readonly string[];
  readonly pids?: readonly number[];
  /** So long it is looked at, at least, before what it holds counts as what it holds when idle (5). */
  readonly idleSeconds?: number;
}

const karmadaContext = 'karmada-apiserver';

class Refused extends Error {}

async function ask(connection: Connection, method: string, path: string, body?: string, type = 'application/json') {
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
  const connection = connect(endpoint, { userAgent: 'bench/1.0', connections: 64 });
  const before = await idle(pids, options.idleSeconds);
  return {
    name,
    endpoint,
    pids,
    members: options.members ?? (context === undefined ? [] : contexts.filter(each => each !== context)),
    ask: (...request) => ask(connection, ...request),
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

export interface StartOptions {
  readonly idleSeconds?: number;
  /** The command that runs Node.js. */
  readonly command?: readonly [string, ...string[]];
}

/** Flagship, as a process of its own. */
export async function startTarget(
  name: string,
  flags: readonly string[],
  { idleSeconds, command }: StartOptions = {},
): Promise<Target> {
  const child = await startFlagship(flags, command);
  try {
    const pids = [child.pid];
    const target = await openTarget({ name, kubeconfig: child.kubeconfig, pids, ...(idleSeconds && { idleSeconds }) });
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
