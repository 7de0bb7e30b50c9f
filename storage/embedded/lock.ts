import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { StorageError } from '../error.js';

export interface Lock {
  /** A path of the folder that holds for this process whatever becomes of the folder's name. */
  readonly folder: string;
  /** Throws 'locked' when another process has taken the folder meanwhile, 'unwritable' when its name leads elsewhere or its files are gone. */
  verify(): Promise<void>;
  release(): Promise<void>;
}

type Holder = 'alive' | 'dead' | 'none';

/**
 * A folder belongs to the process that listens on the socket `lock` in it. The kernel closes the socket when the process ends, however
 * it ends, and its number may be given to another process without harm; and unlike a process number, a socket file is the same
 * from every container that has the folder mounted.
 */
export async function lockFolder(directory: string): Promise<Lock> {
  const folder = await fs.open(directory, 'r');
  // A socket's path has room for about 100 characters only; the folder's may be longer.
  const near = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : directory;
  const lock = path.join(near, 'lock');
  const own = path.join(near, `lock.${randomBytes(6).toString('hex')}`);
  let server: net.Server | undefined;
  try {
    server = await listen(own);
    await fs.chmod(own, 0o600);
    const { ino } = await fs.stat(own);
    await take(directory, own, lock);
    await fs.rm(own, { force: true });
    await removeDead(near);
    const held = server;
    const standing = (): Promise<Stats | undefined> => unless('ENOENT', fs.stat(lock));
    return {
      folder: near,
      async verify() {
        await mustLeadTo(directory, folder);
        const found = await standing();
        if (found === undefined) throw new StorageError('unwritable', 'files of the data directory were removed');
        if (found.ino !== ino) throw locked(directory);
      },
      async release() {
        if ((await standing())?.ino === ino) await fs.rm(lock, { force: true });
        await closed(held);
        await folder.close();
      },
    };
  } catch (error) {
    if (server !== undefined) await closed(server);
    await fs.rm(own, { force: true });
    await folder.close();
    throw error;
  }
}

/** A file system that was taken away says ESTALE. */
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
  // Each round ends with the lock taken, somebody alive found, or one dead lock removed.
  for (let round = 0; round < 100; round++) {
    try {
      await fs.link(own, lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if ((await holder(lock)) === 'alive') throw locked(directory);
    // Another process may have replaced the dead lock since it was looked at: look again at what was moved away.
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

/** Undefined when another process was there before: it made, or took away, what stands there. */
async function unless<T>(code: string, done: Promise<T>): Promise<T | undefined> {
  try {
    return await done;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}

/** What processes left that died while they took the lock. */
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
      // ENOTSOCK: something else stands there; it can hold no lock.
      else if (error.code === 'ECONNREFUSED' || error.code === 'ENOTSOCK') resolve('dead');
      // EAGAIN: it listens, and its queue is full. ECONNRESET: it listened a moment ago; nothing is taken from whom that may have been.
      else if (error.code === 'EAGAIN' || error.code === 'ECONNRESET') resolve('alive');
      else reject(error);
    });
  });
}
