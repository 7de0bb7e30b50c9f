import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Test } from 'tap';
import { openEtcd } from '../../storage/etcd/open-etcd.js';
import { etcdProgram, freePorts, listening } from '../../tools/etcd.js';
import { temporaryFolder } from './folder.js';

export interface EtcdServer {
  readonly endpoint: string;
  /** Kills it with SIGKILL; the data stays. */
  kill(): Promise<void>;
  /** Stops it with SIGSTOP: it keeps its connections, and does not answer until `resume`. */
  pause(): void;
  resume(): void;
  /** Starts it again with the same address and data. */
  start(): Promise<void>;
}

interface EtcdServerOptions {
  /** Further flags; with `--cert-file` the endpoint is https. */
  readonly flags?: readonly string[];
}

/** Reason to skip a test without etcd, for tap's `skip`; false in CI, where it must run. */
export const withoutEtcd: string | false =
  etcdProgram === undefined && process.env['CI'] === undefined ? 'there is no etcd on this machine' : false;

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function member(t: Test, endpoint: string, flags: readonly string[]): EtcdServer {
  let child: ChildProcess | undefined;
  t.teardown(() => stop(child));
  return {
    endpoint,
    kill: () => stop(child),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async start() {
      const started = spawn(etcdProgram ?? '', [...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
      child = started;
      let said = '';
      started.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
      const failed = once(started, 'exit').then(([code]) => {
        throw new Error(`etcd ended with ${code}: ${said}`);
      });
      await Promise.race([listening(endpoint, started), failed]);
      failed.catch(() => undefined);
    },
  };
}

/** Starts a cluster of real etcds on loopback for the duration of the test. */
export async function startEtcdCluster(t: Test, size: number, options: EtcdServerOptions = {}): Promise<EtcdServer[]> {
  if (etcdProgram === undefined) throw new Error('there is no etcd binary on the PATH');
  const directory = await temporaryFolder(t);
  const { flags = [] } = options;
  const scheme = flags.some(flag => flag.startsWith('--cert-file')) ? 'https' : 'http';
  const ports = await freePorts(2 * size);
  const peers = ports.slice(size).map(port => `http://127.0.0.1:${port}`);
  const members = ports.slice(0, size).map((port, i) => {
    const endpoint = `${scheme}://127.0.0.1:${port}`;
    return member(t, endpoint, [
      `--name=m${i}`,
      `--data-dir=${path.join(directory, `m${i}`)}`,
      `--listen-client-urls=${endpoint}`,
      `--advertise-client-urls=${endpoint}`,
      `--listen-peer-urls=${peers[i]}`,
      `--initial-advertise-peer-urls=${peers[i]}`,
      `--initial-cluster=${peers.map((peer, j) => `m${j}=${peer}`).join(',')}`,
      // Short election timeouts; the minimal lease is one and a half of them.
      ...(size === 1 ? ['--heartbeat-interval=20', '--election-timeout=200'] : []),
      '--log-level=error',
      ...flags,
    ]);
  });
  await Promise.all(members.map(one => one.start()));
  return members;
}

export async function startEtcd(t: Test, options: EtcdServerOptions = {}): Promise<EtcdServer> {
  const [server] = await startEtcdCluster(t, 1, options);
  if (server === undefined) throw new Error('a cluster of one has one member');
  return server;
}

/** Opens the store of the server, which answers once it has elected itself. Automatic compaction is off. */
export async function openTestEtcd(server: { readonly endpoint: string }): ReturnType<typeof openEtcd> {
  return openEtcd({ endpoints: [server.endpoint], compactionIntervalMs: 0 });
}
