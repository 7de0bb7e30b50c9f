/** Runs an etcd with one member on loopback in a temporary folder, for benchmarks and comparisons. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { existsSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** Path of the etcd program; undefined if it is not on the PATH. */
export const etcdProgram: string | undefined = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map(folder => path.join(folder, 'etcd'))
  .find(file => existsSync(file));

/** Returns free ports of loopback. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => net.createServer().listen(0, '127.0.0.1'));
  const ports = [];
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening');
    ports.push((server.address() as net.AddressInfo).port);
  }
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}

/** Resolves when the endpoint accepts connections, or the process has ended. */
export async function listening(endpoint: string, child: ChildProcess): Promise<void> {
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

/** Resolves when the cluster has a leader, or the process has ended. */
async function elected(endpoint: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`${endpoint}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

export interface EtcdProcess {
  readonly pid: number;
  readonly endpoint: string;
  /** Stops the process and removes its folder. */
  stop(): Promise<void>;
}

/** Starts etcd with default settings (durable writes), as its installers do. Rejects if it is not on the PATH. */
export async function startEtcdProcess(): Promise<EtcdProcess> {
  if (etcdProgram === undefined) throw new Error('there is no etcd on the PATH');
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'etcd-'));
  const [client, peer] = (await freePorts(2)).map(port => `http://127.0.0.1:${port}`) as [string, string];
  const flags = [
    '--name=etcd',
    `--data-dir=${directory}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=etcd=${peer}`,
    '--log-level=error',
  ];
  const child = spawn(etcdProgram, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-4000)));
  const exited = once(child, 'exit');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    kill();
    if (child.exitCode === null && child.signalCode === null) await exited;
    process.off('exit', kill);
    await fs.rm(directory, { recursive: true, force: true });
  };
  await listening(client, child);
  await elected(client, child);
  if (child.exitCode !== null) {
    await stop();
    throw new Error(`etcd ended with ${child.exitCode}: ${output}`);
  }
  return { pid: child.pid ?? 0, endpoint: client, stop };
}
