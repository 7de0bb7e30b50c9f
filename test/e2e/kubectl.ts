/** Runs the real kubectl against a server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import type { Test } from 'tap';
import type { TestServer } from '../apiserver/running.js';

const found = spawnSync('kubectl', ['version', '--client']).status === 0;

/**
 * Options of a test that needs kubectl. The test is skipped if kubectl is not installed. In continuous integration, where it must be
 * installed, the test fails instead.
 */
export const needsKubectl = { skip: !found && process.env['CI'] === undefined ? 'kubectl is not installed' : false };

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Kubectl {
  /** Runs kubectl to its end. `input` is its standard input. */
  (
    args: string,
    options?: { readonly input?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Outcome>;
  /** Runs kubectl until `stop`; `lines` yields its output. */
  start(args: string): { readonly lines: AsyncIterable<string>; stop(): void };
}

/** Splits a command at spaces, except in single quotes. */
const split = (args: string): string[] =>
  (args.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map(word => word.replaceAll("'", ''));

async function* linesOf(child: ChildProcess): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

export function kubectlFor(t: Test, server: Pick<TestServer, 'kubeconfig' | 'directory'>): Kubectl {
  const environment = {
    ...process.env,
    KUBECONFIG: server.kubeconfig,
    HOME: server.directory,
  };
  const run: Kubectl = (args, { input, env = {} } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn('kubectl', split(args), { env: { ...environment, ...env } });
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      child.on('error', reject).on('close', code => resolve({ code: code ?? -1, out, err }));
      child.stdin.end(input);
    });
  run.start = args => {
    const child = spawn('kubectl', split(args), { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    const stop = (): void => void child.kill();
    t.teardown(stop);
    return { lines: linesOf(child), stop };
  };
  return run;
}

/** Returns a function that runs kubectl, with an optional standard input, and resolves with its output. Rejects if kubectl fails. */
export const askOf =
  (kubectl: Kubectl) =>
  async (args: string, input?: string): Promise<string> => {
    const { code, out, err } = await kubectl(args, input === undefined ? {} : { input });
    if (code !== 0) throw new Error(`kubectl ${args}: ${err}`);
    return out;
  };
