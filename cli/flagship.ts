#!/usr/bin/env node
import process from 'node:process';
import { findCommand } from './find-command.js';
import { didYouMean, UsageError } from './flags/flags.js';
import { ignoreClosedPipe } from './ignore-closed-pipe.js';
import { versionLine } from './version.js';

const help = `Flagship: the whole Karmada control plane as one process.

Usage:
  flagship up [flags]                       start the control plane
  flagship snapshot save FILE [flags]       back up the embedded storage, also while it is in use
  flagship snapshot restore FILE [flags]    restore a backup
  flagship check [flags]                    check the embedded storage for damage
  flagship scheduler-estimator [flags]      estimate what a member can run, as karmada-scheduler-estimator
  flagship agent [flags]                    serve a cluster in pull mode, as karmada-agent
  flagship member list|stop|slow|start      make simulated members fail and recover
  flagship simulate [flags]                 tell where resources would be, and write nothing
  flagship version
  flagship help [COMMAND]

"flagship COMMAND --help" lists the flags, which may also precede the command.
`;

/** Subcommands, which are loaded when they are called. */
const commands: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<number>>>> = {
  up: async () => (await import('./up/up.js')).up,
  snapshot: async () => (await import('./snapshot.js')).snapshot,
  check: async () => (await import('./check.js')).checkStores,
  simulate: async () => (await import('./simulate/simulate.js')).simulate,
  'scheduler-estimator': async () => (await import('./estimator/scheduler-estimator.js')).schedulerEstimator,
  agent: async () => (await import('./agent/agent.js')).agent,
  member: async () => (await import('./member.js')).member,
};

const builtInCommands = ['version', 'help'];
/** Flags that need no command. */
const globalFlags = ['--version', '--help', '-h'];

async function call(command: string, args: readonly string[]): Promise<number> {
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (load) return (await load())(args);
  throw new UsageError(
    `unknown command: ${command}${didYouMean(command, [...Object.keys(commands), ...builtInCommands])}`,
  );
}

/** Returns the exit status. */
async function main(given: readonly string[]): Promise<number> {
  const { command, args } = findCommand(given, [...Object.keys(commands), ...builtInCommands]);
  const [first, topic = first ?? ''] = args;
  if (command === 'version' || (command === '' && first === '--version')) {
    process.stdout.write(versionLine());
    return 0;
  }
  if (command === 'help' && topic !== '' && !topic.startsWith('-')) return call(topic, ['--help']);
  if (command === 'help' || (command === '' && (first === undefined || first === '--help' || first === '-h'))) {
    process.stdout.write(help);
    return given.length === 0 ? 1 : 0;
  }
  if (command !== '') return call(command, args);
  const name = first?.replace(/=.*/, '') ?? '';
  const hint = didYouMean(name, globalFlags);
  throw new UsageError(
    hint === '' ? `no command was given; "flagship --help" lists them` : `unknown flag: ${name}${hint}`,
  );
}

ignoreClosedPipe(process.stdout);
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const text = error instanceof UsageError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`flagship: ${text}\n`);
  process.exitCode = 1;
}
