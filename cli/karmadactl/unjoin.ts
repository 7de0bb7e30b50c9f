import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { leaveCluster } from '../../aggregation/members/leave.js';
import { find } from '../../controllers/runtime/update.js';
import type { Client } from '../../registry/interface.js';
import type { Cluster } from '../../registry/kinds/karmada/types.js';
import { resources } from '../../registry/kinds/karmada/well-known.js';
import { describeFlags, type FlagTable, parseFlags } from '../flags.js';
import { clusterName, connectionFlags, openCluster, openControlPlane } from './connect.js';

const flags = {
  ...connectionFlags,
  wait: { type: 'number', value: 'SECONDS', default: 60, help: 'How long the control plane may take to let go' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const help =
  (): string => `Lets a cluster go: what was propagated to it is taken back, its Cluster object is deleted. With a kubeconfig of
the cluster, the accounts that joining made there are removed, too.

Usage:
  karmadactl unjoin CLUSTER_NAME [--cluster-kubeconfig FILE] [flags]

Flags:
${describeFlags(flags)}
`;

async function release(control: Client, name: string, seconds: number): Promise<void> {
  const cluster = (await find(control, resources.clusters, { name })) as Cluster | undefined;
  if (!cluster) throw new Error(`no cluster object ${name} found in karmada control Plane`);
  if (cluster.spec.syncMode === 'Pull')
    throw new Error(`cluster ${name} is a Pull mode member cluster, which is not unjoined from outside`);
  await control.delete(resources.clusters, { name });
  const deadline = Date.now() + seconds * 1000;
  while (await find(control, resources.clusters, { name })) {
    if (Date.now() > deadline) throw new Error(`cluster ${name} is still being released after ${seconds}s`);
    await pause(200);
  }
}

export async function unjoin(args: readonly string[]): Promise<void> {
  const { values, given, rest } = parseFlags(flags, args);
  if (values.help) return void process.stdout.write(help());
  const name = clusterName(rest);
  const control = openControlPlane(values);
  const known = given.has('cluster-kubeconfig') || given.has('cluster-context');
  const member = known ? openCluster(values) : undefined;
  try {
    await release(control.client, name, values.wait);
    if (member) await leaveCluster(member.client, name, values['cluster-namespace']);
    process.stdout.write(`cluster(${name}) is unjoined successfully\n`);
  } finally {
    await Promise.all([control.client.close(), member?.client.close()]);
  }
}
