import process from 'node:process';
import { boundTokens, secretTokens } from '../../aggregation/members/accounts.js';
import { joinCluster, otherNameOf } from '../../aggregation/members/join.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { resources } from '../../api/karmada/well-known.js';
import { describeFlags, type FlagTable, parseFlags, UsageError } from '../flags/flags.js';
import {
  checkAnswers,
  checkedClusterName,
  clusterArgument,
  connectionFlags,
  openCluster,
  openControlPlane,
} from './connect.js';
import { namespaces } from '../../api/kubernetes/resources.js';
import { renewsTokens } from './renews-tokens.js';

const flags = {
  ...connectionFlags,
  'cluster-provider': { type: 'string', value: 'NAME', help: 'Provider of the cluster' },
  'cluster-region': { type: 'string', value: 'NAME', help: 'Region of the cluster' },
  'cluster-zones': { type: 'list', value: 'LIST', help: 'Zones of the cluster' },
  'dry-run': { type: 'boolean', help: 'Check that the cluster can be joined, and change nothing' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const help = (): string => `Joins a cluster to the control plane in push mode.

Usage:
  karmadactl join CLUSTER_NAME --cluster-kubeconfig FILE [flags]

Flags:
${describeFlags(flags)}
`;

/** Checks that the cluster has not joined, by its name and by the uid of its kube-system. as `karmadactl join` */
async function refuseTwice(name: string, control: Client, member: Client): Promise<void> {
  if (await find(control, resources.clusters, { name }))
    throw new Error(`the cluster ${name} has already been registered; "karmadactl unjoin ${name}" lets it go`);
  const identity = async (client: Client): Promise<string | undefined> =>
    (await client.get(namespaces, { name: 'kube-system' })).metadata.uid;
  // differs: karmadactl lets a control plane join itself, which happens when a flag is forgotten.
  if ((await identity(member)) === (await identity(control)))
    throw new UsageError('this is the control plane itself; --cluster-kubeconfig names the cluster that is to join');
  const other = await otherNameOf(member, control, name);
  if (other !== undefined) throw new Error(`the same cluster has been registered with name ${other}`);
}

/** Tokens that expire, for a control plane that renews them. */
const renewedTokens = boundTokens(refusal => {
  process.stderr.write(
    `warning: the cluster issues no tokens that expire (${refusal.message}): one without expiry is used\n`,
  );
});

/** Runs `karmadactl join`. Rejects with UsageError for wrong flags, and with the error of the step that failed. */
export async function join(args: readonly string[]): Promise<void> {
  const { values, rest } = parseFlags(flags, args);
  if (values.help) return void process.stdout.write(help());
  const name = checkedClusterName(clusterArgument(rest));
  const control = openControlPlane(values);
  const member = openCluster(values);
  try {
    await checkAnswers(control, 'the control plane');
    await checkAnswers(member, 'the cluster');
    await refuseTwice(name, control.client, member.client);
    if (values['dry-run']) return void process.stdout.write(`cluster(${name}) can be joined (dry run)\n`);
    const { server, ca } = member.endpoint;
    const tokens = (await renewsTokens(control.client)) ? renewedTokens : secretTokens;
    await joinCluster({
      ...{ name, control: control.client, member: member.client, endpoint: server, tokens },
      namespace: values['cluster-namespace'],
      authority: ca ?? '',
      reach: member.endpoint,
      facts: {
        ...(values['cluster-provider'] && { provider: values['cluster-provider'] }),
        ...(values['cluster-region'] && { region: values['cluster-region'] }),
        ...(values['cluster-zones'].length > 0 && { zones: [...values['cluster-zones']] }),
      },
    });
    process.stdout.write(`cluster(${name}) is joined successfully\n`);
  } finally {
    await Promise.all([control.client.close(), member.client.close()]);
  }
}
