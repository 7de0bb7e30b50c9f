/** Starts processes that serve HTTP from the store of this process (`--workers`). */
import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import process from 'node:process';
import type { Registry } from 'prom-client';
import type { Frontend } from '../../server/config.js';
import type { Logger } from '../../server/logger.js';
import type { Backend } from '../../storage/interface.js';
import { openSharedRevision } from '../../storage/shared/shared-revision.js';
import { serveStore } from '../../storage/shared/serve-store.js';
import { gatherer } from './metrics.js';
import { type FromWorker, storeDescriptor, type ToWorker } from './messages.js';

const firstDelayMs = 500;
const lastDelayMs = 30_000;
/** Milliseconds beyond the time for requests after which a worker is killed. */
const graceMs = 5000;

interface SupervisorOptions {
  readonly count: number;
  /** Port 0: any free port. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly log: Logger;
}

/** Returns the error that kept a worker from starting. */
function failureOf({ name, message, code }: Extract<FromWorker, { type: 'failed' }>): Error {
  return Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });
}

/** Returns a port that is free now: workers that start later have to find it by its number. */
async function freePort(host: string): Promise<number> {
  const probe = net.createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/**
 * Starts workers with the arguments of this process. They share one port, whose connections the platform distributes in turn, and each has its
 * own watch cache on this store. A worker that ends is replaced. Rejects with the error that keeps the first from opening the port.
 */
export async function startSupervisor(
  { count, listen, log }: SupervisorOptions,
  store: Backend,
  metrics: Registry,
): Promise<Frontend> {
  const workers = new Set<Worker>();
  const { gather, received } = gatherer(metrics, () => workers);
  // With etcd the workers ask it for the revision.
  const sharedRevision = store.announce && openSharedRevision(store);
  /** Timers of workers that will be started. */
  const restarts = new Set<NodeJS.Timeout>();
  let populated = false;
  let stopping = false;
  let delayMs = firstDelayMs;

  function fork(): Worker {
    const worker = cluster.fork();
    workers.add(worker);
    serveStore(store, worker.process.stdio[storeDescriptor] as Duplex);
    worker.on('error', error => log.error({ err: error, worker: worker.id }, 'a worker cannot be reached'));
    worker.on('message', (message: FromWorker) => receive(worker, message));
    worker.on('exit', (code, signal) => {
      workers.delete(worker);
      if (!stopping && populated) replace(worker, code, signal);
    });
    // Messages to a worker that does not listen for them yet are lost.
    worker.once('listening', () => populated && send(worker, { type: 'populated' }));
    return worker;
  }

  function receive(worker: Worker, message: FromWorker): void {
    if (message.type === 'workerMetrics') received(message.id, message.metrics);
    if (message.type === 'failed' && populated)
      log.error({ err: failureOf(message), worker: worker.id }, 'a worker cannot start');
    if (message.type !== 'requestAllMetrics') return;
    gather().then(
      text => send(worker, { type: 'metrics', id: message.id, text }),
      (error: unknown) => log.error({ err: error }, 'the metrics of the processes cannot be added up'),
    );
  }

  function replace(worker: Worker, code: number | null, signal: string | null): void {
    log.error({ worker: worker.id, code, signal, delayMs }, 'a worker ended; it is replaced');
    const timer = setTimeout(() => {
      restarts.delete(timer);
      fork().once('listening', () => (delayMs = firstDelayMs));
    }, delayMs);
    restarts.add(timer);
    delayMs = Math.min(2 * delayMs, lastDelayMs);
  }

  const send = (worker: Worker, message: ToWorker): void => {
    if (worker.isConnected()) worker.send(message);
  };
  const sendAll = (message: ToWorker): void => workers.forEach(worker => send(worker, message));

  async function stop(requestMs: number): Promise<void> {
    stopping = true;
    for (const timer of restarts) clearTimeout(timer);
    sendAll({ type: 'stop' });
    const ended = [...workers].map(worker => new Promise(resolve => worker.once('exit', resolve)));
    const killTimer = setTimeout(() => workers.forEach(worker => worker.process.kill('SIGKILL')), requestMs + graceMs);
    await Promise.all(ended);
    clearTimeout(killTimer);
    sharedRevision?.close();
  }

  /** Makes all workers open the port. Returns its address. */
  async function opened(): Promise<Address> {
    const addresses = Array.from({ length: count }, fork).map(
      worker =>
        new Promise<Address>((resolve, reject) => {
          worker.once('listening', resolve);
          worker.on('message', (message: FromWorker) => message.type === 'failed' && reject(failureOf(message)));
          worker.once('exit', code => reject(new Error(`a worker ended with status ${code} before it listened`)));
        }),
    );
    const [address] = await Promise.all(addresses);
    if (!address) throw new Error('no workers are configured');
    return address;
  }

  const stdio = ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', sharedRevision?.descriptor ?? 'ignore'];
  const port = listen.port === 0 ? await freePort(listen.host) : listen.port;
  const host = net.isIPv6(listen.host) ? `[${listen.host}]` : listen.host;
  cluster.setupPrimary({ args: [...process.argv.slice(2), `--bind=${host}:${port}`], stdio });
  try {
    const { address } = await opened();
    return {
      host: address,
      port,
      renew: (certificate, key) => sendAll({ type: 'renew', certificate, key }),
      populated() {
        populated = true;
        sendAll({ type: 'populated' });
        for (let i = workers.size; i < count; i++) fork(); // replaces workers that have ended since they opened the port
      },
      stop,
    };
  } catch (error) {
    await stop(0);
    throw error;
  }
}
