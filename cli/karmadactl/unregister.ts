import process from 'node:process';
import { remote } from '../../aggregation/remote/client.js';
import { parseKubeconfig } from '../../aggregation/remote/kubeconfig.js';
import { core, rbac } from '../../aggregation/members/resources.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { executionNamespace, memberRoleName, memberServiceAccountName } from '../../api/karmada/names.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { deployments, secrets } from '../../api/kubernetes/resources.js';
import { find, ignoreNotFound } from '../../client/find.js';
import type { Client, ObjectKey } from '../../client/interface.js';
import { objectKey } from '../../client/key.js';
import { describeFlags, type FlagTable, type FlagValues, parseFlags, UsageError } from '../flags/flags.js';
import {
  agentNamespaceFlag,
  checkAnswers,
  checkedClusterName,
  clusterArgument,
  connectionFlags,
  openCluster,
  openControlPlane,
  userAgent,
} from './connect.js';
import { deleteAgentRoles, describeAgentRoles } from './register/agent-roles.js';
import { agentAccountName, agentName, agentSecretName } from './register/member-objects.js';
import { holdsBefore, waitMs } from './wait-flag.js';
import { secretText } from '../../kinds/kubernetes/core/config/secret-text.js';

const flags = {
  'cluster-kubeconfig': connectionFlags['cluster-kubeconfig'],
  'cluster-context': connectionFlags['cluster-context'],
  'karmada-config': {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig of the control plane (default: that of the agent)',
  },
  'karmada-context': connectionFlags['karmada-context'],
  namespace: agentNamespaceFlag,
  'agent-name': { type: 'string', value: 'NAME', default: agentName, help: 'Name of the Deployment of the agent' },
  'cluster-namespace': connectionFlags['cluster-namespace'],
  wait: {
    type: 'string',
    value: 'DURATION',
    default: '60s',
    help: 'How long the agent may take to delete the objects in the cluster',
  },
  'dry-run': { type: 'boolean', help: 'Check that the cluster can be unregistered, and change nothing' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

const help = (): string => `Removes a cluster in pull mode from the control plane, and its agent from the cluster.

Usage:
  karmadactl unregister CLUSTER_NAME --cluster-kubeconfig FILE [flags]

Flags:
${describeFlags(flags)}
`;

interface Deployment extends KubeObject {
  spec?: {
    template?: {
      spec?: {
        containers?: {
          command?: string[];
          args?: string[];
          volumeMounts?: { name: string; mountPath: string }[];
        }[];
        volumes?: { name: string; secret?: { secretName?: string } }[];
      };
    };
  };
}

/** Returns the kubeconfig that the agent uses for the control plane, from its Secret. */
async function kubeconfigOfAgent(member: Client, values: Values): Promise<string> {
  const { namespace } = values;
  const name = values['agent-name'];
  const agent = (await find(member, deployments, { namespace, name })) as Deployment | undefined;
  const help = '--karmada-config names a kubeconfig of the control plane';
  if (!agent) throw new Error(`the cluster has no Deployment ${namespace}/${name}; ${help}`);
  const pod = agent.spec?.template?.spec;
  const [container] = pod?.containers ?? [];
  const flag = '--karmada-kubeconfig=';
  const file = [...(container?.command ?? []), ...(container?.args ?? [])].find(arg => arg.startsWith(flag));
  const [, folder, key = ''] = /^(.*)\/([^/]*)$/.exec(file?.slice(flag.length) ?? '') ?? [];
  const mount = container?.volumeMounts?.find(({ mountPath }) => mountPath.replace(/\/+$/, '') === folder);
  const secretName = pod?.volumes?.find(volume => volume.name === mount?.name)?.secret?.secretName;
  if (!secretName) throw new Error(`the Deployment ${namespace}/${name} mounts no kubeconfig from a Secret; ${help}`);
  const secret = await find(member, secrets, { namespace, name: secretName });
  const kubeconfig = secretText(secret, key);
  if (!kubeconfig) throw new Error(`the Secret ${namespace}/${secretName} has no ${key}; ${help}`);
  return kubeconfig;
}

async function openControl(member: Client, values: Values) {
  if (values['karmada-config'] !== '')
    return openControlPlane({ kubeconfig: values['karmada-config'], 'karmada-context': values['karmada-context'] })
      .client;
  const text = await kubeconfigOfAgent(member, values);
  return remote(parseKubeconfig(text, 'the kubeconfig of the agent'), { userAgent });
}

/**
 * Returns the Cluster if there is one; rejects unless it is in pull mode. differs: a Cluster that is gone is no error while the agent is there: an
 * earlier call has timed out, and the Cluster went after that.
 */
async function checkMode(
  control: Client,
  member: Client,
  name: string,
  agent: ObjectKey,
): Promise<Cluster | undefined> {
  const cluster = (await find(control, resources.clusters, { name })) as Cluster | undefined;
  if (!cluster && !(await find(member, deployments, agent)))
    throw new Error(`no cluster object ${name} found in karmada control Plane`);
  if (cluster?.spec.syncMode === 'Push')
    throw new Error(
      `cluster ${name} is a Push mode member cluster, please use command \`unjoin\` if you want to continue unjoining the cluster`,
    );
  return cluster;
}

/**
 * Deletes the Works of the cluster until there are none: a binding that changes meanwhile writes its Work again. Resolves with how many are left at
 * the deadline, in milliseconds since the epoch.
 */
async function deleteWorks(control: Client, name: string, deadline: number): Promise<number> {
  let left = 0;
  await holdsBefore(deadline, async () => {
    const { items } = await control.list(resources.works, { namespace: executionNamespace(name) });
    left = items.length;
    for (const work of items)
      if (!work.metadata.deletionTimestamp) await ignoreNotFound(control.delete(resources.works, objectKey(work)));
    return left === 0;
  });
  return left;
}

/**
 * Deletes the Works, waits until the agent has released them, and deletes the Cluster. The Works go first since the control plane may delete the
 * rights of the agent with the namespace of the Works. as pkg/karmadactl/unregister RunUnregisterCluster
 */
async function leave(control: Client, cluster: Cluster, wait: string): Promise<void> {
  const { name = '', deletionTimestamp } = cluster.metadata;
  const deadline = Date.now() + waitMs(wait);
  // The agent may not list the Works any more if their namespace is being deleted.
  const left = deletionTimestamp ? 0 : await deleteWorks(control, name, deadline);
  if (left > 0)
    throw new Error(
      `timed out after ${wait}: ${left} Works of cluster ${name} are left, which the agent must release; does it run?`,
    );
  await ignoreNotFound(control.delete(resources.clusters, { name }));
  if (await holdsBefore(deadline, async () => !(await find(control, resources.clusters, { name })))) return;
  throw new Error(
    `timed out after ${wait}: cluster ${name} is marked for deletion, but not gone yet; kubectl describe cluster ${name} says what it waits for`,
  );
}

/** Deletes what registering and the agent have created in the cluster. */
async function cleanMember(member: Client, name: string, values: Values): Promise<void> {
  const { namespace } = values;
  const clusterNamespace = values['cluster-namespace'];
  const account = memberServiceAccountName(name);
  const impersonator = memberServiceAccountName('impersonator');
  const role = { name: memberRoleName(account) };
  const objects: readonly (readonly [GroupVersionResource, ObjectKey])[] = [
    [core('serviceaccounts'), { namespace: clusterNamespace, name: account }],
    [rbac('clusterroles'), role],
    [rbac('clusterrolebindings'), role],
    [secrets, { namespace: clusterNamespace, name: account }],
    [core('serviceaccounts'), { namespace: clusterNamespace, name: impersonator }],
    [secrets, { namespace: clusterNamespace, name: impersonator }],
    [core('namespaces'), { name: clusterNamespace }],
    [deployments, { namespace, name: values['agent-name'] }],
    [core('serviceaccounts'), { namespace, name: agentAccountName }],
    [rbac('clusterroles'), { name: agentName }],
    [rbac('clusterrolebindings'), { name: agentName }],
    [secrets, { namespace, name: agentSecretName }],
  ];
  for (const [resource, key] of objects) await ignoreNotFound(member.delete(resource, key));
}

/** Runs `karmadactl unregister`: removes the agent, its objects in the member, and the Cluster. Rejects with UsageError for wrong arguments. */
// differs: no files in /etc/karmada are deleted: registering writes none, and they may be those of a control plane on this machine.
export async function unregisterCommand(args: readonly string[]): Promise<void> {
  const { values, rest } = parseFlags(flags, args);
  if (values.help) return void process.stdout.write(help());
  const name = checkedClusterName(clusterArgument(rest));
  if (values['cluster-kubeconfig'] === '') throw new UsageError('--cluster-kubeconfig is required');
  waitMs(values.wait);
  const member = openCluster(values);
  try {
    await checkAnswers(member, 'the cluster');
    const control = await openControl(member.client, values);
    try {
      const agent = { namespace: values.namespace, name: values['agent-name'] };
      const cluster = await checkMode(control, member.client, name, agent);
      if (values['dry-run']) return void process.stdout.write(`cluster(${name}) can be unregistered (dry run)\n`);
      if (cluster) await leave(control, cluster, values.wait);
      // The agent may not delete its own roles.
      if (values['karmada-config'] !== '') await deleteAgentRoles(control, name, values['cluster-namespace']);
    } finally {
      await control.close();
    }
    await cleanMember(member.client, name, values);
    if (values['karmada-config'] === '')
      process.stdout.write(
        `The RBAC resources on the control plane need to be manually cleaned up, including the following resources:\n${describeAgentRoles(name, values['cluster-namespace'])}\n`,
      );
    process.stdout.write(`cluster(${name}) is unregistered successfully\n`);
  } finally {
    await member.client.close();
  }
}
