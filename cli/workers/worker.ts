/** A process that serves HTTP from the store of another one (`--workers`). */
import net from 'node:net';
import process from 'node:process';
import type { ServerConfig } from '../../server/config.js';
import { startServer } from '../../server/start-server.js';
import type { Backend } from '../../storage/interface.js';
import { sharedRevisionReader } from '../../storage/shared/shared-revision.js';
import { memberQuestionOf, estimateTableOf } from '../../scheduler/estimators/member-question.js';
import type { AnswerEstimates, EstimateTable } from '../../scheduler/interface.js';
import { openShared } from '../../storage/shared/open-shared.js';
import { sharedRevisionDescriptor, type FromWorker, storeDescriptor, type ToWorker } from './messages.js';
import { PendingAnswers } from './pending-answers.js';

type Messages = { [Message in ToWorker as Message['type']]: Message };
type Handlers = { [Type in keyof Messages]?: (message: Messages[Type]) => void };

function handle<Type extends keyof Messages>(handlers: Handlers, type: Type, message: Messages[Type]): void {
  handlers[type]?.(message);
}

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

/** Returns a function that requests the metrics of all processes from the parent. */
function metricsOfAll(handlers: Handlers): () => Promise<readonly string[]> {
  const pending = new PendingAnswers<readonly string[]>();
  handlers.metrics = ({ id, text }) => pending.settle(id, [text]);
  return () => {
    const { id, answer } = pending.begin();
    void send({ type: 'requestAllMetrics', id });
    return answer;
  };
}

/** Returns a function that lets the parent ask members for estimates: it has connections to them. */
function estimatesOfParent(handlers: Handlers): AnswerEstimates {
  const pending = new PendingAnswers<EstimateTable>();
  handlers.estimates = ({ id, answer }) => pending.settle(id, estimateTableOf(answer));
  return async (query, signal) => {
    if (signal.aborted) return new Map();
    const { id, answer } = pending.begin();
    const giveUp = (): void => pending.settle(id, new Map());
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      void send({ type: 'requestEstimates', id, question: memberQuestionOf(query) });
      return await answer;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  };
}

/** Returns the configuration of a worker, whose parts may ask members through the parent. */
type ConfigureWorker = (answer: AnswerEstimates) => ServerConfig;

/** Serves until the parent sends `stop`. Signals are handled by the parent, and the worker ends with it. */
export async function runWorker(configure: ConfigureWorker): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(1));
  const handlers: Handlers = {};
  const config = configure(estimatesOfParent(handlers));
  process.on('message', (message: ToWorker) => handle(handlers, message.type, message));
  const stopping = new Promise<void>(resolve => (handlers.stop = () => resolve()));
  const populated = new Promise<void>(resolve => (handlers.populated = () => resolve()));
  handlers.requestMetrics = ({ id }) => void send({ type: 'workerMetrics', id, metrics: [] }); // none yet

  // An etcd is opened by each worker; a folder can be open in one process only.
  const storage: ServerConfig['storage'] =
    config.storage.type === 'embedded' ? { type: 'opened', backend: storeOfParent(config) } : config.storage;
  try {
    const allMetrics = metricsOfAll(handlers);
    const server = await Promise.race([
      startServer({ ...config, storage, populated, allMetrics, sharesPort: true }),
      stopping,
    ]);
    if (!server) process.exit(0);
    handlers.renew = ({ certificate, key }) => server.renew(certificate, key);
    handlers.requestMetrics = ({ id }) =>
      void server.metrics
        .getMetricsAsJSON()
        .catch((error: unknown) => {
          config.log.error({ err: error }, 'the metrics of this process cannot be read');
          return [];
        })
        .then(metrics => send({ type: 'workerMetrics', id, metrics }));
    await stopping;
    await server.stop();
    process.exit(0);
  } catch (error) {
    await send(failureOf(error));
    process.exit(1);
  }
}
