import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { StorageError } from '../error.js';
import { type Log, silentLog } from '../log.js';

interface PathLock {
  release(): Promise<void>;
}

/** A holder that is not found may have ended meanwhile. */
const tries = 3;

/**
 * Locks the path of a data directory for this process, whether or not the directory exists. The lock in the directory itself (`lock.ts`) is lost with
 * the directory: after its removal another process could start with a new one of the same name, beside the process that still serves the old one.
 *
 * The lock is an abstract Unix socket, so there is no file that could become stale: the kernel removes it with the process, however that ends. Any
 * user can take such a name, so a holder only counts if it is a process of the same user; a name that another user holds protects nothing, and
 * prevents nothing. Only Linux has abstract sockets; elsewhere the path is not locked. Throws 'locked', which names the process.
 */
export async function lockPath(directory: string, log: Log): Promise<PathLock> {
  const name = process.platform === 'linux' ? await socketName(directory).catch(ignoreMissing) : undefined;
  if (name === undefined) return unlocked;
  let cause = 'another user has taken its name';
  for (let i = 0; i < tries; i++) {
    const listening = await listen(name);
    if (listening instanceof net.Server) return { release: () => closed(listening) };
    if (listening.code !== 'EADDRINUSE') {
      cause = listening.message; // a sandbox may have no such sockets
      break;
    }
    const holder = await holderOf(name);
    if (holder !== undefined) throw inUseBy(holder, directory);
  }
  log.warn({ directory, cause }, 'the path of the data directory is not locked; the directory itself is');
  return unlocked;
}

/** Throws 'locked' while another process has the path. For a start that must leave no files behind when it fails. */
export async function pathMustBeFree(directory: string): Promise<void> {
  const lock = await lockPath(directory, silentLog);
  await lock.release();
}

const unlocked: PathLock = { release: () => Promise.resolve() };

const inUseBy = (holder: number, directory: string): StorageError =>
  new StorageError('locked', `the data directory ${directory} is in use by process ${holder}`, { holder });

/** Returns undefined when a file of /proc does not exist, or may not be read. Rethrows other errors. */
function ignoreMissing(error: unknown): undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!['ENOENT', 'EACCES', 'EPERM', 'ESRCH'].includes(code)) throw error;
  return undefined;
}

/**
 * Returns the name of the socket for a path. It contains what the meaning of a path depends on: containers may share the network, and with it the
 * names of sockets, while each has its own files.
 */
async function socketName(directory: string): Promise<string> {
  const root = await fs.stat('/');
  const parts = [
    await fs.readlink('/proc/self/ns/mnt'),
    ...[root.dev, root.ino, process.geteuid?.() ?? 0],
    await withoutLinks(path.resolve(directory)),
  ];
  return `flagship-${createHash('sha256').update(parts.join('\n')).digest('hex')}`;
}

/** Returns a path without symbolic links in the directories that lead to its last name, and exist. */
async function withoutLinks(file: string): Promise<string> {
  const parent = path.dirname(file);
  if (parent === file) return file;
  const real = await fs.realpath(parent).catch(ignoreMissing);
  return path.join(real ?? (await withoutLinks(parent)), path.basename(file));
}

/** Returns the server, or the error: EADDRINUSE when the name is taken. */
function listen(name: string): Promise<net.Server | NodeJS.ErrnoException> {
  return new Promise(resolve => {
    const server = net.createServer(socket => socket.destroy());
    server.once('error', resolve);
    server.listen({ path: `\0${name}` }, () => {
      server.unref();
      resolve(server);
    });
  });
}

function closed(server: net.Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}

/** Returns the number of the process of this user that has a socket of this name; undefined when there is none. */
async function holderOf(name: string): Promise<number | undefined> {
  const sockets = await fs.readFile('/proc/self/net/unix', 'latin1');
  const links = new Set<string>();
  for (const line of sockets.split('\n')) {
    // Num RefCount Protocol Flags Type St Inode Path; `@` stands for each zero byte, of which there may be some behind the name, too.
    const [, , , , , , inode, file = ''] = line.trim().split(/\s+/);
    if (file.replace(/@+$/, '') === `@${name}`) links.add(`socket:[${inode}]`);
  }
  for (const entry of await fs.readdir('/proc'))
    if (/^\d+$/.test(entry) && (await hasOpen(entry, links))) return Number(entry);
  return undefined;
}

/** Reports whether a process of this user has one of these files open. */
async function hasOpen(pid: string, links: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const owner = await fs.stat(`/proc/${pid}`).catch(ignoreMissing);
  if (owner?.uid !== process.geteuid?.()) return false;
  for (const fd of (await fs.readdir(folder).catch(ignoreMissing)) ?? []) {
    const link = await fs.readlink(path.join(folder, fd)).catch(ignoreMissing);
    if (link !== undefined && links.has(link)) return true;
  }
  return false;
}
