#!/usr/bin/env node
import process from 'node:process';
import { errorText } from '../openapi/meta/error-text.js';
import { didYouMean, UsageError } from './flags.js';
import { versionLine } from './version.js';

const help = `karmadactl controls a Karmada control plane.

Usage:
  karmadactl join CLUSTER_NAME [flags]     bring a cluster under control (push mode)
  karmadactl unjoin CLUSTER_NAME [flags]   let a cluster go
  karmadactl version

"karmadactl COMMAND --help" lists the flags. The control plane is a Karmada to other tools, too: what is not here, the
karmadactl of the Karmada project does.
`;

/** Loaded when they are called. */
const commands: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<void>>>> = {
  join: async () => (await import('./karmadactl/join.js')).join,
  unjoin: async () => (await import('./karmadactl/unjoin.js')).unjoin,
};

async function main([command = '--help', ...args]: readonly string[]): Promise<void> {
  if (command === 'version' || command === '--version') process.stdout.write(versionLine());
  else if (command === 'help' || command === '--help' || command === '-h') process.stdout.write(help);
  else {
    const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
    if (!load)
      throw new UsageError(
        `unknown command "${command}" for "karmadactl"${didYouMean(command, Object.keys(commands))}`,
      );
    await (
      await load()
    )(args);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  // Whatever a server or a file says stands in the message; where in the program it was read helps nobody at the keyboard.
  process.stderr.write(`error: ${errorText(error)}\n`);
  process.exitCode = 1;
}
