/** Runs `flagship` as its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { plainNode } from '../../tools/plain-node.js';
import { apiClient, type ApiClient } from '../conformance/call.js';

const entry = fileURLToPath(new URL('../../cli/flagship.js', import.meta.url));

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `through` is a command that runs the one after it. */
export function start(t: Test, args: readonly string[], cwd?: string, through: readonly string[] = []): ChildProcess {
  const [command = '', ...rest] = [...through, ...plainNode, entry, ...args];
  const child = spawn(command, rest, { ...(cwd !== undefined && { cwd }) });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** Returns standard error without log lines of level info. */
export const withoutInfo = (text: string): string => text.replaceAll(/^\{"level":"info",[^\n]*\n/gm, '');

/** Runs a command and waits for its end. */
export async function run(t: Test, ...args: readonly string[]): Promise<Run> {
  const child = start(t, args);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err: withoutInfo(err) };
}

/** Waits until the server listens, and returns what it printed. Throws when it ends before. */
export async function listening(child: ChildProcess): Promise<string> {
  let out = '';
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => (err = (err + chunk.toString()).slice(-5000)));
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    out += chunk.toString();
    if (out.includes('kubectl get')) return out;
  }
  throw new Error(`it ended: ${out} ${err}`);
}

export interface Up {
  readonly child: ChildProcess;
  readonly server: ApiClient;
  readonly port: number;
  /** Returns what the process has written to standard error so far, without log lines of level info. */
  readonly complaints: () => string;
  /** Sends a signal, and resolves when the process has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

/** Starts `flagship up` at any free port, with a client of it as its administrator. */
export async function up(t: Test, directory: string, ...args: readonly string[]): Promise<Up> {
  const child = start(t, ['up', '--data-dir', directory, '--bind', '127.0.0.1:0', ...args]);
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const output = await listening(child);
  const endpoint = kubeconfigEndpoint(path.join(directory, 'kubeconfig'));
  const server = apiClient(endpoint, 'test/1.0');
  t.teardown(() => server.close());
  return {
    child,
    server,
    port: Number(/:(\d+) /.exec(output)?.[1]),
    complaints: () => withoutInfo(complaints),
    async end(signal) {
      server.close();
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}
