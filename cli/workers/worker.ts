/** One of the processes that serve HTTP from the store of another (`--workers`). */
import net from 'node:net';
import process from 'node:process';
import type { ServerConfig } from '../../apiserver/main/config.js';
import { startServer } from '../../apiserver/main/start-server.js';
import { openShared } from '../../storage/shared/open-shared.js';
import { type FromWorker, storeDescriptor, type ToWorker } from './messages.js';

function failureOf(error: unknown): FromWorker {
  const { name, message, code } = error as NodeJS.ErrnoException;
  return { type: 'failed', name, message, code };
}

const send = (message: FromWorker): Promise<void> =>
  new Promise(resolve => process.send?.(message, undefined, undefined, () => resolve()));

/** Serves until it is told to stop; signals are for the process that started it, without which it ends at once. */
export async function runWorker(config: ServerConfig): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(1));
  const heard = new Map<ToWorker['type'], (message: ToWorker) => void>();
  process.on('message', (message: ToWorker) => heard.get(message.type)?.(message));
  const stopping = new Promise<void>(resolve => heard.set('stop', () => resolve()));
  const populated = new Promise<void>(resolve => heard.set('populated', () => resolve()));

  // Who has an etcd asks it; a folder is open in one process only.
  const storage: ServerConfig['storage'] =
    config.storage.type === 'embedded'
      ? { type: 'opened', backend: openShared(new net.Socket({ fd: storeDescriptor })) }
      : config.storage;
  try {
    const server = await Promise.race([startServer({ ...config, storage, populated }), stopping]);
    if (!server) process.exit(0);
    heard.set('renew', message => message.type === 'renew' && server.renew(message.certificate, message.key));
    await stopping;
    await server.stop();
    process.exit(0);
  } catch (error) {
    await send(failureOf(error));
    process.exit(1);
  }
}
