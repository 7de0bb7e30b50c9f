import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { plainNode } from '../../../tools/plain-node.js';
import type { Where } from './writer.js';

export interface Acknowledged {
  readonly key: string;
  readonly revision: number;
  readonly value: string;
}

interface Writer {
  readonly process: ChildProcess;
  readonly acknowledged: readonly Acknowledged[];
  /** Number of `failed` lines. */
  readonly failures: readonly string[];
  /** Last reported health of the store. */
  readonly health: string;
  /** Its standard error. */
  readonly complaint: string;
  readonly ready: boolean;
  /** Kills the process with SIGKILL. Resolves with its output. */
  kill(): Promise<void>;
  /** The exit code; null if it was killed. */
  readonly ended: Promise<number | null>;
}

const script = fileURLToPath(new URL('./writer.js', import.meta.url));

/** Starts `writer.js`. */
export function startWriter(t: Test, where: Where, name: string): Writer {
  const [command, ...args] = plainNode;
  const child = spawn(command, [...args, script, JSON.stringify(where), name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const acknowledged: Acknowledged[] = [];
  const failures: string[] = [];
  let complaint = '';
  let ready = false;
  let health = 'good';
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [word, key = '', revision = '', value = ''] = line.split(' ');
      if (word === 'ready') ready = true;
      else if (word === 'ack') acknowledged.push({ key, revision: Number(revision), value });
      else if (word === 'health') health = key;
      else failures.push(line);
    }
  });
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }
  t.teardown(kill);
  return {
    process: child,
    acknowledged,
    failures,
    ended,
    kill,
    get health() {
      return health;
    },
    get complaint() {
      return complaint;
    },
    get ready() {
      return ready;
    },
  };
}
