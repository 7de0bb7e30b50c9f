/** Runs `karmadactl` as its own process. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../cli/karmadactl.js', import.meta.url));
const run = promisify(execFile);

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function karmadactl(...args: string[]): Promise<Outcome> {
  try {
    return { code: 0, ...(await run(process.execPath, [program, ...args])) };
  } catch (error) {
    return error as Outcome;
  }
}
