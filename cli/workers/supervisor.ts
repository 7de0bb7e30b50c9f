/** Starts processes that serve HTTP from the store of this process (`--workers`). */
import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import process from 'node:process';
import type { Registry } from 'prom-client';
import type { Frontend } from '../../server/config.js';
import type { AdjustableLogger } from '../../server/logger.js';
import type { Backend } from '../../storage/interface.js';
import { type SharedRevision, openSharedRevision } from '../../storage/shared/shared-revision.js';
import { serveStore } from '../../storage/shared/serve-store.js';
import { Restarts } from '../../lib/restarts.js';
import { memberAnswerOf, estimateQueryOf } from '../../scheduler/estimators/member-question.js';
import type { AnswerEstimates } from '../../scheduler/interface.js';
import { MetricsGatherer } from './metrics.js';
import { type FromWorker, storeDescriptor, type ToWorker } from './messages.js';

/** Milliseconds beyond the time for requests after which a worker is killed. */
const graceMs = 5000;

interface SupervisorOptions {
  /** The number of workers. */
  readonly count: number;
  /** Port 0: any free port. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly log: AdjustableLogger;
  /** Asks members for the workers. Absent: none are asked. */
  readonly answer?: AnswerEstimates | undefined;
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
  { count, listen, log, answer }: SupervisorOptions,
  store: Backend,
  metrics: Registry,
): Promise<Frontend> {
  const port = listen.port === 0 ? await freePort(listen.host) : listen.port;
  const supervisor = new Supervisor({ count, log, store, metrics, answer });
  try {
    const host = await supervisor.start(listen.host, port);
    return {
      host,
      port,
      renew: (certificate, key) => supervisor.sendAll({ type: 'renew', certificate, key }),
      populated: () => supervisor.populated(),
      stop: requestMs => supervisor.stop(requestMs),
    };
  } catch (error) {
    await supervisor.stop(0);
    throw error;
  }
}

interface WorkerOptions {
  readonly count: number;
  readonly log: AdjustableLogger;
  readonly store: Backend;
  readonly metrics: Registry;
  readonly answer: AnswerEstimates | undefined;
}

/** Holds the workers, and replaces those that end. */
class Supervisor {
  readonly #count: number;
  readonly #log: AdjustableLogger;
  readonly #store: Backend;
  readonly #workers = new Set<Worker>();
  readonly #metrics: MetricsGatherer;
  readonly #answer: AnswerEstimates | undefined;
  readonly #stopping = new AbortController();
  /** Absent with etcd, which the workers ask for the revision. */
  readonly #sharedRevision: SharedRevision | undefined;
  readonly #restarts = new Restarts({ firstMs: 500, lastMs: 30_000 });
  #isPopulated = false;
  #isStopping = false;

  constructor({ count, log, store, metrics, answer }: WorkerOptions) {
    this.#count = count;
    this.#log = log;
    this.#store = store;
    this.#answer = answer;
    this.#metrics = new MetricsGatherer(metrics, () => this.#workers);
    this.#sharedRevision = store.announce && openSharedRevision(store);
  }

  /** Starts the workers, and resolves when all have opened the port. Returns the address of the host. */
  async start(host: string, port: number): Promise<string> {
    const bind = net.isIPv6(host) ? `[${host}]` : host;
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', this.#sharedRevision?.descriptor ?? 'ignore'];
    cluster.setupPrimary({ args: [...process.argv.slice(2), `--bind=${bind}:${port}`], stdio });
    const opened = Array.from({ length: this.#count }, () => listening(this.#fork()));
    const [address] = await Promise.all(opened);
    if (!address) throw new Error('no workers are configured');
    return address.address;
  }

  /** Tells the workers that the store has its first objects. From now on, workers that end are replaced. */
  populated(): void {
    this.#isPopulated = true;
    this.sendAll({ type: 'populated' });
    for (let i = this.#workers.size; i < this.#count; i++) this.#fork(); // replaces workers that have ended since they opened the port
  }

  sendAll(message: ToWorker): void {
    for (const worker of this.#workers) send(worker, message);
  }

  /** Ends the workers. A worker that takes longer than `requestMs` and some seconds is killed. */
  async stop(requestMs: number): Promise<void> {
    this.#isStopping = true;
    this.#stopping.abort();
    this.#restarts.cancel();
    this.sendAll({ type: 'stop' });
    const ended = [...this.#workers].map(worker => new Promise(resolve => worker.once('exit', resolve)));
    const kill = (): void => this.#workers.forEach(worker => worker.process.kill('SIGKILL'));
    const killTimer = setTimeout(kill, requestMs + graceMs);
    await Promise.all(ended);
    clearTimeout(killTimer);
    this.#sharedRevision?.close();
  }

  #fork(): Worker {
    const worker = cluster.fork();
    this.#workers.add(worker);
    serveStore(this.#store, worker.process.stdio[storeDescriptor] as Duplex);
    worker.on('error', error => this.#log.error({ err: error, worker: worker.id }, 'a worker cannot be reached'));
    worker.on('message', (message: FromWorker) => this.#receive(worker, message));
    worker.on('exit', (code, signal) => {
      this.#workers.delete(worker);
      if (!this.#isStopping && this.#isPopulated) this.#replace(worker, code, signal);
    });
    // Messages to a worker that does not listen for them yet are lost.
    worker.once('listening', () => this.#isPopulated && send(worker, { type: 'populated' }));
    return worker;
  }

  #receive(worker: Worker, message: FromWorker): void {
    if (message.type === 'workerMetrics') this.#metrics.received(message.id, message.metrics);
    if (message.type === 'failed' && this.#isPopulated)
      this.#log.error({ err: failureOf(message), worker: worker.id }, 'a worker cannot start');
    if (message.type === 'requestEstimates') void this.#estimate(worker, message);
    if (message.type !== 'requestAllMetrics') return;
    this.#metrics.gather().then(
      text => send(worker, { type: 'metrics', id: message.id, text }),
      (error: unknown) => this.#log.error({ err: error }, 'the metrics of the processes cannot be added up'),
    );
  }

  async #estimate(
    worker: Worker,
    { id, question }: Extract<FromWorker, { readonly type: 'requestEstimates' }>,
  ): Promise<void> {
    const table = await this.#answer?.(estimateQueryOf(question), this.#stopping.signal);
    send(worker, { type: 'estimates', id, answer: memberAnswerOf(table ?? new Map<string, number>()) });
  }

  #replace(worker: Worker, code: number | null, signal: string | null): void {
    const delayMs = this.#restarts.schedule(() => this.#fork().once('listening', () => this.#restarts.succeeded()));
    this.#log.error({ worker: worker.id, code, signal, delayMs }, 'a worker ended; it is replaced');
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

/** Resolves with the address when a worker has opened the port; rejects if it fails or ends before. */
function listening(worker: Worker): Promise<Address> {
  return new Promise((resolve, reject) => {
    worker.once('listening', resolve);
    worker.on('message', (message: FromWorker) => message.type === 'failed' && reject(failureOf(message)));
    worker.once('exit', code => reject(new Error(`a worker ended with status ${code} before it listened`)));
  });
}
