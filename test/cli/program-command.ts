/** Runs a command of a program as its own process. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { plainNode } from '../../tools/plain-node.js';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const execute = promisify(execFile);

/** Returns a function that runs the program with `first` and its arguments, and resolves when the process has ended, with any code. */
export function programCommand(
  program: 'flagship' | 'karmadactl',
  ...first: readonly string[]
): (...args: readonly string[]) => Promise<Ended> {
  const file = fileURLToPath(new URL(`../../cli/${program}.js`, import.meta.url));
  const [node, ...options] = plainNode;
  return async (...args) => {
    try {
      return { code: 0, ...(await execute(node, [...options, file, ...first, ...args])) };
    } catch (error) {
      return error as Ended;
    }
  };
}
