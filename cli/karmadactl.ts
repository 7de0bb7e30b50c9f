#!/usr/bin/env node
import process from 'node:process';
import { errorText } from '../apimachinery/errors/error-text.js';
import { findCommand } from './find-command.js';
import { didYouMean, UsageError } from './flags/flags.js';
import { ignoreClosedPipe } from './ignore-closed-pipe.js';
import { versionLine } from './version.js';

const help = `karmadactl controls a Karmada control plane.

Usage:
  karmadactl join CLUSTER_NAME [flags]     join a cluster (push mode)
  karmadactl unjoin CLUSTER_NAME [flags]   remove a cluster
  karmadactl token create|list|delete      manage the tokens with which clusters register
  karmadactl register HOST:PORT [flags]    register a cluster (pull mode)
  karmadactl unregister CLUSTER_NAME       remove a cluster (pull mode)
  karmadactl interpret -f FILE [flags]     check or run the scripts of a ResourceInterpreterCustomization
  karmadactl explain-scheduling TYPE NAME  tell why a resource is in its clusters, and where it would be now
  karmadactl top pod|node [NAME] [flags]   show the usage of CPU and memory in the clusters
  karmadactl version

"karmadactl COMMAND --help" lists the flags, which may also precede the command. The karmadactl of the Karmada project, too, works with this control plane: it has
the commands that are missing here.
`;

/** Subcommands, which are loaded when they are called. */
const commands: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<void>>>> = {
  join: async () => (await import('./karmadactl/join.js')).join,
  interpret: async () => (await import('./karmadactl/interpret/interpret.js')).interpretCommand,
  'explain-scheduling': async () =>
    (await import('./karmadactl/explain-scheduling/explain-scheduling.js')).explainScheduling,
  top: async () => (await import('./karmadactl/top/top.js')).topCommand,
  token: async () => (await import('./karmadactl/token.js')).tokenCommand,
  register: async () => (await import('./karmadactl/register/register.js')).registerCommand,
  unregister: async () => (await import('./karmadactl/unregister.js')).unregisterCommand,
  unjoin: async () => (await import('./karmadactl/unjoin.js')).unjoin,
};

/** Commands of the Karmada project's karmadactl that are missing here. */
const missingCommands: ReadonlySet<string> = new Set(
  (
    'addons annotate api-resources api-versions apply attach completion cordon create deinit delete describe edit exec explain get ' +
    'init label logs options patch promote taint uncordon'
  ).split(' '),
);

async function call(command: string, args: readonly string[]): Promise<void> {
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (load) return (await load())(args);
  if (missingCommands.has(command))
    throw new UsageError(
      `"karmadactl ${command}" is not supported yet; the karmadactl of the Karmada project, or kubectl, works with this control plane`,
    );
  const known = [...Object.keys(commands), 'version', 'help'];
  throw new UsageError(`unknown command "${command}" for "karmadactl"${didYouMean(command, known)}`);
}

async function main(given: readonly string[]): Promise<void> {
  const { command, args } = findCommand(given, [...Object.keys(commands), ...missingCommands, 'version', 'help']);
  const [first, topic = first ?? ''] = args;
  if (command === 'version' || (command === '' && first === '--version'))
    return void process.stdout.write(`karmadactl version: ${versionLine()}`);
  if (command === 'help' && topic !== '' && !topic.startsWith('-')) return call(topic, ['--help']);
  if (command === 'help' || (command === '' && (first === undefined || first === '--help' || first === '-h')))
    return void process.stdout.write(help);
  if (command === '') throw new UsageError(`unknown flag: ${first?.replace(/=.*/, '') ?? ''}`);
  await call(command, args);
}

ignoreClosedPipe(process.stdout);
try {
  await main(process.argv.slice(2));
} catch (error) {
  // The message contains the error of a server or a file; a stack would not help the user.
  process.stderr.write(`error: ${errorText(error)}\n`);
  process.exitCode = 1;
}
