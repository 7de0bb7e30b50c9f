/** Starts a server in a separate process, which reports how long its event loop was blocked and how much memory it uses. */
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
import { plainNode } from '../../tools/plain-node.js';
import type { Command, Reply } from './inside.js';
import { type JudgedStall, limits } from './limits.js';

export interface WatchedServer {
  /** The directory of its data. */
  readonly folder: string;
  readonly target: Target;
  /** The same address and credentials, in the form that the clients in `aggregation` take. */
  readonly endpoint: Endpoint;
  readonly pid: number;
  /** Returns the memory usage after a garbage collection, in bytes; undefined if the server has ended. */
  memory(): Promise<NodeJS.MemoryUsage | undefined>;
  /** Starts a new measurement of stalls. */
  beginStalls(): Promise<void>;
  /** Returns the longest stall since `beginStalls`; undefined if the server has ended. */
  longestStall(): Promise<JudgedStall | undefined>;
  /** Measures how slow the machine is, for a fifth of a second: the ratio of computing times, at least 1; 1 if the server has ended. */
  slowness(): Promise<number>;
  /** Returns how the server ended, `exit code 1` or the name of a signal; undefined while it runs. */
  readonly end: () => string | undefined;
  /** Returns the lines of its output that are errors, or no entries of its log. */
  readonly unexpectedLines: () => string[];
  /** Returns the log lines in which the server reports stalls. */
  readonly stallLines: () => readonly string[];
  /** Stops the server with SIGTERM, and returns how it ended. */
  stop(): Promise<string>;
  kill(): void;
}

interface ServerOptions {
  /** The command that runs it instead of Node.js alone, such as `valgrind node`. */
  readonly node?: readonly string[] | undefined;
  /** Flags of `flagship up` besides the directory and the port. */
  readonly flags?: readonly string[];
  /** The directory of a server that was stopped, whose data it has. */
  readonly folder?: string | undefined;
}

const entry = fileURLToPath(new URL('../../cli/flagship.js', import.meta.url));
const inside = new URL('./inside.js', import.meta.url).href;

/** Reports whether a line is an entry of the log below the level `error`, or empty. */
function isExpected(line: string): boolean {
  try {
    return (JSON.parse(line) as { readonly level?: unknown }).level !== 'error';
  } catch {
    return line === '';
  }
}

const isStallLine = (line: string): boolean => line.includes('"the event loop ');

/** Collects the lines of a stream that are unexpected, and those that report stalls. */
function linesOf(stream: Readable): Pick<WatchedServer, 'unexpectedLines' | 'stallLines'> {
  const unexpected: string[] = [];
  const stalls: string[] = [];
  let begun = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (begun + chunk.toString()).split('\n');
    begun = lines.pop() ?? '';
    unexpected.push(...lines.filter(line => !isExpected(line)));
    stalls.push(...lines.filter(isStallLine));
  });
  return { unexpectedLines: () => (begun === '' ? unexpected : [...unexpected, begun]), stallLines: () => stalls };
}

/** Returns a function that sends a command over the IPC channel of the process; its result is undefined if the process has ended. */
function commandSender(child: ChildProcess, ended: Promise<unknown>): (command: Command) => Promise<Reply | undefined> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let last = 0;
  child.on('message', reply => {
    const { id } = reply as Reply;
    waiting.get(id)?.(reply as Reply);
    waiting.delete(id);
  });
  child.on('error', () => undefined); // A command was sent to a process that ends.
  return command => {
    if (!child.connected) return ended.then(() => undefined);
    const id = ++last;
    const answer = new Promise<Reply>(resolve => waiting.set(id, resolve));
    child.send({ id, command }, () => undefined); // Errors are ignored: the end of the process settles the race.
    return Promise.race([answer, ended.then(() => undefined)]);
  };
}

const defaultFlags = ['--controllers=-*'];

/** Starts `flagship up` on a free port, with a directory that is removed after the test. */
export async function startWatched(
  t: Test,
  { node = plainNode, flags = defaultFlags, folder: earlier }: ServerOptions = {},
): Promise<WatchedServer> {
  const folder = earlier ?? (await temporaryFolder(t));
  const [command = '', ...args] = node;
  const all = ['up', '--bind', '127.0.0.1:0', '--data-dir', folder, ...flags];
  const child = spawn(command, [...args, '--import', inside, entry, ...all], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let end: string | undefined;
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => (end = String(signal ?? `exit code ${code}`)));
  const lines = linesOf(child.stderr as Readable);
  const sendCommand = commandSender(child, ended);
  await listening(child);
  const slowness = async (): Promise<number> => (await sendCommand('slowness'))?.slowness ?? 1;
  const endpoint = kubeconfigEndpoint(path.join(folder, 'kubeconfig'));
  const { server, ca = '', clientCertificate = '', clientKey = '' } = endpoint;
  const { hostname, port } = new URL(server);
  return {
    folder,
    endpoint,
    target: { host: hostname, port: Number(port), ca, cert: clientCertificate, key: clientKey },
    pid: child.pid ?? 0,
    memory: async () => (await sendCommand('memory'))?.memory,
    beginStalls: async () => void (await sendCommand('begin')),
    async longestStall() {
      const stall = (await sendCommand('stall'))?.stall;
      return stall && { ...stall, slowness: stall.cpu < limits.stall ? 1 : await slowness() };
    },
    slowness,
    end: () => end,
    ...lines,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
