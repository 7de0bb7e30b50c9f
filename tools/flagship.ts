/** Runs `flagship up` as a separate process in a temporary folder, for benchmarks and comparisons. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { plainNode } from './plain-node.js';

export interface FlagshipProcess {
  readonly pid: number;
  /** Path of the kubeconfig that it has written. */
  readonly kubeconfig: string;
  /** Milliseconds from the start of the process until it reports that it is ready. */
  readonly readyMs: number;
  /** Stops the process, and removes its folder unless it is kept. */
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../cli/flagship.js', import.meta.url));
const timeoutMs = 60_000;

/** Exits with exit handlers, which also stop the child process. */
const exit = (): void => process.exit(130);

/** A server in a process of its own, from its start to its stop. */
class ServerProcess {
  readonly #directory: string;
  readonly #isKept: boolean;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #exited: Promise<unknown[]>;
  readonly #kill = (): void => void this.#child.kill('SIGKILL');
  /** The end of what it has written, for errors. */
  #output = '';

  constructor(directory: string, isKept: boolean, [command, ...args]: readonly [string, ...string[]]) {
    this.#directory = directory;
    this.#isKept = isKept;
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = once(this.#child, 'exit');
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output = (this.#output + chunk.toString('utf8')).slice(-20_000)));
    process.once('exit', this.#kill);
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      if (!process.listeners(signal).includes(exit)) process.on(signal, exit);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when it reports that it is ready; rejects with its output if it ends before, or takes too long. */
  ready(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`not ready within ${timeoutMs / 1000} s: ${this.#output}`));
      }, timeoutMs);
      this.#child.stdout.on('data', () => {
        if (!/\bready after\b/.test(this.#output)) return;
        clearTimeout(timer);
        resolve();
      });
      this.#exited.then(
        ([code]) => {
          clearTimeout(timer);
          reject(new Error(`flagship ended with ${String(code)}: ${this.#output}`));
        },
        (error: unknown) => reject(error as Error),
      );
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM');
      const timer = setTimeout(this.#kill, 20_000);
      await this.#exited;
      clearTimeout(timer);
    }
    process.off('exit', this.#kill);
    if (!this.#isKept) await fs.rm(this.#directory, { recursive: true, force: true });
  }
}

/**
 * Starts it with further flags. Resolves when it is ready; rejects with its output if it ends before. The second argument runs Node.js. With
 * `keptDirectory`, it uses that folder, which stays after the stop, so that it can be started again with the same data.
 */
export async function startFlagship(
  flags: readonly string[] = [],
  node: readonly [string, ...string[]] = plainNode,
  keptDirectory?: string,
): Promise<FlagshipProcess> {
  const directory = keptDirectory ?? (await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-')));
  const data = path.join(directory, 'data');
  const began = performance.now();
  const up = [program, 'up', '--data-dir', data, '--bind', '127.0.0.1:0', ...flags];
  const server = new ServerProcess(directory, keptDirectory !== undefined, [...node, ...up]);
  try {
    await server.ready();
  } catch (error) {
    await server.stop();
    throw error;
  }
  const readyMs = performance.now() - began;
  return { pid: server.pid, kubeconfig: path.join(data, 'kubeconfig'), readyMs, stop: () => server.stop() };
}
