/** A server in a process of its own, which tells how long its event loop stood still and how much memory it holds. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { Endpoint } from '../../aggregation/interface.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { temporaryFolder } from '../apiserver/running.js';
import { listening } from '../cli/process.js';
import type { Target } from '../conformance/fuzz/send.js';
import { plainNode } from '../plain-node.js';
import type { Question, Reply, Stall } from './inside.js';

export interface WatchedServer {
  readonly target: Target;
  /** The same place with the same credentials, as clients of ours take them. */
  readonly endpoint: Endpoint;
  readonly pid: number;
  /** What it holds after a collection of garbage, in bytes. Undefined when it has ended. */
  memory(): Promise<NodeJS.MemoryUsage | undefined>;
  /** From here on stalls are looked for. */
  beginStalls(): Promise<void>;
  /** The longest stall since `beginStalls`. Undefined when it has ended. */
  longestStall(): Promise<Stall | undefined>;
  /** How it ended, if it has: `exit code 1` or the name of a signal. */
  readonly end: () => string | undefined;
  /** What it has said that no server should, by line: errors, and all that is no entry of its log. */
  readonly complaints: () => string[];
  /** What its own monitor has logged of stalls, by line. */
  readonly stallLines: () => readonly string[];
  /** Asks it to end; how it ended. */
  stop(): Promise<string>;
  kill(): void;
}

export interface ServerOptions {
  /** The command that runs it instead of Node.js alone, such as `valgrind node`. */
  readonly node?: readonly string[] | undefined;
  /** Flags of `flagship up` besides the directory and the port. */
  readonly flags?: readonly string[];
}

const entry = fileURLToPath(new URL('../../cli/flagship.js', import.meta.url));
const inside = new URL('./inside.js', import.meta.url).href;

/** Whether a line is an entry of the log that tells of nothing bad. */
function isUsual(line: string): boolean {
  try {
    return (JSON.parse(line) as { readonly level?: unknown }).level !== 'error';
  } catch {
    return line === '';
  }
}

const isStallLine = (line: string): boolean => line.includes('"the event loop ');

/** The lines of a stream that are no usual entries of the log, and those that tell of stalls. */
function linesOf(stream: Readable): Pick<WatchedServer, 'complaints' | 'stallLines'> {
  const said: string[] = [];
  const stalls: string[] = [];
  let begun = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (begun + chunk.toString()).split('\n');
    begun = lines.pop() ?? '';
    said.push(...lines.filter(line => !isUsual(line)));
    stalls.push(...lines.filter(isStallLine));
  });
  return { complaints: () => (begun === '' ? said : [...said, begun]), stallLines: () => stalls };
}

/** Asks the process over its IPC channel. */
function asker(child: ChildProcess, ended: Promise<unknown>): (question: Question) => Promise<Reply | undefined> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let last = 0;
  child.on('message', reply => {
    const { id } = reply as Reply;
    waiting.get(id)?.(reply as Reply);
    waiting.delete(id);
  });
  child.on('error', () => undefined); // a question to a process that ends
  return question => {
    if (!child.connected) return ended.then(() => undefined);
    const id = ++last;
    const answer = new Promise<Reply>(resolve => waiting.set(id, resolve));
    child.send({ id, question }, () => undefined); // What goes wrong shows in its end.
    return Promise.race([answer, ended.then(() => undefined)]);
  };
}

const defaultFlags = ['--controllers=-*'];

/** Starts `flagship up` on a free port, in a directory that goes with the test. */
export async function startWatched(
  t: Test,
  { node = plainNode, flags = defaultFlags }: ServerOptions = {},
): Promise<WatchedServer> {
  const folder = await temporaryFolder(t);
  const [command = '', ...args] = node;
  const all = ['up', '--bind', '127.0.0.1:0', '--data-dir', folder, ...flags];
  const child = spawn(command, [...args, '--import', inside, entry, ...all], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let end: string | undefined;
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => (end = String(signal ?? `exit code ${code}`)));
  const lines = linesOf(child.stderr as Readable);
  const ask = asker(child, ended);
  await listening(child);
  const endpoint = kubeconfigEndpoint(path.join(folder, 'kubeconfig'));
  const { server, ca = '', clientCertificate = '', clientKey = '' } = endpoint;
  const { hostname, port } = new URL(server);
  return {
    endpoint,
    target: { host: hostname, port: Number(port), ca, cert: clientCertificate, key: clientKey },
    pid: child.pid ?? 0,
    memory: async () => (await ask('memory'))?.memory,
    beginStalls: async () => void (await ask('begin')),
    longestStall: async () => (await ask('stall'))?.stall,
    end: () => end,
    ...lines,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
