#!/usr/bin/env node
import process from 'node:process';
import { didYouMean, UsageError } from './flags.js';
import { versionLine } from './version.js';

const help = `Flagship: the whole Karmada control plane as one process.

Usage:
  flagship up [flags]                       start it
  flagship snapshot save FILE [flags]       back up the embedded storage, also while it is in use
  flagship snapshot restore FILE [flags]    go back to a backup
  flagship check [flags]                    look for damage in the embedded storage
  flagship --version
  flagship --help

"flagship COMMAND --help" lists the flags.
`;

/** Subcommands are loaded when they are called. */
const commands: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<number>>>> = {
  up: async () => (await import('./up.js')).up,
  snapshot: async () => (await import('./snapshot.js')).snapshot,
  check: async () => (await import('./check.js')).check,
};

/** The exit status. */
async function main([command = '', ...args]: readonly string[]): Promise<number> {
  if (command === '--version' || command === 'version') {
    process.stdout.write(versionLine());
    return 0;
  }
  if (command === '--help' || command === '-h' || command === 'help' || command === '') {
    process.stdout.write(help);
    return command === '' ? 1 : 0;
  }
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!load) {
    const what = command.startsWith('-') ? 'flag' : 'command';
    throw new UsageError(
      `unknown ${what}: ${command}${didYouMean(command, [...Object.keys(commands), '--version', '--help'])}`,
    );
  }
  return (await load())(args);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const text = error instanceof UsageError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`flagship: ${text}\n`);
  process.exitCode = 1;
}
