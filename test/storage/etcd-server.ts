import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import type { Test } from 'tap';
import { openEtcd } from '../../storage/etcd/open-etcd.js';
import { temporaryFolder } from './folder.js';

export interface EtcdServer {
  readonly endpoint: string;
  /** kill -9; the data stays. */
  kill(): Promise<void>;
  /** Starts it again, at the same address with the same data. */
  start(): Promise<void>;
}

export interface EtcdServerOptions {
  readonly directory?: string;
  /** Further flags; `--cert-file` and its like make the endpoint https. */
  readonly flags?: readonly string[];
}

const binary = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map(folder => path.join(folder, 'etcd'))
  .find(file => fs.existsSync(file));

/** Why a test cannot run here: tap's `skip`. Under CI it has to run. */
export const withoutEtcd: string | false =
  binary === undefined && process.env['CI'] === undefined ? 'there is no etcd on this machine' : false;

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** A real etcd of one member on loopback, for as long as the test runs. */
export async function startEtcd(t: Test, options: EtcdServerOptions = {}): Promise<EtcdServer> {
  if (binary === undefined) throw new Error('there is no etcd binary on the PATH');
  const directory = options.directory ?? (await temporaryFolder(t));
  const flags = options.flags ?? [];
  const scheme = flags.some(flag => flag.startsWith('--cert-file')) ? 'https' : 'http';
  const endpoint = `${scheme}://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const started = spawn(
      binary ?? '',
      [
        '--name=test',
        `--data-dir=${path.join(directory, 'etcd')}`,
        `--listen-client-urls=${endpoint}`,
        `--advertise-client-urls=${endpoint}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=test=${peer}`,
        // Fast elections: the shortest lease lives one and a half of them.
        '--heartbeat-interval=20',
        '--election-timeout=200',
        '--log-level=error',
        ...flags,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    child = started;
    let said = '';
    started.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
    const failed = once(started, 'exit').then(([code]) => {
      throw new Error(`etcd ended with ${code}: ${said}`);
    });
    await Promise.race([listening(endpoint, started), failed]);
    failed.catch(() => undefined);
  }

  t.teardown(() => stop(child));
  await start();
  return { endpoint, kill: () => stop(child), start };
}

/** Resolves when something accepts connections there. */
async function listening(endpoint: string, child: ChildProcess): Promise<void> {
  const { hostname, port } = new URL(endpoint);
  while (child.exitCode === null) {
    const socket = net.connect(Number(port), hostname);
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await new Promise(resolve => setTimeout(resolve, 20));
    } finally {
      socket.destroy();
    }
  }
}

/** Options of `openEtcd` for the server; it answers as soon as it has elected itself. */
export async function openTestEtcd(server: EtcdServer): ReturnType<typeof openEtcd> {
  return openEtcd({ endpoints: [server.endpoint], compactionIntervalMs: 0 });
}
