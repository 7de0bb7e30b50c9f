/** The server as a process of its own: when one of the two crashes it is known which. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { temporaryFolder } from '../../apiserver/running.js';
import { listening } from '../../cli/process.js';
import { plainNode } from '../../plain-node.js';
import type { Target } from './send.js';

export interface FuzzServer {
  readonly target: Target;
  /** What it holds when its garbage is gone, in bytes. Undefined when it has ended. */
  memory(): Promise<NodeJS.MemoryUsage | undefined>;
  /** How it ended, if it has: `exit code 1` or the name of a signal. */
  readonly end: () => string | undefined;
  /** What it has said that no server should, by line: errors, and all that is no entry of its log. */
  readonly complaints: () => string[];
  /** Asks it to end; how it ended. */
  stop(): Promise<string>;
}

const entry = fileURLToPath(new URL('../../../cli/flagship.js', import.meta.url));
const tellMemory = new URL('./tell-memory.js', import.meta.url).href;
const memoryLine = /^memory: (.*)$/;

/** Entries of the log that tell of nothing bad. */
function isUsual(line: string): boolean {
  try {
    return (JSON.parse(line) as { readonly level?: unknown }).level !== 'error';
  } catch {
    return line === '';
  }
}

/** `node`: the command that runs it instead of Node.js alone, such as `valgrind node`. */
export async function startFuzzServer(t: Test, node: readonly string[] = plainNode): Promise<FuzzServer> {
  const folder = await temporaryFolder(t);
  const [command = '', ...args] = node;
  const flags = ['up', '--controllers=-*', '--bind', '127.0.0.1:0', '--data-dir', folder];
  const child = spawn(command, [...args, '--import', tellMemory, entry, ...flags]);
  t.teardown(() => child.kill('SIGKILL'));
  let end: string | undefined;
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => (end = String(signal ?? `exit code ${code}`)));
  const said: string[] = [];
  let begun = '';
  let told: ((usage: NodeJS.MemoryUsage) => void) | undefined;
  child.stderr.on('data', (chunk: Buffer) => {
    const lines = (begun + chunk.toString()).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) {
      const memory = memoryLine.exec(line)?.[1];
      if (memory !== undefined) told?.(JSON.parse(memory) as NodeJS.MemoryUsage);
      else if (!isUsual(line)) said.push(line);
    }
  });
  await listening(child);
  const {
    server,
    ca = '',
    clientCertificate = '',
    clientKey = '',
  } = kubeconfigEndpoint(path.join(folder, 'kubeconfig'));
  const { hostname, port } = new URL(server);
  return {
    target: { host: hostname, port: Number(port), ca, cert: clientCertificate, key: clientKey },
    memory() {
      const answer = new Promise<NodeJS.MemoryUsage>(resolve => (told = resolve));
      child.kill('SIGUSR2');
      return Promise.race([answer, ended.then(() => undefined)]);
    },
    end: () => end,
    complaints: () => (begun === '' ? said : [...said, begun]),
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
