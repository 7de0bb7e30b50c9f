/** `flagship member list|stop|slow|start`: changes the reachability of simulated members of a running Flagship. */
import process from 'node:process';
import { aligned } from '../lib/aligned.js';
import { listMembers, reachMember } from '../simulator/control/client.js';
import type { MemberStatus } from '../simulator/control/interface.js';
import { maxDelayMs, type Reachability } from '../simulator/reachability.js';
import { controlSocketOf, dataDirectory, directoryOf } from './flags/data-directory.js';
import { parseDurationFlag } from './flags/durations.js';
import {
  describeFlags,
  didYouMean,
  type FlagTable,
  type FlagValues,
  invalidFlag,
  type ParsedFlags,
  parseFlags,
  UsageError,
} from './flags/flags.js';

const flags = {
  'data-dir': dataDirectory,
  silent: { type: 'boolean', help: 'stop: accept connections without answering, instead of refusing them' },
  delay: { type: 'string', value: 'DURATION', help: 'slow: delay of every request, such as 2s' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const help = `Makes simulated members of a running Flagship fail and recover. Only the API server of a member is affected; its
workloads continue. A restart of "flagship up" resets all members.

Usage:
  flagship member list [flags]                          show the members and their state
  flagship member stop NAME [--silent] [flags]          refuse connections, or do not answer
  flagship member slow NAME --delay DURATION [flags]    delay every request
  flagship member start NAME [flags]                    answer normally again

Flags:
${describeFlags(flags)}
`;

type Given = ParsedFlags<typeof flags>;

const actions: Readonly<Record<string, (values: FlagValues<typeof flags>) => Reachability>> = {
  stop: ({ silent }) => ({ state: 'stopped', silent }),
  start: () => ({ state: 'running' }),
  slow({ delay }) {
    if (delay === '') throw new UsageError('member slow needs --delay');
    const delayMs = parseDurationFlag('delay', delay);
    if (delayMs === 0 || delayMs > maxDelayMs)
      throw invalidFlag('delay', delay, `want more than 0s and at most ${maxDelayMs / 60_000}m`);
    return { state: 'slow', delayMs };
  },
};

/** The action of each flag. */
const actionOf = { silent: 'stop', delay: 'slow' } as const;

function refuseForeignFlags(action: string, given: Given['given']): void {
  for (const flag of ['silent', 'delay'] as const)
    if (given.has(flag) && actionOf[flag] !== action) throw new UsageError(`--${flag} is for member ${actionOf[flag]}`);
}

/** Returns the text of a state in `list`. */
function stateText(reachability: Reachability): string {
  if (reachability.state === 'slow') return `slow (${reachability.delayMs / 1000}s)`;
  return reachability.state === 'stopped' && reachability.silent ? 'stopped (silent)' : reachability.state;
}

function table(members: readonly MemberStatus[]): string {
  const rows = [
    ['NAME', 'STATE', 'ADDRESS'],
    ...members.map(({ name, url, reachability }) => [name, stateText(reachability), url]),
  ];
  return `${aligned(rows).join('\n')}\n`;
}

async function run(action: string, rest: readonly string[], { values, given }: Given): Promise<string> {
  const directory = directoryOf(values);
  const socket = controlSocketOf(directory);
  const known = ['list', ...Object.keys(actions)];
  if (!known.includes(action)) throw new UsageError(`unknown command: member ${action}${didYouMean(action, known)}`);
  refuseForeignFlags(action, given);
  const [name, ...more] = rest;
  const extra = action === 'list' ? name : more[0];
  if (extra !== undefined) throw new UsageError(`unknown argument: ${extra}`);
  try {
    if (action === 'list') return table(await listMembers(socket));
    if (name === undefined) throw new UsageError(`member ${action} needs the name of a member`);
    const reachability = actions[action]?.(values) ?? { state: 'running' };
    await reachMember(socket, name, reachability);
    return `${name} ${stateText(reachability)}\n`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED')
      throw new UsageError(`no Flagship with simulated members runs on ${directory}`);
    throw new UsageError(message);
  }
}

/** Returns the exit status. */
export async function member(args: readonly string[]): Promise<number> {
  const parsed = parseFlags(flags, args);
  const [action, ...rest] = parsed.rest;
  if (parsed.values.help || action === undefined) {
    process.stdout.write(help);
    return parsed.values.help ? 0 : 1;
  }
  process.stdout.write(await run(action, rest, parsed));
  return 0;
}
