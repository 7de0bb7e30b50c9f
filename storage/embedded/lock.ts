import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { StorageError } from '../error.js';

export interface Lock {
  /** A path to the folder that stays valid whatever happens to the folder's name. */
  readonly folder: string;
  /** Throws 'locked' when another process has taken the folder, 'unwritable' when its name leads to another folder or its files are gone. */
  verify(): Promise<void>;
  release(): Promise<void>;
}

type Holder = 'alive' | 'dead' | 'none';

/**
 * Locks the folder for this process, which listens on the socket `lock` in it. The kernel closes the socket when the process ends, however it
 * ends. Unlike a process number, a socket is not reused by another process, and is the same in every container that mounts the folder. Throws
 * 'locked'.
 */
export async function lockFolder(directory: string): Promise<Lock> {
  const folder = await fs.open(directory, 'r');
  // The path of a socket is limited to about 100 characters; the folder's may be longer.
  const near = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : directory;
  const lock = path.join(near, 'lock');
  const draft = path.join(near, `lock.${randomBytes(6).toString('hex')}`);
  let server: net.Server | undefined;
  try {
    server = await listen(draft);
    await fs.chmod(draft, 0o600);
    const { ino } = await fs.stat(draft);
    await take(directory, draft, lock);
    await fs.rm(draft, { force: true });
    await removeDead(near);
    const socketServer = server;
    const current = (): Promise<Stats | undefined> => unless('ENOENT', fs.stat(lock));
    return {
      folder: near,
      async verify() {
        await mustLeadTo(directory, folder);
        const found = await current();
        if (found === undefined) throw new StorageError('unwritable', 'files of the data directory were removed');
        if (found.ino !== ino) throw locked(directory);
      },
      async release() {
        if ((await current())?.ino === ino) await fs.rm(lock, { force: true });
        await closed(socketServer);
        await folder.close();
      },
    };
  } catch (error) {
    if (server !== undefined) await closed(server);
    await fs.rm(draft, { force: true });
    await folder.close();
    throw error;
  }
}

/** ESTALE: the file system was unmounted. */
const isGone = ({ code = '' }: NodeJS.ErrnoException): boolean => ['ENOENT', 'ENOTDIR', 'ESTALE'].includes(code);

async function mustLeadTo(directory: string, folder: fs.FileHandle): Promise<void> {
  const own = await folder.stat();
  const named = await fs.stat(directory).catch((error: NodeJS.ErrnoException) => {
    if (isGone(error)) return undefined;
    throw error;
  });
  if (named?.ino === own.ino && named.dev === own.dev) return;
  const what = named === undefined ? 'removed or moved away' : 'replaced by another one';
  throw new StorageError('unwritable', `the data directory was ${what} while it is in use`);
}

const locked = (directory: string): StorageError =>
  new StorageError('locked', `the data directory ${directory} is in use by another process`);

async function take(directory: string, own: string, lock: string): Promise<void> {
  // Each round takes the lock, finds a live holder, or removes one dead lock.
  for (let round = 0; round < 100; round++) {
    try {
      await fs.link(own, lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if ((await holder(lock)) === 'alive') throw locked(directory);
    // Another process may have replaced the dead lock since: check again what was moved away.
    const moved = `${own}.old`;
    await unless('ENOENT', fs.rename(lock, moved));
    if ((await holder(moved)) === 'alive') {
      await unless('EEXIST', fs.link(moved, lock));
      await fs.rm(moved, { force: true });
      throw locked(directory);
    }
    await fs.rm(moved, { force: true });
  }
  throw locked(directory);
}

/** Returns undefined when the work failed with this code: another process was faster. */
async function unless<T>(code: string, done: Promise<T>): Promise<T | undefined> {
  try {
    return await done;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}

/** Removes the sockets of processes that died while they took the lock. */
async function removeDead(folder: string): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    const file = path.join(folder, name);
    if (name.startsWith('lock.') && (await holder(file)) === 'dead') await fs.rm(file, { force: true });
  }
}

function listen(file: string): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer(socket => socket.destroy());
    server.once('error', reject);
    server.listen({ path: file }, () => {
      server.unref();
      resolve(server);
    });
  });
}

function closed(server: net.Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}

function holder(file: string): Promise<Holder> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ path: file });
    socket.once('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve('none');
      // ENOTSOCK: it is another kind of file and can hold no lock.
      else if (error.code === 'ECONNREFUSED' || error.code === 'ENOTSOCK') resolve('dead');
      // EAGAIN: it listens, and its queue is full. ECONNRESET: it listened a moment ago, and may still be alive.
      else if (error.code === 'EAGAIN' || error.code === 'ECONNRESET') resolve('alive');
      else reject(error);
    });
  });
}
