/** A process that serves HTTP from the store of another one (`--workers`). */
import net from 'node:net';
import process from 'node:process';
import type { ServerConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/start-server.js';
import type { Backend } from '../../storage/interface.js';
import { sharedRevisionReader } from '../../storage/shared/shared-revision.js';
import { memberQuestionOf, estimateTableOf } from '../../scheduler/estimators/member-question.js';
import type { AnswerEstimates, EstimateTable } from '../../scheduler/interface.js';
import { openShared } from '../../storage/shared/open-shared.js';
import {
  sharedRevisionDescriptor,
  type FromWorker,
  type ProcessMetrics,
  storeDescriptor,
  type ToWorker,
} from './messages.js';
import { PendingAnswers } from './pending-answers.js';

function failureOf(error: unknown): FromWorker {
  const { name, message, code } = error as NodeJS.ErrnoException;
  return { type: 'failed', name, message, code };
}

const send = (message: FromWorker): Promise<void> =>
  new Promise(resolve => process.send?.(message, undefined, undefined, () => resolve()));

/** Returns the stream to the process that owns the store. A worker that loses it ends, and is replaced. */
function storeStream({ log }: ServerConfig): net.Socket {
  const stream = new net.Socket({ fd: storeDescriptor });
  stream.once('close', () => {
    log.error({}, 'the connection to the store is lost');
    process.exit(1);
  });
  return stream;
}

/** Reports whether the process is still the parent. When a parent ends, its children get another one before the channel is closed. */
const isParent = (pid: number): boolean => process.ppid === pid;

const storeOfParent = (config: ServerConfig): Backend =>
  openShared(storeStream(config), sharedRevisionReader(sharedRevisionDescriptor, isParent));

/** Returns the configuration of a worker, whose parts may ask members through the parent. */
type ConfigureWorker = (answer: AnswerEstimates) => ServerConfig;

/** A server whose parent owns the store, and what it exchanges with the parent. */
class WorkerProcess {
  readonly #config: ServerConfig;
  /** Resolves when the parent has filled the store. */
  readonly #populated: Promise<void>;
  #setPopulated!: () => void;
  /** Resolves when the parent ends the worker. */
  readonly #stopping: Promise<void>;
  #stop!: () => void;
  /** The requests for the metrics of all processes. */
  readonly #allMetrics = new PendingAnswers<readonly string[]>();
  readonly #estimates = new PendingAnswers<EstimateTable>();
  /** Undefined until it serves. */
  #server: RunningServer | undefined;

  constructor(configure: ConfigureWorker) {
    this.#populated = new Promise(resolve => (this.#setPopulated = resolve));
    this.#stopping = new Promise(resolve => (this.#stop = resolve));
    this.#config = configure((query, signal) => this.#askMembers(query, signal));
  }

  /** Acts on a message of the parent. A certificate that comes before the server serves is ignored. */
  receive(message: ToWorker): void {
    switch (message.type) {
      case 'populated':
        return this.#setPopulated();
      case 'stop':
        return this.#stop();
      case 'renew':
        return this.#server?.renew(message.certificate, message.key);
      case 'requestMetrics':
        return void this.#sendMetrics(message.id);
      case 'metrics':
        return this.#allMetrics.settle(message.id, [message.text]);
      case 'estimates':
        return this.#estimates.settle(message.id, estimateTableOf(message.answer));
    }
  }

  /** Serves until the parent sends `stop`. */
  async serve(): Promise<void> {
    const config = this.#config;
    // An etcd is opened by each worker; a folder can be open in one process only.
    const storage: ServerConfig['storage'] =
      config.storage.type === 'embedded' ? { type: 'opened', backend: storeOfParent(config) } : config.storage;
    const allMetrics = (): Promise<readonly string[]> => this.#requestAllMetrics();
    const server = await Promise.race([
      startServer({ ...config, storage, populated: this.#populated, allMetrics, sharesPort: true }),
      this.#stopping,
    ]);
    if (!server) process.exit(0);
    this.#server = server;
    await this.#stopping;
    await server.stop();
  }

  /** Sends the metrics of this process to the parent: none before it serves, or if they cannot be read. */
  async #sendMetrics(id: number): Promise<void> {
    let metrics: ProcessMetrics = [];
    try {
      metrics = (await this.#server?.metrics.getMetricsAsJSON()) ?? [];
    } catch (error) {
      this.#config.log.error({ err: error }, 'the metrics of this process cannot be read');
    }
    await send({ type: 'workerMetrics', id, metrics });
  }

  /** Requests the metrics of all processes from the parent. */
  #requestAllMetrics(): Promise<readonly string[]> {
    const { id, answer } = this.#allMetrics.begin();
    void send({ type: 'requestAllMetrics', id });
    return answer;
  }

  /** Lets the parent ask members for estimates, since it has connections to them. Resolves without estimates when the signal aborts. */
  async #askMembers(...[query, signal]: Parameters<AnswerEstimates>): Promise<EstimateTable> {
    if (signal.aborted) return new Map();
    const { id, answer } = this.#estimates.begin();
    const giveUp = (): void => this.#estimates.settle(id, new Map());
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      void send({ type: 'requestEstimates', id, question: memberQuestionOf(query) });
      return await answer;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}

/** Serves until the parent sends `stop`. Signals are handled by the parent, and the worker ends with it. */
export async function runWorker(configure: ConfigureWorker): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(1));
  const worker = new WorkerProcess(configure);
  process.on('message', (message: ToWorker) => worker.receive(message));
  try {
    await worker.serve();
    process.exit(0);
  } catch (error) {
    await send(failureOf(error));
    process.exit(1);
  }
}
