/** Runs Flagship as processes that can be killed, paused and disconnected, and restarted on the same data. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { Endpoint } from '../../../aggregation/interface.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { listening } from '../../cli/process.js';
import { plainNode } from '../../../tools/plain-node.js';
import { temporaryFolder } from '../../storage/folder.js';
import { type Proxy, startProxy } from '../../storage/proxy.js';

export interface Flagship {
  /** The endpoint of the server behind the proxy. */
  readonly endpoint: Endpoint;
  readonly proxy: Proxy;
  /** Kills the process with SIGKILL and starts one with the same data and port; resolves when it is ready. */
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
  slowDisk(slow: boolean): void;
}

const program = fileURLToPath(new URL('../../../cli/flagship.js', import.meta.url));
const preload = new URL('./slow-disk.js', import.meta.url).href;

export async function startServer(t: Test, flags: readonly string[]): Promise<Flagship> {
  const folder = await temporaryFolder(t);
  const directory = path.join(folder, 'data');
  const mark = path.join(folder, 'slow');
  let child: ChildProcess | undefined;
  let port = 0;

  async function start(): Promise<void> {
    const [command, ...node] = plainNode;
    const args = ['up', '--data-dir', directory, '--bind', `127.0.0.1:${port}`, '--controllers=-*', ...flags];
    const started = spawn(command, [...node, '--import', preload, program, ...args], {
      env: { ...process.env, FLAGSHIP_SLOW_DISK: mark },
    });
    child = started;
    port = Number(/:(\d+) /.exec(await listening(started))?.[1]);
    started.stdout.resume();
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  t.teardown(kill);
  await start();
  const direct = kubeconfigEndpoint(path.join(directory, 'kubeconfig'));
  const proxy = await startProxy(t, direct.server);
  return {
    endpoint: { ...direct, server: proxy.endpoint.replace('http:', 'https:') },
    proxy,
    async restart() {
      await kill();
      await start();
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    slowDisk: slow => (slow ? fs.writeFileSync(mark, '') : fs.rmSync(mark, { force: true })),
  };
}
