import { randomInt } from 'node:crypto';
import process from 'node:process';
import { isNotFound } from '../../apimachinery/errors/status.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { secrets } from '../../api/kubernetes/resources.js';
import type { Client } from '../../client/interface.js';
import {
  bootstrapGroupPattern,
  bootstrapTokenName,
  bootstrapTokenNamespace,
  bootstrapTokenPattern,
  bootstrapTokenSecret,
  bootstrapTokenType,
  readBootstrapToken,
} from '../../kinds/kubernetes/bootstrap/bootstrap-token.js';
import { aligned } from '../../lib/aligned.js';
import { formatTime } from '../../lib/go/time.js';
import { parseDurationFlag } from '../flags/durations.js';
import {
  describeFlags,
  didYouMean,
  type FlagTable,
  type FlagValues,
  invalidFlag,
  parseFlags,
  UsageError,
} from '../flags/flags.js';
import { caPins } from './ca-pins.js';
import { controlPlaneFlags, openControlPlane } from './connect.js';

const usages: readonly string[] = ['signing', 'authentication'];
const defaultGroup = 'system:bootstrappers:karmada:default-cluster-token';

const commonFlags = {
  ...controlPlaneFlags,
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const createFlags = {
  ttl: {
    type: 'string',
    value: 'DURATION',
    default: '24h0m0s',
    help: 'How long the token is valid; 0: without end',
  },
  usages: { type: 'list', value: 'LIST', default: usages, help: `What the token is for: ${usages.join(', ')}` },
  groups: {
    type: 'list',
    value: 'LIST',
    default: [defaultGroup],
    help: 'Groups of the user of the token, which begin with system:bootstrappers:',
  },
  description: { type: 'string', value: 'TEXT', help: 'What the token is for, for people' },
  'print-register-command': { type: 'boolean', help: 'Print the command with which a cluster registers' },
  ...commonFlags,
} as const satisfies FlagTable;

const help = (): string => `Manages the bootstrap tokens with which clusters register in pull mode.

Usage:
  karmadactl token create [flags]       create a token, and print it
  karmadactl token list [flags]         list the tokens
  karmadactl token delete TOKEN...      delete tokens, by the token or its id

Flags of create:
${describeFlags(createFlags)}
`;

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number): string =>
  Array.from({ length }, () => letters.charAt(randomInt(letters.length))).join('');

