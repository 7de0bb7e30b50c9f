/** `karmadactl top`: the usage of CPU and memory in the members. as pkg/karmadactl/top */
import process from 'node:process';
import type { Endpoint } from '../../../aggregation/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import type { Client } from '../../../client/interface.js';
import {
  describeFlags,
  didYouMean,
  type FlagTable,
  type FlagValues,
  parseFlags,
  UsageError,
} from '../../flags/flags.js';
import { checkAnswers, controlPlaneFlags, openControlPlane } from '../connect.js';
import { inClusters, type Measurements, nodesOf, podsOf } from './measured.js';
import { nodeLines, podLines, type SortKey } from './usage-tables.js';

const sortKeys: readonly string[] = ['cpu', 'memory'] satisfies SortKey[];

const commonFlags = {
  ...controlPlaneFlags,
  clusters: { type: 'list', short: 'C', value: 'NAME,...', help: 'Clusters (default: all)' },
  selector: { type: 'string', short: 'l', value: 'SELECTOR', help: 'Labels of the objects, as in app=web' },
  'sort-by': { type: 'string', value: 'RESOURCE', help: 'Sort by cpu or memory, the largest first' },
  'no-headers': { type: 'boolean', help: 'Print no headers' },
  'use-protocol-buffers': { type: 'boolean', default: true, help: 'Has no effect: metrics are read as JSON' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const podFlags = {
  ...commonFlags,
  namespace: { type: 'string', short: 'n', value: 'NAME', default: 'default', help: 'Namespace of the Pods' },
  'all-namespaces': { type: 'boolean', short: 'A', help: 'Pods of all namespaces' },
  'field-selector': { type: 'string', value: 'SELECTOR', help: 'Fields of the objects, as in metadata.name=web' },
  containers: { type: 'boolean', help: 'Print the usage of each container' },
  sum: { type: 'boolean', help: 'Print the sum' },
} as const satisfies FlagTable;

const nodeFlags = {
  ...commonFlags,
  'show-capacity': { type: 'boolean', help: 'Percentages of the capacity instead of what is allocatable' },
} as const satisfies FlagTable;

const help = (): string => `Shows the usage of CPU and memory in the clusters.

Usage:
  karmadactl top pod [NAME | -l SELECTOR] [flags]
  karmadactl top node [NAME | -l SELECTOR] [flags]

Flags of pod:
${describeFlags(podFlags)}

Flags of node:
${describeFlags(nodeFlags)}
`;

type CommonValues = FlagValues<typeof commonFlags>;

function sortKeyOf({ 'sort-by': given }: CommonValues): SortKey {
  if (given !== '' && !sortKeys.includes(given))
    throw new UsageError(`--sort-by accepts only cpu or memory${didYouMean(given, sortKeys)}`);
  return given as SortKey;
}

function nameIn(names: readonly string[], hasSelector: boolean): string {
  const [name = '', more] = names;
  if (more !== undefined) throw new UsageError(`unknown argument: ${more}`);
  if (name !== '' && hasSelector) throw new UsageError('only one of NAME or selector can be provided');
  return name;
}

/** Returns the clusters that are given, or all. */
async function clustersOf(client: Client, given: readonly string[]): Promise<readonly string[]> {
  const known = (await client.list(resources.clusters)).items.map(({ metadata }) => metadata.name ?? '');
  if (given.length === 0) return known;
  const unknown = given.filter(name => !known.includes(name));
  if (unknown.length > 0) throw new Error(`clusters don't exist: ${unknown.join(',')}`);
  return [...new Set(given)];
}

/** Reads and prints what the clusters answer. Throws afterwards if some failed. */
async function show<T>(
  values: CommonValues,
  read: (control: Endpoint, clusters: readonly string[]) => Promise<Measurements<T>>,
  print: { readonly lines: (found: readonly T[]) => readonly string[]; readonly nothing: string },
): Promise<void> {
  const control = openControlPlane(values);
  try {
    await checkAnswers(control, 'the control plane');
    const { found, failures } = await read(control.endpoint, await clustersOf(control.client, values.clusters));
    if (found.length > 0) process.stdout.write(`${print.lines(found).join('\n')}\n`);
    else if (failures.length === 0) process.stderr.write(`${print.nothing}\n`);
    if (failures.length > 0) throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
  } finally {
    await control.client.close();
  }
}

async function topPod(args: readonly string[]): Promise<void> {
  const {
    values,
    rest: [, ...names],
  } = parseFlags(podFlags, args);
  if (values.help) return void process.stdout.write(help());
  const { selector: labelSelector, 'field-selector': fieldSelector, namespace } = values;
  const name = nameIn(names, labelSelector !== '' || fieldSelector !== '');
  const [sortBy, allNamespaces] = [sortKeyOf(values), values['all-namespaces']];
  if (allNamespaces && name !== '') throw new UsageError('a Pod is named in one namespace: not with --all-namespaces');
  const query = { name, namespace: allNamespaces ? '' : namespace, labelSelector, fieldSelector };
  const { containers, sum, 'no-headers': noHeaders } = values;
  return show(
    values,
    (control, clusters) => inClusters(control, clusters, (client, cluster) => podsOf(client, cluster, query)),
    {
      lines: pods => podLines(pods, { sortBy, noHeaders, allNamespaces, containers, sum }),
      nothing: allNamespaces ? 'No resources found' : `No resources found in ${namespace} namespace.`,
    },
  );
}

async function topNode(args: readonly string[]): Promise<void> {
  const {
    values,
    rest: [, ...names],
  } = parseFlags(nodeFlags, args);
  if (values.help) return void process.stdout.write(help());
  const { selector: labelSelector, 'no-headers': noHeaders } = values;
  const query = { name: nameIn(names, labelSelector !== ''), namespace: '', labelSelector, fieldSelector: '' };
  const sortBy = sortKeyOf(values);
  const of = values['show-capacity'] ? 'capacity' : 'allocatable';
  return show(
    values,
    (control, clusters) => inClusters(control, clusters, (client, cluster) => nodesOf(client, { cluster, of, query })),
    { lines: nodes => nodeLines(nodes, { sortBy, noHeaders }), nothing: 'No resources found' },
  );
}

/** By name. The arguments contain the name, between flags of the command or before them. */
const commands: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  ...{ pod: topPod, pods: topPod, po: topPod },
  ...{ node: topNode, nodes: topNode, no: topNode },
};

/** Runs `karmadactl top` with the arguments after these words. Throws UsageError for another subcommand than nodes and pods. */
export async function topCommand(args: readonly string[]): Promise<void> {
  const {
    values,
    rest: [name],
  } = parseFlags({ ...podFlags, ...nodeFlags }, args);
  if (name !== undefined && Object.hasOwn(commands, name)) return commands[name]?.(args);
  if (name === undefined || values.help) return void process.stdout.write(help());
  throw new UsageError(`unknown command "${name}" for "karmadactl top"${didYouMean(name, Object.keys(commands))}`);
}
