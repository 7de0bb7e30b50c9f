/** Starts `flagship up` as a process and parses its log line by line. */
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { until } from '../storage/until.js';
import { start } from './process.js';

/** A line of the log. */
export interface Line {
  readonly level: string;
  readonly msg: string;
  readonly cluster?: string;
  readonly [field: string]: unknown;
}

/** The root of the project, in which commands run. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Lines that depend on the speed of the machine. */
const timingLines = /^(?:slow request$|snapshot written$|the event loop (?:was blocked|waited))/;

/** Starts `flagship up` at any free port; resolves when it is ready or has ended. */
export async function startUp(t: Test, directory: string, ...args: readonly string[]) {
  const child = start(t, ['up', '--data-dir', directory, '--bind', '127.0.0.1:0', ...args]);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  await until('it is ready', () => out.includes('kubectl get clusters') || child.exitCode !== null);
  const kubeconfig = path.join(directory, 'kubeconfig');
  return {
    port: Number(/:(\d+) /.exec(out)?.[1]),
    kubeconfig,
    lines: (): Line[] =>
      err
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line) as Line)
        .filter(({ msg }) => !timingLines.test(msg)),
    kubectl: (...command: string[]) => execute('kubectl', command, kubeconfig),
    async end(signal: NodeJS.Signals): Promise<void> {
      const ended = once(child, 'close');
      child.kill(signal);
      await ended;
    },
  };
}

/** Runs a command and returns what it prints. Rejects with its standard error when it fails. */
export async function execute(
  program: string,
  args: readonly string[],
  kubeconfig: string,
  input = '',
): Promise<string> {
  const child = spawn(program, args, { cwd: root, env: { ...process.env, KUBECONFIG: kubeconfig } });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${err}`);
  return out;
}

export type UpProcess = Awaited<ReturnType<typeof startUp>>;

/** Returns the level and the message of each line. */
export const summaryOf = (lines: readonly Line[]): [string, string][] => lines.map(({ level, msg }) => [level, msg]);

/** Waits for `times` lines with this message, and returns the last one. */
export async function waitForLine(server: UpProcess, msg: string, times = 1): Promise<Line> {
  const found = (): Line[] => server.lines().filter(line => line.msg === msg);
  await until(`a line "${msg}"`, () => found().length >= times);
  return found().at(-1) as Line;
}

const needsMore = /^(?:interpreter-|eviction$|pull-mode$)/;

/** Returns the folders of examples that need nothing but two simulated members. The other ones need kinds in the members, a webhook, or flags. */
export async function exampleFolders(): Promise<string[]> {
  const entries = await fs.readdir(path.join(root, 'examples'), { withFileTypes: true });
  return entries
    .filter(entry => entry.isDirectory() && !needsMore.test(entry.name))
    .map(({ name }) => `examples/${name}`);
}
