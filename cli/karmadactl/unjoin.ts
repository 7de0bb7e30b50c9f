import process from 'node:process';
import { leaveCluster, type Remainder } from '../../aggregation/members/leave.js';
import { find } from '../../client/find.js';
import { keyOf } from '../../client/key.js';
import { removeFinalizer } from '../../client/runtime/update.js';
import type { Client } from '../../client/interface.js';
import { executionNamespace } from '../../api/karmada/names.js';
import type { Binding, Cluster, Work } from '../../api/karmada/types.js';
import { finalizers, resources } from '../../api/karmada/well-known.js';
import { shownList } from '../../lib/shown-list.js';
import { describeFlags, type FlagTable, parseFlags } from '../flags/flags.js';
import { clusterArgument, connectionFlags, openCluster, openControlPlane } from './connect.js';
import { holdsBefore, waitMs } from './wait-flag.js';

const flags = {
  ...connectionFlags,
  wait: {
    type: 'string',
    value: 'DURATION',
    default: '60s',
    help: 'How long the control plane may take to release the cluster',
  },
  force: {
    type: 'boolean',
    help: 'Delete the Cluster after --wait even if objects stay behind in the cluster',
  },
  'dry-run': { type: 'boolean', help: 'Check that the cluster can be unjoined, and change nothing' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const help =
  (): string => `Removes a cluster from the control plane: the objects that were propagated to it are deleted there, then its Cluster
object is deleted. With a kubeconfig of the cluster, the accounts that join created in it are deleted, too. A cluster
that cannot be reached is removed with --force; its objects stay behind.

Usage:
  karmadactl unjoin CLUSTER_NAME [--cluster-kubeconfig FILE] [flags]

Flags:
${describeFlags(flags)}
`;

async function pushCluster(control: Client, name: string): Promise<void> {
  const cluster = (await find(control, resources.clusters, { name })) as Cluster | undefined;
  if (!cluster) throw new Error(`no cluster object ${name} found in karmada control Plane`);
  if (cluster.spec.syncMode === 'Pull')
    throw new Error(
      `cluster ${name} is a Pull mode member cluster, please use command \`unregister\` if you want to continue unregistering the cluster`,
    );
}

/** Returns whether the Cluster is deleted in time. */
const released = (control: Client, name: string, ms: number): Promise<boolean> =>
  holdsBefore(Date.now() + ms, async () => !(await find(control, resources.clusters, { name })));

/** Returns Works that wait until their objects are deleted in the cluster. */
async function waitingWorks(control: Client, name: string): Promise<readonly Work[]> {
  const { items } = await control.list(resources.works, { namespace: executionNamespace(name) });
  return (items as Work[]).filter(({ metadata }) => metadata.finalizers?.includes(finalizers.execution));
}

/** Returns bindings that still target the cluster, as `NAMESPACE/NAME`. */
async function bindingsTo(control: Client, name: string): Promise<readonly string[]> {
  const lists = await Promise.all([
    control.list(resources.resourceBindings),
    control.list(resources.clusterResourceBindings),
  ]);
  return lists
    .flatMap(({ items }) => items as Binding[])
    .filter(({ spec }) => spec.clusters?.some(target => target.name === name))
    .map(keyOf);
}

const maxNamed = 3;

/** Returns what delays the deletion of a Cluster. */
async function obstacles(control: Client, name: string): Promise<string> {
  const works = await waitingWorks(control, name);
  const bindings = await bindingsTo(control, name);
  const found = [
    ...(works.length > 0
      ? [
          `${works.length} Works wait for it to delete what they describe (${shownList(works, maxNamed, ({ metadata }) => metadata.name ?? '')})`,
        ]
      : []),
    ...(bindings.length > 0
      ? [`${bindings.length} bindings still name it (${shownList(bindings, maxNamed, each => each)})`]
      : []),
  ];
  return found.length > 0 ? found.join('; ') : 'its controllers have not finished';
}

/** Removes the finalizers of a Cluster and its Works. as karmadactl/util DeleteClusterObject with forceDeletion */
async function force(control: Client, name: string): Promise<void> {
  const works = await waitingWorks(control, name);
  for (const work of works) await removeFinalizer(control, resources.works, work, finalizers.execution);
  const cluster = (await find(control, resources.clusters, { name })) as Cluster | undefined;
  if (cluster) await removeFinalizer(control, resources.clusters, cluster, finalizers.cluster);
  const left = works.length === 0 ? '' : `; what ${works.length} Works put into the cluster may still be there`;
  process.stderr.write(`cluster(${name}) is deleted by force${left}\n`);
}

interface Releasing {
  readonly name: string;
  readonly wait: string;
  readonly forced: boolean;
}

async function release(control: Client, { name, wait, forced }: Releasing): Promise<void> {
  await control.delete(resources.clusters, { name });
  if (await released(control, name, waitMs(wait))) return;
  if (forced) return force(control, name);
  throw new Error(
    `timed out after ${wait}: cluster ${name} is marked for deletion, and ${await obstacles(control, name)}. ` +
      `Nothing was removed from the cluster itself. It goes by itself once that is over; ` +
      `to give it up now: karmadactl unjoin ${name} --force --wait 1s`,
  );
}

/** Returns the message for a failed cleanup of the cluster, after the control plane has released it. */
function leftIn(name: string, remainders: readonly Remainder[]): string {
  const why = [...new Set(remainders.map(remainder => remainder.why))].join('; ');
  const commands = remainders.map(({ what }) => `  kubectl delete ${what}`).join('\n');
  return `cluster(${name}) is removed from the control plane, but not everything is removed from the cluster: ${why}\nWhen it can be reached, remove the rest there:\n${commands}`;
}

/** Runs `karmadactl unjoin`. Rejects with UsageError for wrong flags, and with the error of the step that failed. */
export async function unjoin(args: readonly string[]): Promise<void> {
  const { values, given, rest } = parseFlags(flags, args);
  if (values.help) return void process.stdout.write(help());
  const name = clusterArgument(rest);
  waitMs(values.wait);
  const control = openControlPlane(values);
  const known = given.has('cluster-kubeconfig') || given.has('cluster-context');
  const member = known ? openCluster(values) : undefined;
  try {
    await pushCluster(control.client, name);
    if (values['dry-run']) return void process.stdout.write(`cluster(${name}) can be unjoined (dry run)\n`);
    await release(control.client, { name, wait: values.wait, forced: values.force });
    const remainders = member ? await leaveCluster(member.client, name, values['cluster-namespace']) : [];
    if (remainders.length > 0) {
      const text = leftIn(name, remainders);
      if (!values.force) throw new Error(text);
      process.stderr.write(`${text}\n`);
    }
    process.stdout.write(`cluster(${name}) is unjoined successfully\n`);
  } finally {
    await Promise.all([control.client.close(), member?.client.close()]);
  }
}