/** Returns the command with which a cluster registers. Throws if the kubeconfig has no authority. */
function commandOf({ server, ca }: { readonly server: string; readonly ca?: string }, token: string): string {
  const pins = caPins(ca ?? '');
  if (pins.length === 0) throw new Error('no CA certificates found in kubeconfig');
  const address = server.replace(/^https:\/\//, '');
  return `karmadactl register ${address} --token ${token} --discovery-token-ca-cert-hash ${pins.join(',')}`;
}

async function create(values: FlagValues<typeof createFlags>): Promise<void> {
  const ttlMs = parseDurationFlag('ttl', values.ttl);
  const odd = values.usages.find(usage => !usages.includes(usage));
  if (odd !== undefined) throw invalidFlag('usages', odd, `want ${usages.join(' or ')}${didYouMean(odd, usages)}`);
  const group = values.groups.find(group => !bootstrapGroupPattern.test(group));
  if (group !== undefined) throw invalidFlag('groups', group, `must match ${bootstrapGroupPattern.source}`);
  const control = openControlPlane(values);
  try {
    const [id, secret] = [randomText(6), randomText(16)];
    const token = `${id}.${secret}`;
    // The command is made first: a kubeconfig without authority must not leave a token behind.
    const printed = values['print-register-command'] ? commandOf(control.endpoint, token) : token;
    const expiration = ttlMs === 0 ? '' : formatTime(Date.now() + ttlMs);
    const { description, groups } = values;
    await control.client.create(
      secrets,
      bootstrapTokenSecret({ id, secret, description, expiration, usages: values.usages, groups }),
    );
    process.stdout.write(`${printed}\n`);
  } finally {
    await control.client.close();
  }
}

/** Returns a duration in its largest unit. as apimachinery/pkg/util/duration ShortHumanDuration */
function shortDuration(ms: number): string {
  const seconds = Math.max(Math.trunc(ms / 1000), 0);
  const [minutes, hours, days] = [seconds / 60, seconds / 3600, seconds / 86_400].map(Math.floor) as [
    number,
    number,
    number,
  ];
  if (minutes === 0) return `${seconds}s`;
  if (hours === 0) return `${minutes}m`;
  if (days === 0) return `${hours}h`;
  return days < 365 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

function rowOf(object: KubeObject): readonly string[] {
  const { id, secret, expiration, usages, description, groups } = readBootstrapToken(object);
  const orNone = (text: string): string => (text === '' ? '<none>' : text);
  return [
    `${id}.${secret}`,
    expiration === '' ? '<forever>' : shortDuration(Date.parse(expiration) - Date.now()),
    expiration === '' ? '<never>' : expiration,
    orNone(usages.join(',')),
    orNone(description),
    orNone(groups.join(',')),
  ];
}

async function list(client: Client): Promise<void> {
  const query = { namespace: bootstrapTokenNamespace, fieldSelector: `type=${bootstrapTokenType}` };
  const { items } = await client.list(secrets, query);
  const rows = [['TOKEN', 'TTL', 'EXPIRES', 'USAGES', 'DESCRIPTION', 'EXTRA GROUPS'], ...items.map(rowOf)];
  process.stdout.write(`${aligned(rows).join('\n')}\n`);
}

/** Returns the id of a token, which may be given alone. */
function idOf(given: string): string {
  const [, id = /^[a-z0-9]{6}$/.test(given) ? given : undefined] = bootstrapTokenPattern.exec(given) ?? [];
  if (id === undefined) throw new UsageError(`"${given}" is neither a token ("ID.SECRET") nor its id`);
  return id;
}

async function remove(client: Client, given: readonly string[]): Promise<void> {
  if (given.length === 0) throw new UsageError('the token to delete is missing: karmadactl token delete TOKEN');
  for (const id of given.map(idOf)) {
    const key = { namespace: bootstrapTokenNamespace, name: bootstrapTokenName(id) };
    await client.delete(secrets, key).catch((error: unknown) => {
      throw isNotFound(error) ? new UsageError(`bootstrap token "${id}" not found`) : error;
    });
    process.stdout.write(`bootstrap token "${id}" deleted\n`);
  }
}

async function withControlPlane(
  args: readonly string[],
  work: (client: Client, rest: readonly string[]) => Promise<void>,
): Promise<void> {
  const { values, rest } = parseFlags(commonFlags, args);
  if (values.help) return void process.stdout.write(help());
  const control = openControlPlane(values);
  try {
    await work(control.client, rest);
  } finally {
    await control.client.close();
  }
}

function refuseArguments(rest: readonly string[]): void {
  if (rest[0] !== undefined) throw new UsageError(`unknown argument: ${rest[0]}`);
}

const commands: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  async create(args) {
    const { values, rest } = parseFlags(createFlags, args);
    if (values.help) return void process.stdout.write(help());
    refuseArguments(rest);
    await create(values);
  },
  list: args =>
    withControlPlane(args, async (client, rest) => {
      refuseArguments(rest);
      await list(client);
    }),
  delete: args => withControlPlane(args, remove),
};

/** Runs `karmadactl token`, with the command that is the first argument that names one. Rejects with UsageError for an unknown command. */
export async function tokenCommand(args: readonly string[]): Promise<void> {
  const at = args.findIndex(arg => Object.hasOwn(commands, arg));
  const run = commands[args[at] ?? ''];
  if (run) return run(args.filter((_, i) => i !== at));
  const [first] = args;
  if (first === undefined || first === '--help' || first === '-h') return void process.stdout.write(help());
  throw new UsageError(`unknown command "${first}" for "karmadactl token"${didYouMean(first, Object.keys(commands))}`);
}
