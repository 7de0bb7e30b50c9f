/** One of the processes that serve HTTP from the store of another (`--workers`). */
import net from 'node:net';
import process from 'node:process';
import type { ServerConfig } from '../../server/config.js';
import { startServer } from '../../server/start-server.js';
import type { Backend } from '../../storage/interface.js';
import { sharedRevisionReader } from '../../storage/shared/shared-revision.js';
import { openShared } from '../../storage/shared/open-shared.js';
import { sharedRevisionDescriptor, type FromWorker, storeDescriptor, type ToWorker } from './messages.js';

type Heard = { [Type in ToWorker['type']]?: (message: Extract<ToWorker, { type: Type }>) => void };

function failureOf(error: unknown): FromWorker {
  const { name, message, code } = error as NodeJS.ErrnoException;
  return { type: 'failed', name, message, code };
}

const send = (message: FromWorker): Promise<void> =>
  new Promise(resolve => process.send?.(message, undefined, undefined, () => resolve()));

/** To the process that has the store. Whoever has lost it can serve nothing: another worker takes its place. */
function storeStream({ log }: ServerConfig): net.Socket {
  const stream = new net.Socket({ fd: storeDescriptor });
  stream.once('close', () => {
    log.error({}, 'the store is out of reach');
    process.exit(1);
  });
  return stream;
}

/** A process that ends leaves its children to another at once, and they hear of it later. */
const isParent = (pid: number): boolean => process.ppid === pid;

const storeOfParent = (config: ServerConfig): Backend =>
  openShared(storeStream(config), sharedRevisionReader(sharedRevisionDescriptor, isParent));

/** Asks the process that started this one. */
function metricsOfAll(heard: Heard): () => Promise<string> {
  const waiting = new Map<number, (text: string) => void>();
  let last = 0;
  heard.metrics = ({ id, text }) => {
    waiting.get(id)?.(text);
    waiting.delete(id);
  };
  return () =>
    new Promise(resolve => {
      const id = ++last;
      waiting.set(id, resolve);
      void send({ type: 'wantMetrics', id });
    });
}

/** Serves until it is told to stop; signals are for the process that started it, without which it ends at once. */
export async function runWorker(config: ServerConfig): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(1));
  const heard: Heard = {};
  process.on('message', (message: ToWorker) => heard[message.type]?.(message as never));
  const stopping = new Promise<void>(resolve => (heard.stop = () => resolve()));
  const populated = new Promise<void>(resolve => (heard.populated = () => resolve()));
  heard.tellMetrics = ({ id }) => void send({ type: 'counted', id, counted: [] }); // none yet

  // Who has an etcd asks it; a folder is open in one process only.
  const storage: ServerConfig['storage'] =
    config.storage.type === 'embedded' ? { type: 'opened', backend: storeOfParent(config) } : config.storage;
  try {
    const allMetrics = metricsOfAll(heard);
    const server = await Promise.race([startServer({ ...config, storage, populated, allMetrics }), stopping]);
    if (!server) process.exit(0);
    heard.renew = ({ certificate, key }) => server.renew(certificate, key);
    heard.tellMetrics = ({ id }) =>
      void server.metrics
        .getMetricsAsJSON()
        .catch((error: unknown) => {
          config.log.error({ err: error }, 'what this process has counted cannot be told');
          return [];
        })
        .then(counted => send({ type: 'counted', id, counted }));
    await stopping;
    await server.stop();
    process.exit(0);
  } catch (error) {
    await send(failureOf(error));
    process.exit(1);
  }
}
