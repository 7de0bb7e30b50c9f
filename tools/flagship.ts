/** Runs `flagship up` as a separate process in a temporary folder, for benchmarks and comparisons. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
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

/**
 * Starts it with further flags. Resolves when it is ready; rejects with its output if it ends before. The second argument runs Node.js. With
 * `keptDirectory`, it uses that folder, which stays after the stop, so that it can be started again with the same data.
 */
export async function startFlagship(
  flags: readonly string[] = [],
  [command, ...args]: readonly [string, ...string[]] = plainNode,
  keptDirectory?: string,
): Promise<FlagshipProcess> {
  const directory = keptDirectory ?? (await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-')));
  const began = performance.now();
  const child = spawn(
    command,
    [...args, program, 'up', '--data-dir', path.join(directory, 'data'), '--bind', '127.0.0.1:0', ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const exited = once(child, 'exit');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    if (!process.listeners(signal).includes(exit)) process.on(signal, exit);
  let output = '';
  const collect = (chunk: Buffer): void => void (output = (output + chunk.toString('utf8')).slice(-20_000));
  child.stderr.on('data', collect);
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready within ${timeoutMs / 1000} s: ${output}`)), timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      collect(chunk);
      if (!/\bready after\b/.test(output)) return;
      clearTimeout(timer);
      resolve();
    });
    exited.then(
      ([code]) => {
        clearTimeout(timer);
        reject(new Error(`flagship ended with ${code}: ${output}`));
      },
      (error: unknown) => reject(error as Error),
    );
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await exited;
      clearTimeout(timer);
    }
    process.off('exit', kill);
    if (keptDirectory === undefined) await fs.rm(directory, { recursive: true, force: true });
  };
  try {
    await ready;
  } catch (error) {
    await stop();
    throw error;
  }
  const readyMs = performance.now() - began;
  return { pid: child.pid ?? 0, kubeconfig: path.join(directory, 'data', 'kubeconfig'), readyMs, stop };
}
